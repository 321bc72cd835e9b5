import CurlConnection
import OperationNetworking
import TestSupport

/// What came of a request.
struct Answered: Sendable {
    let operation: HTTPRequestOperation?
    let error: (any Error)?

    var status: Int? { operation?.response?.statusCode }
    var code: URLError.Code? { (error as? URLError)?.code }
    var url: URL? { operation?.response?.url }
    var text: String? { operation?.responseString }
}

/// An origin, the servers that a redirect may lead to, and a manager with stores of its own.
extension TestWorld {
    /// - Parameter door: what each server answers to `/target`; it may ask for a credential there.
    static func redirects(
        door: @escaping @Sendable (RecordedRequest) -> ScriptedResponse = { _ in .text("target") }
    ) -> TestWorld {
        let world = TestWorld()
        for server in [
            world.server, world.otherPort, world.other, world.secure, world.secureOther,
        ] {
            server.add("/target", door)
        }
        return world
    }

    var otherPort: LoopbackServer { own(end: { $0.stop() }) { .started() } }

    var secure: LoopbackServer {
        own(end: { $0.stop() }) { .started(tls: TLSSettings(identity)) }
    }

    var secureOther: LoopbackServer {
        own(end: { $0.stop() }) { .started(address: "127.0.0.2", tls: TLSSettings(identity)) }
    }

    /// It trusts the world's authority.
    var httpManager: HTTPRequestOperationManager {
        own {
            let policy = SecurityPolicy.default()
            policy.anchorCertificates = [required { try Certificate(der: authority.der) }]
            let manager = HTTPRequestOperationManager()
            manager.securityPolicy = policy
            manager.responseSerializer = HTTPResponseSerializer()
            manager.completionQueue = .global()
            manager.configuration.cookieStorage = CookieStorage()
            manager.configuration.credentialStorage = CredentialStorage()
            manager.configuration.responseCache = nil
            return manager
        }
    }

    /// Runs a request with the manager's headers and settings to its end.
    func run(
        _ url: String, _ method: String = "GET", timeout: TimeInterval = 30,
        configure: (HTTPRequestOperation) -> Void = { _ in },
        change: (inout URLRequest) -> Void = { _ in }
    ) async throws -> Answered {
        var request = try httpManager.requestSerializer.request(
            method: method, urlString: url, parameters: nil)
        request.timeoutInterval = timeout
        change(&request)
        let made = request
        return await withCheckedContinuation { end in
            let operation = httpManager.httpRequestOperation(with: made) { operation, _ in
                end.resume(returning: Answered(operation: operation, error: nil))
            } failure: {
                end.resume(returning: Answered(operation: $0, error: $1))
            }
            configure(operation)
            httpManager.enqueue(operation)
        }
    }

    /// Adds `/start` to a server: it leads to a place.
    func lead(from server: LoopbackServer? = nil, to target: String, status: Int = 302) {
        (server ?? self.server).add("/start") { _ in .redirect(to: target, status: status) }
    }

    var start: String { address("/start") }
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
