import CurlConnection
import Foundation
public import FoundationNetworking

/// Makes the transfers that `SharedTransfers` shares; each manager of the package can.
public protocol TransferStarting: AnyObject, Sendable {
    /// Called once with the response and either the object that was made of it or an error.
    typealias TransferCompletion =
        @Sendable (_ response: URLResponse?, _ object: sending Any?, _ error: (any Error)?) -> Void

    /// Makes a transfer, without starting it.
    ///
    /// - Parameter completion: called on any thread when the transfer has ended, even if it was
    ///   cancelled; need not be called for one that was never started.
    func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle

    /// The user for whom a request is sent, as far as the request does not say it: a credential, cookies, a
    /// token.
    ///
    /// Equal requests share a transfer only if this is equal too. Nil, the default, is for a manager that adds
    /// nothing to requests. To share nothing, return a value that equals no other, such as a `UUID`. Called for
    /// each request, on the caller's thread. The package's managers do not include a credential that is found
    /// when a server asks for one, nor what a subclass adds.
    func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)?
}

extension TransferStarting {
    /// Nil, for a manager that adds nothing to requests.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? { nil }
}

/// One transfer of a manager.
public protocol TransferHandle: AnyObject, Sendable {
    /// Called with the received and the expected number of bytes; -1 if unknown.
    typealias ProgressBlock = @Sendable (_ received: Int64, _ expected: Int64) -> Void

    /// Starts the transfer; called once at most.
    func start()
    /// Cancels it; it then ends with an error.
    func cancel()
    /// Adds a block that is called on any thread while the body is received.
    func addProgressBlock(_ block: @escaping ProgressBlock)
}

extension HTTPRequestOperationManager: TransferStarting {
    /// An operation, which enters the manager's queue when the transfer is started.
    public func transfer(
        for request: URLRequest, completion: @escaping TransferCompletion
    ) -> any TransferHandle {
        let operation = httpRequestOperation(with: request) { operation, object in
            completion(operation.response, object, nil)
        } failure: { operation, error in
            completion(operation?.response, nil, error)
        }
        return OperationTransfer(operation, self)
    }

    /// The manager's credential, the client's certificate, and the cookies of the request.
    public func sharingIdentity(for request: URLRequest) -> (any Hashable & Sendable)? {
        let configuration = configuration
        return SharingIdentity(
            answers: credential, certificate: configuration.clientCertificate,
            cookies: configuration.cookieHeader(for: request))
    }
}

final class OperationTransfer: TransferHandle {
    let operation: HTTPRequestOperation
    private let manager: HTTPRequestOperationManager

    init(_ operation: HTTPRequestOperation, _ manager: HTTPRequestOperationManager) {
        self.operation = operation
        self.manager = manager
    }

    func start() {
        manager.enqueue(operation)
    }

    func cancel() {
        operation.cancel()
    }

    func addProgressBlock(_ block: @escaping ProgressBlock) {
        operation.addProgressBlock(for: .download, block)
    }
}

/// What two requests must have in common to share a transfer.
///
/// With `equalRequests`, only GET and HEAD are shared, and none with a body stream. Everything that may change
/// the response must be equal, and every header field that may contain a credential. Timeouts and priorities may
/// differ. With `equalURLs`, the URL alone counts.
package struct SharingKey: Hashable, Sendable {
    private let url: String
    private var method = ""
    private var body: Data?
    private var reloads = false
    private var loads = true
    private var sendsCookies = true
    private var fields: [String: String] = [:]
    private var identity: Identity?
    /// For a request that is never shared.
    private var own: UUID?

    /// Names, in lower case, of header fields that may differ.
    private static let ignoredFields: Set = [
        "accept", "accept-encoding", "accept-language", "dnt", "priority", "user-agent",
    ]

    /// What `TransferStarting.sharingIdentity(for:)` returned.
    private struct Identity: Hashable, Sendable {
        let value: any Hashable & Sendable

        static func == (one: Identity, other: Identity) -> Bool {
            AnyHashable(one.value) == AnyHashable(other.value)
        }

        func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// - Parameter starter: makes the transfer; nil to compare the requests alone.
    package init(
        _ request: URLRequest, _ rule: TransferJoining, for starter: (any TransferStarting)?
    ) {
        url = request.url?.absoluteString ?? ""
        guard rule == .equalRequests else { return }
        identity = starter?.sharingIdentity(for: request).map(Identity.init)
        method = request.httpMethod ?? "GET"
        body = request.httpBody
        reloads = !request.usesStoredAnswers
        // A caller that allows a load must not get the error of a transfer that does not.
        loads = request.cachePolicy != .returnCacheDataDontLoad
        sendsCookies = request.httpShouldHandleCookies
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            if !Self.ignoredFields.contains(name) { fields[name] = value }
        }
        if !["GET", "HEAD"].contains(method) || request.httpBodyStream != nil { own = UUID() }
    }
}

extension URLRequest {
    /// Whether the cache policy allows a stored response.
    package var usesStoredAnswers: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}

/// The user for whom a manager sends a request, as far as the request does not say it.
package struct SharingIdentity: Hashable, Sendable {
    /// The object that answers challenges, compared by identity.
    private let answers: (any AnyObject & Sendable)?
    /// The client's certificate, compared by identity.
    private let certificate: (any AnyObject & Sendable)?
    /// The `Cookie` field that the transport adds.
    private let cookies: String?
    /// The request that is sent, if a manager changes it.
    private let sent: SharingKey?

    package init(
        answers: (any AnyObject & Sendable)?, certificate: (any AnyObject & Sendable)?,
        cookies: String?, sent: URLRequest? = nil
    ) {
        self.answers = answers
        self.certificate = certificate
        self.cookies = cookies
        self.sent = sent.map { SharingKey($0, .equalRequests, for: nil) }
    }

    package static func == (one: SharingIdentity, other: SharingIdentity) -> Bool {
        one.answers === other.answers && one.certificate === other.certificate
            && one.cookies == other.cookies && one.sent == other.sent
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(answers.map { ObjectIdentifier($0) })
        hasher.combine(certificate.map { ObjectIdentifier($0) })
        hasher.combine(cookies)
        hasher.combine(sent)
    }
}
