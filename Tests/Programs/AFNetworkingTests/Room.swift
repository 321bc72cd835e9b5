import TestSupport
import Foundation
import LoopbackServer
import Testing

/// A server of its own for one test, with the routes the old sources ask for.
final class Room {
    let server = LoopbackServer()
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("old-\(UUID().uuidString)")
    var baseURL: URL { server.baseURL }

    init() throws {
        server.add("/get") { request in
            .json("{\"foo\":\"\(request.query["foo"] ?? "")\"}")
        }
        try server.start()
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> String { server.url(path).absoluteString }

    /// Waits until an answer has come to a gate, away from the threads that run tests.
    func reached(_ gate: String) async {
        let isReached = await server.reaches(gate)
        #expect(isReached, "No answer came to the gate \(gate).")
    }

    /// Bodies of requests for a path, as text.
    func bodies(_ path: String) -> [String] {
        server.requests.filter { $0.path == path }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// A file that goes with the room.
    func file(_ name: String, _ data: Data) throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }
}

/// Waits for an old block.
func answer<Value>(_ body: (@escaping (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in
        body { continuation.resume(returning: $0) }
    }
}

/// Waits for an old block without a value.
func done(_ body: (@escaping () -> Void) -> Void) async {
    let _: Bool = await answer { finish in body { finish(true) } }
}
