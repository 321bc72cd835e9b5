import CurlConnection
import OperationNetworking
import TestSupport

/// An origin, the servers that a redirect may lead to, and a manager with stores of its own.
///
/// Each server answers `/target` by `door`, so that a test can ask for a credential there.
final class RedirectBench: Sendable {
    let origin = LoopbackServer.started()
    let otherPort = LoopbackServer.started()
    let otherHost = LoopbackServer.started(address: "127.0.0.2")
    let secure: LoopbackServer
    let secureOther: LoopbackServer
    let manager = HTTPRequestOperationManager()

    /// What came of a request.
    struct Outcome: Sendable {
        let operation: HTTPRequestOperation?
        let error: (any Error)?

        var status: Int? { operation?.response?.statusCode }
        var code: URLError.Code? { (error as? URLError)?.code }
        var url: URL? { operation?.response?.url }
        var text: String? { operation?.responseString }
    }

    init(
        door: @escaping @Sendable (RecordedRequest) -> ScriptedResponse = { _ in .text("target") }
    ) throws {
        let root = try TLSIdentity(.authority("bench root"))
        let identity = try TLSIdentity(.loopback, signedBy: root)
        secure = .started(tls: TLSSettings(identity))
        secureOther = .started(address: "127.0.0.2", tls: TLSSettings(identity))
        for server in [origin, otherPort, otherHost, secure, secureOther] {
            server.add("/target", door)
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Certificate(der: root.der)]
        manager.securityPolicy = policy
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = .global()
        manager.configuration.cookieStorage = CookieStorage()
        manager.configuration.credentialStorage = CredentialStorage()
        manager.configuration.responseCache = nil
    }

    deinit {
        for server in [origin, otherPort, otherHost, secure, secureOther] { server.stop() }
    }

    /// Runs a request with the manager's headers and settings to its end.
    func run(
        _ url: String, _ method: String = "GET", timeout: TimeInterval = 30,
        configure: (HTTPRequestOperation) -> Void = { _ in },
        change: (inout URLRequest) -> Void = { _ in }
    ) async throws -> Outcome {
        var request = try manager.requestSerializer.request(
            method: method, urlString: url, parameters: nil)
        request.timeoutInterval = timeout
        change(&request)
        let made = request
        return await withCheckedContinuation { end in
            let operation = manager.httpRequestOperation(with: made) { operation, _ in
                end.resume(returning: Outcome(operation: operation, error: nil))
            } failure: {
                end.resume(returning: Outcome(operation: $0, error: $1))
            }
            configure(operation)
            manager.enqueue(operation)
        }
    }

    /// Adds `/start` to a server: it leads to a place.
    func lead(from server: LoopbackServer? = nil, to target: String, status: Int = 302) {
        (server ?? origin).add("/start") { _ in .redirect(to: target, status: status) }
    }

    var start: String { origin.url("/start").absoluteString }
}

extension RecordedRequest {
    /// Whether anything of what makes a client known stands in its head.
    func shows(_ secret: String) -> Bool {
        let coded = Data("user:\(secret)".utf8).base64EncodedString()
        return headers["Authorization"] != nil
            || ([target] + headers.all.map(\.value)).contains {
                $0.contains(secret) || $0.contains(coded)
            }
    }
}
