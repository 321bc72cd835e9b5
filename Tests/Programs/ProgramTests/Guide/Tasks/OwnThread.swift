import Foundation
import OperationNetworking

func ownThread(_ base: URL) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    // The longest time of each operation, in seconds, also while bytes arrive.
    manager.timeoutIntervalForResource = 300
    // A decision block that waits delays only the requests of its own thread.
    manager.networkThread = NetworkThread(name: "backup")
    // Transfers pause while the thread's run loop runs in another mode.
    manager.runLoopModes = [.default]
    // snippet: end
    return manager
}
