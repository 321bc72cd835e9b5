import CurlConnection
import OperationNetworking
import TLSPeer
import TestSupport

/// The acceptance cases about TLS, by their ids, each over the wire.
@Suite("Acceptance cases of trust", .timeLimit(.minutes(1)))
struct TrustAcceptanceTests {
    private let cast: Cast

    init() throws {
        cast = try Cast()
    }

    private func policy(
        _ mode: SecurityPolicy.PinningMode = .none, pins: [Certificate] = [],
        _ change: (SecurityPolicy) -> Void = { _ in }
    ) -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
        policy.anchorCertificates = [cast.root.certificate]
        change(policy)
        return policy
    }

    private func load(
        _ url: URL, _ policy: SecurityPolicy
    ) -> URLConnectionOperation {
        let operation = URLConnectionOperation(
            request: URLRequest(url: url, timeoutInterval: 10))
        operation.securityPolicy = policy
        OperationQueue().addOperations([operation], waitUntilFinished: true)
        return operation
    }

    /// Whether a server with an identity is talked to; one that is refused must have seen nothing.
    private func accepts(
        _ policy: SecurityPolicy, _ identity: Identity, chain: [Identity]? = nil
    ) throws -> Bool {
        let chain = (chain ?? [cast.middle]).map(\.certificate)
        let server = try TLSServer(.init(identity, chain: chain))
        let operation = load(try server.url("localhost"), policy)
        let journal = server.stop()
        let isAccepted = operation.responseString == "ok"
        #expect((operation.error == nil) == isAccepted)
        #expect((journal.bytes > 0) == isAccepted)
        return isAccepted
    }

    @Test func `R40, a man in the middle with a trusted root is stopped by a pin`() throws {
        let between = try Identity(.authority("interceptor"))
        let shown = try Identity(.init("localhost", names: Cast.names), signedBy: between)
        let trusting = [cast.root.certificate, between.certificate]
        #expect(try accepts(policy { $0.anchorCertificates = trusting }, shown, chain: [between]))
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            let pinned = policy(mode, pins: [cast.good.certificate]) {
                $0.anchorCertificates = trusting
            }
            #expect(try !accepts(pinned, shown, chain: [between]))
        }
    }

    @Test func `R43, pinning without a pin refuses, whatever is switched off`() throws {
        for mode in [SecurityPolicy.PinningMode.publicKey, .certificate] {
            #expect(try !accepts(policy(mode), cast.good))
            let open = policy(mode) {
                $0.allowInvalidCertificates = true
                $0.validatesDomainName = false
            }
            #expect(try !accepts(open, cast.good))
        }
    }

    @Test func `R46, a revoked certificate is refused by a policy with the list`() throws {
        let leaf = try cast.leaf { _ in }
        let list = try cast.middle.revocationList(of: [leaf.certificate])
        #expect(try accepts(policy(), leaf))
        #expect(try !accepts(policy { $0.certificateRevocationLists = [list] }, leaf))
        #expect(try accepts(policy { $0.certificateRevocationLists = [list] }, cast.good))
    }

    @Test func `R47, a secure body is whole by its length, or else by the end of the connection`()
        throws
    {
        let rows: [(String, TLSServer.Ending, String?)] = [
            ("Content-Length: 5\r\n", .isCut, "hello"),
            ("Content-Length: 5\r\n", .closes, "hello"),
            ("Content-Length: 9\r\n", .isCut, nil), ("Content-Length: 9\r\n", .closes, nil),
            ("", .closes, "hello"), ("", .isCut, "hello"),
        ]
        for (index, (field, ending, expected)) in rows.enumerated() {
            var settings = cast.settings
            settings.ending = ending
            settings.answer = { _ in
                "HTTP/1.1 200 OK\r\n\(field)Connection: close\r\n\r\nhello"
            }
            let server = try TLSServer(settings)
            let operation = load(try server.url("localhost"), policy())
            _ = server.stop()
            #expect((operation.error == nil) == (expected != nil), "row \(index)")
            if let expected { #expect(operation.responseString == expected, "row \(index)") }
        }
    }

    @Test func `R48, a secure request to a plain server fails, and a plain one to a secure server`()
        throws
    {
        var settings = TLSServer.Settings(cast.good)
        for greeting in ["HTTP/1.1 400 Bad Request\r\n\r\n", "220 ready\r\n", "\0\u{1}"] {
            settings.greeting = greeting
            let plain = try TLSServer(settings)
            let error = load(try plain.url("localhost"), policy()).error as? URLError
            #expect(error?.code == .secureConnectionFailed, "\(greeting)")
            _ = plain.stop()
        }

        let secure = try TLSServer(.init(cast.good))
        let other = try #require(URL(string: "http://127.0.0.1:\(secure.port)/"))
        #expect(load(other, policy()).error is URLError)
        #expect(secure.stop().bytes == 0)
    }
}
