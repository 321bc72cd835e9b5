import Dispatch
import Foundation
import OperationNetworking

// snippet: begin
func downloadUntilInterrupted(_ server: URL, to file: URL) async throws -> DownloadedFile {
    let manager = HTTPRequestOperationManager(baseURL: server)
    let work = Task { try await manager.download("image.iso", to: file) }
    // At the top level of a program a handler belongs to the main actor, and may run on main alone.
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    // Cancels the request that runs, and refuses what the task would send after it.
    interrupt.setEventHandler { work.cancel() }
    interrupt.resume()
    defer {
        // From here on Ctrl-C ends the program at once, as before.
        interrupt.cancel()
        signal(SIGINT, SIG_DFL)
    }
    // Throws URLError.cancelled after Ctrl-C; the same call goes on from the part that it left.
    return try await work.value
}
// snippet: end
