import OperationNetworking
import SessionEra
import TestSupport

@Suite("Values of the caller's types from a session", .timeLimit(.minutes(1)))
struct DecodedTaskTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
    }

    /// What the server was sent.
    private struct Seen: Codable, Sendable, Equatable {
        var method: String
        var body: String
        var query: String
        var field: String
    }

    private let world: TestWorld

    init() throws {
        world = TestWorld.sessions()
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            world.server.add("/seen/\(method)") { request in
                .json(
                    encoding: Seen(
                        method: request.method, body: String(decoding: request.body, as: UTF8.self),
                        query: request.query["a"] ?? "", field: request.headers["X-One"] ?? ""))
            }
        }
    }

    private func withManager(
        _ body: (HTTPSessionManager) async throws -> Void
    ) async throws {
        let manager = HTTPSessionManager(
            baseURL: world.server.baseURL, sessionConfiguration: .ephemeral)
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        try await body(manager)
    }

    @Test func `each verb returns a value`() async throws {
        try await withManager() { (manager) async throws -> Void in
            let (a, one) = (["a": "1"], ["X-One": "1"])
            #expect(
                try await manager.get("seen/GET", parameters: a, headers: one, as: Seen.self)
                    == Seen(method: "GET", body: "", query: "1", field: "1"))
            #expect(
                try await manager.delete("seen/DELETE", parameters: a, as: Seen.self)
                    == Seen(method: "DELETE", body: "", query: "1", field: ""))
            let form = { Seen(method: $0, body: "a=1", query: "", field: "") }
            #expect(
                try await manager.post("seen/POST", parameters: a, as: Seen.self) == form("POST"))
            #expect(try await manager.put("seen/PUT", parameters: a, as: Seen.self) == form("PUT"))
            #expect(
                try await manager.patch("seen/PATCH", parameters: a, as: Seen.self)
                    == form("PATCH"))
            let request = URLRequest(url: world.server.url("/seen/GET?a=2"))
            #expect(try await manager.result(for: request, as: Seen.self).query == "2")
        }
    }

    @Test func `a value goes out as JSON`() async throws {
        try await withManager() { (manager) async throws -> Void in
            let ann = User(name: "Ann")
            let one = ["X-One": "1"]
            let sent = { Seen(method: $0, body: #"{"name":"Ann"}"#, query: "", field: $1) }
            #expect(
                try await manager.post("seen/POST", body: ann, headers: one, as: Seen.self)
                    == sent("POST", "1"))
            #expect(
                try await manager.put("seen/PUT", body: ann, as: Seen.self) == sent("PUT", ""))
            #expect(
                try await manager.patch("seen/PATCH", body: ann, as: Seen.self)
                    == sent("PATCH", ""))
            #expect(try await manager.post("seen/POST", body: ann)?.statusCode == 200)
            try await manager.put("seen/PUT", body: ann, headers: one)
            try await manager.patch("seen/PATCH", body: ann)
            let types = world.server.requests.map { $0.headers["Content-Type"] }
            #expect(types.count == 6 && types.allSatisfy { $0 == "application/json" })
        }
    }

    @Test func `an error says where, and status and type are judged before`() async throws {
        try await withManager() { (manager) async throws -> Void in
            world.server.add("/user") { _ in .json(#"{"name":7}"#) }
            let error = await #expect(throws: ResponseSerializationError.self) {
                _ = try await manager.get("user", as: User.self)
            }
            #expect(error?.reason == .undecodableValue(type: "User"))
            #expect(
                error?.localizedDescription.hasSuffix("the value at 'name' is no String") == true)
            #expect(error?.data == Data(#"{"name":7}"#.utf8))
            world.server.add("/gone") { _ in .json("{}", status: 410) }
            let gone = await #expect(throws: ResponseSerializationError.self) {
                _ = try await manager.get("gone", as: User.self)
            }
            #expect(gone?.reason == .unacceptableStatusCode(410))
            world.server.add("/none") { _ in .status(204) }
            #expect(try await manager.get("none", as: User?.self) == nil)
        }
    }

    @Test func `other tasks of the manager keep its serializer`() async throws {
        try await withManager() { (manager) async throws -> Void in
            world.server.add("/user") { _ in .json(#"{"name":"Ann"}"#) }
            async let value = manager.get("user", as: User.self)
            let object = try await manager.get("user")
            #expect(object as? [String: String] == ["name": "Ann"])
            #expect(try await value == User(name: "Ann"))
        }
    }

    @Test func `cancelling the task cancels the session's`() async throws {
        try await withManager() { (manager) async throws -> Void in
            world.server.add("/stalled") { _ in ScriptedResponse([.stall]) }
            let task = Task { _ = try await manager.get("stalled", as: User.self) }
            #expect(await world.server.sees { statistics, _ in statistics.requests == 1 })
            task.cancel()
            let error = await #expect(throws: URLError.self) { try await task.value }
            #expect(error?.code == .cancelled)
        }
    }
}
