import Foundation
import OperationNetworking

func ownThread(_ base: URL) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    // Seconds for the whole of each operation, even while bytes come.
    manager.timeoutIntervalForResource = 300
    // A decision block that waits holds up the requests of its own thread alone.
    manager.networkThread = NetworkThread(name: "backup")
    // In other modes of that thread's run loop the connections rest.
    manager.runLoopModes = [.default]
    // snippet: end
    return manager
}
