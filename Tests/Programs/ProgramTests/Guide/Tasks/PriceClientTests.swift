import Foundation
import LoopbackServer
import OperationNetworking
import Testing

// snippet: begin
struct PriceClientTests {
    @Test
    func `a price is asked for in euros, and a refusal is an error`() async throws {
        let server = LoopbackServer()
        server.add("/prices/tea") { request in
            .json("{\"\(request.query["currency"] ?? "")\":2.5}")
        }
        server.add("/prices/coffee") { _ in .text("closed", status: 503) }
        server.add("/session") { _ in
            .status(204, headers: [("Set-Cookie", "member=42; Path=/prices")])
        }
        try server.start()
        defer { server.stop() }

        let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
        // By default all managers share one storage, and so would all tests.
        manager.configuration.cookieStorage = CookieStorage()
        // A 204 has no body: what comes back is nil.
        _ = try await manager.post("session")
        let prices = try await manager.get(
            "prices/tea", parameters: ["currency": "EUR"], as: [String: Double].self)
        #expect(prices == ["EUR": 2.5])
        await #expect(throws: (any Error).self) {
            _ = try await manager.get("prices/coffee")
        }
        #expect(server.requests.map(\.path) == ["/session", "/prices/tea", "/prices/coffee"])
        #expect(server.requests.last?.headers["Cookie"] == "member=42")
    }
}
// snippet: end
