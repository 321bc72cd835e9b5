import Foundation
import LoopbackServer
import TestSupport
import Testing

/// A server of its own for one test, with httpbin's routes.
final class Room {
    let server: LoopbackServer
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("old-\(UUID().uuidString)")
    var base: String { String(server.baseURL.absoluteString.dropLast()) }

    init(tls: TLSSettings? = nil) throws {
        server = LoopbackServer(routes: .httpbin, tls: tls)
        try server.start()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    func url(_ path: String) -> String { base + path }

    /// A file that goes with the room.
    func file(_ name: String, _ data: Data) throws -> URL {
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }

    /// Waits until an answer has come to a gate, away from the threads that run tests.
    func reached(_ gate: String) async {
        let isReached = await server.reaches(gate)
        #expect(isReached, "No answer came to the gate \(gate).")
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
