import Foundation
import LoopbackServer

/// A server of its own for one test.
final class MigrationRoom: Sendable {
    let server = LoopbackServer()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("new-\(UUID().uuidString)")
    var baseURL: URL { server.baseURL }

    init() throws {
        server.add("/get") { .json("{\"foo\":\"\($0.query["foo"] ?? "")\"}") }
        try server.start()
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> String { server.url(path).absoluteString }

    /// A file that goes with the room.
    func file(_ name: String, _ data: Data) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }
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
