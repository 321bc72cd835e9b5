import Foundation
import LoopbackServer
import OperationNetworking

let server = LoopbackServer()
try server.start()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("slow.bin")

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
let work = Task {
    // A hundred seconds of 10,000 bytes each.
    try await manager.download("rate/1000000", parameters: ["bps": 10_000], to: file)
}
// On the main queue: at the top level of a program the handler belongs to the main actor.
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
interrupt.setEventHandler { work.cancel() }
interrupt.resume()
print("press Ctrl-C")
do {
    print("\(try await work.value.length) bytes")
} catch let error as URLError where error.code == .cancelled {
    print("cancelled; the same call goes on from the part that is kept")
    exit(130)
}
