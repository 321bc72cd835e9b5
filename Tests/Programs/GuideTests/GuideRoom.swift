import Foundation
import LoopbackServer

/// A server and a folder of its own for one test.
final class GuideRoom: Sendable {
    let server: LoopbackServer
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("guide-\(UUID().uuidString)")

    init(tls: TLSSettings? = nil) throws {
        server = LoopbackServer(routes: .served, tls: tls)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try server.start()
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A place for a file that goes with the room.
    func place(_ name: String) -> URL { folder.appendingPathComponent(name) }
}

/// Waits for a block.
func answer<Value: Sendable>(
    _ body: (@escaping @Sendable (Value) -> Void) throws -> Void
) async rethrows -> Value {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    try body { continuation.yield($0) }
    for await value in stream { return value }
    preconditionFailure("The block was not called.")
}
