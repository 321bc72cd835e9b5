// Ten files, three at a time, each straight to disk.
import Foundation
import LoopbackServer
import OperationNetworking

// A server in this program, so that it needs no network.
let server = LoopbackServer()
try server.start()
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("three-at-a-time")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

let manager = OperationManager()
manager.maxConcurrentOperationCount = 3

let operations = (1...10).map { number in
    let url = server.url("/bytes/\(number)0000")
    let operation = URLConnectionOperation(request: URLRequest(url: url))
    let file = folder.appendingPathComponent(url.lastPathComponent)
    operation.outputStream = OutputStream(url: file, append: false)
    return operation
}
// Both blocks are called on the main queue, which `dispatchMain()` runs.
manager.enqueue(batch: operations) { finished, total in
    print("\(finished) of \(total)")
} completion: { operations in
    for operation in operations {
        let file = operation.request.url?.lastPathComponent ?? ""
        print(file, operation.error.map { "\($0)" } ?? "\(operation.totalBytesRead) bytes")
    }
    exit(0)
}
dispatchMain()
