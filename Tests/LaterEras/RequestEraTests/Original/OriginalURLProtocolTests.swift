import SessionTasks
import TestSupport

@testable import RequestEra

/// `URLProtocolTests` of 4.9.1.
@Suite("URLProtocolTests", .timeLimit(.minutes(2)))
struct OriginalURLProtocolTests {
    @Test func `URLProtocolReceivesRequestHeadersAndSessionConfigurationHeaders`() async throws {
        let world = TestWorld.requests {
            $0.httpAdditionalHeaders = ["Session-Configuration-Header": "foo"]
        }
        let seen =
            await world.get("/get", headers: ["Request-Header": "foobar"])
            .object()["headers"] as? [String: String]
        #expect(seen?["Request-Header"] == "foobar")
        #expect(seen?["Session-Configuration-Header"] == "foo")
    }
}
