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
        try server.start()
        defer { server.stop() }

        let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
        let prices = try await manager.get("prices/tea", parameters: ["currency": "EUR"])
        #expect(prices as? [String: Double] == ["EUR": 2.5])
        await #expect(throws: (any Error).self) {
            _ = try await manager.get("prices/coffee")
        }
        #expect(server.requests.map(\.path) == ["/prices/tea", "/prices/coffee"])
    }
}
// snippet: end
