import CurlConnection
import OperationNetworking
import TestSupport

/// Needs a running haproxy and nginx: their ports as the variables below.
@Suite("Case R16: what stands in front of a server", .timeLimit(.minutes(1)))
struct GatewayCaseTests {
    private static let need: Comment = "Needs HAPROXY_DOWN and the other ports of `make peers`."
    private static let isAvailable =
        PeerPort.url("HAPROXY_DOWN") != nil && PeerPort.url("NGINX_HTTP") != nil

    private let client = PeerClient()

    private static let rows = [
        ("HAPROXY_DOWN", "/ok", 503), ("HAPROXY_SHORT", "/hang", 504),
        ("HAPROXY_TARPIT", "/ok", 500),
        ("HAPROXY_FLAKY", "/close", 502), ("HAPROXY_FLAKY", "/garbage", 502),
    ]

    @Test(.enabled(if: isAvailable, need), arguments: rows)
    func `R16, an error of haproxy's fails with its status and page at hand`(
        port: String, path: String, status: Int
    ) async throws {
        let url = try #require(PeerPort.url(port, path))
        let ending = await client.get(url, timeout: 10)
        #expect(ending.status == status)
        #expect(ending.error?.domain == "com.alamofire.error.serialization.response")
        #expect(ending.error?.code == URLError.badServerResponse.rawValue)
        #expect(ending.text?.contains("\(status)") == true)
        #expect(client.endedTwice == 0)
    }

    @Test(.enabled(if: isAvailable, need))
    func `R16, behind a backend that fails now and then the next request is answered`()
        async throws
    {
        for path in ["/close", "/rst-in-headers", "/truncated", "/rst-in-body"] {
            let broken = await client.get(try #require(PeerPort.url("HAPROXY_FLAKY", path)))
            #expect(!broken.isSuccess, "\(path)")
            let next = await client.get(try #require(PeerPort.url("HAPROXY_FLAKY", "/ok")))
            #expect(next.text == "hello", "after \(path)")
        }
    }

    @Test(.enabled(if: isAvailable, need))
    func `R16, a connection that nginx drops is lost, and no answer`() async throws {
        let ending = await client.get(try #require(PeerPort.url("NGINX_HTTP", "/drop")))
        #expect(ending.urlCode == .networkConnectionLost)
        #expect(ending.status == nil)
        #expect(ending.data?.isEmpty ?? true)
    }
}

/// A port that `scripts/test-peers` names in the environment.
enum PeerPort {
    /// Nil where that peer does not run.
    static func url(_ variable: String, _ path: String = "/") -> URL? {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) }
            .flatMap { URL(string: "http://127.0.0.1:\($0)\(path)") }
    }
}
