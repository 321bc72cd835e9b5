import Foundation
import LoopbackServer
import OperationNetworking

// The server cuts each connection after 400,000 bytes of the file, which has a million.
let server = LoopbackServer()
try server.start()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("large.bin")
try? FileManager.default.removeItem(at: file)

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
var options = DownloadOptions()
options.retryPolicy?.maximumAttempts = 5
let whole = try await manager.download(
    "cut", parameters: ["after": 400_000, "of": 1_000_000],
    progress: { progress in
        // Called on the queue that writes the file. The total is nil until the server has named it.
        let total = progress.total.map { "of \($0)" } ?? ""
        FileHandle.standardError.write(Data("\(progress.stored) \(total) bytes\n".utf8))
    }, to: file, options: options)
// A program that was stopped in the middle calls the same again, and goes on where it was.
print("\(whole.length) bytes, \(server.requests.count) requests")
// Where the last request began in the file; above 0, it asked for the rest alone.
print("asked for the rest alone: \(whole.resumedFrom > 0)")
