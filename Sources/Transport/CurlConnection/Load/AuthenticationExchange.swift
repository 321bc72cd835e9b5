import Foundation
import FoundationNetworking
import HTTPSemantics

/// The authentication of one load: turns the heads of challenges into tries, and tries into header
/// fields or a login for libcurl.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none. Calls out: asks the connection's delegate, on that
/// thread, whether the storage may be used.
struct AuthenticationExchange {
    /// Nil until a server or a proxy challenges.
    private var tries: AuthenticationTries?
    private var url: URL?
    private var proxy: Proxy?

    /// The schemes that can be carried out; NTLM and Negotiate are options of libcurl's build.
    private static let methods: Set<AuthenticationOffer.Method> = {
        let schemes: [(AuthenticationOffer.Method, Bool)] = [
            (.basic, true), (.digest, true), (.ntlm, CurlGlobal.hasNTLM),
            (.negotiate, CurlGlobal.hasNegotiate),
        ]
        return Set(schemes.filter(\.1).map(\.0))
    }()

    /// To be called before each request.
    mutating func willSend(to url: URL, through proxy: Proxy?) {
        if tries != nil {
            if proxy != self.proxy { tries?.leavesProxy() }
            tries?.moves(to: AuthenticationTarget(origin: url))
        }
        self.url = url
        self.proxy = proxy
    }

    // MARK: On the wire

    /// Whether the server gets a credential that is not in the request.
    var hasCredential: Bool { tries?.attempt(for: .origin) != nil }

    /// The value of the field Authorization, or Proxy-Authorization, of the next request; nil where
    /// libcurl writes it or there is none.
    ///
    /// - Parameter method: that of the request to the server.
    mutating func authorization(
        for role: AuthenticationTarget.Role, method: String
    ) -> String? {
        guard let url, transport(for: role) == nil else { return nil }
        let isTunnel = role == .proxy && !isForwarded
        return tries?.authorization(
            for: role, method: isTunnel ? "CONNECT" : method,
            target: isTunnel ? url.tunnelTarget : url.requestTarget)
    }

    /// The login that libcurl carries out; a proxy's Basic too, which it writes into CONNECT.
    func transport(for role: AuthenticationTarget.Role) -> TransferAuthentication? {
        guard let attempt = tries?.attempt(for: role), attempt.offer.digest == nil else {
            return nil
        }
        return role == .origin && attempt.offer.method == .basic
            ? nil : TransferAuthentication(attempt)
    }

    // MARK: Heads

    /// Reads a head.
    ///
    /// - Returns: what to do where it is a challenge that can be answered here; nil otherwise. `goOn`
    ///   makes the challenge the response.
    mutating func received(
        _ head: ResponseHead, requests: Int, in connection: URLConnection
    ) -> LoadStep? {
        for attempt in tries?.received(status: head.statusCode) ?? [] {
            if connection.mayUseCredentialStorage, attempt.credential.persistence != .none {
                connection.configuration.credentialStorage?.remember(
                    attempt.credential, for: attempt.offer.space)
            }
        }
        guard let target = target(asking: head.statusCode),
            target.role == .origin || isForwarded
        else { return nil }
        return refused(by: target, head, requests: requests, in: connection)
    }

    mutating func refusedTunnel(
        _ head: ResponseHead, requests: Int, in connection: URLConnection
    ) -> LoadStep? {
        guard let target = target(asking: 407) else { return nil }
        return refused(by: target, head, requests: requests, in: connection)
    }

    mutating func answered(_ answer: ChallengeAnswer, in connection: URLConnection) -> LoadStep {
        switch answer {
        case .use(let credential):
            answered(.use(credential), connection)
        case .continueWithoutCredential:
            answered(.continueWithoutCredential, connection)
        case .rejectProtectionSpace:
            answered(.rejectProtectionSpace, connection)
        case .performDefaultHandling(let proposed):
            answered(proposed.map { .use($0) } ?? .continueWithoutCredential, connection)
        case .cancel:
            .fail(
                URLError(
                    .userCancelledAuthentication, url: url, text: "The challenge was cancelled."))
        case .abandoned:
            .fail(
                URLError(
                    .userCancelledAuthentication, url: url,
                    text: "The challenge was never answered; keep it until you call its sender."))
        }
    }

    private mutating func answered(
        _ answer: AuthenticationTries.Answer, _ connection: URLConnection
    ) -> LoadStep {
        step(tries?.answered(answer) ?? .show, connection)
    }

    /// Whether the proxy sees requests and answers them: one that tunnels, or passes bytes on, has nothing to say
    /// in a response, so a 407 there is the server's own.
    private var isForwarded: Bool {
        proxy?.kind.isHTTP == true && url?.scheme?.lowercased() == "http"
    }

    private func target(asking status: Int) -> AuthenticationTarget? {
        switch status {
        case 401: url.flatMap { AuthenticationTarget(origin: $0) }
        case 407: proxy.map { AuthenticationTarget(proxy: $0.host, port: $0.port, type: $0.type) }
        default: nil
        }
    }

    private mutating func refused(
        by target: AuthenticationTarget, _ head: ResponseHead, requests: Int,
        in connection: URLConnection
    ) -> LoadStep? {
        let offers = AuthenticationOffer.offers(
            in: head.values(of: target.challengeField), by: target, methods: Self.methods)
        guard !offers.isEmpty else { return nil }
        let isOrigin = target.role == .origin
        let storage =
            connection.mayUseCredentialStorage ? connection.configuration.credentialStorage : nil
        let first = connection.originalRequest.url
        let isFirst = isOrigin && Origin.isSame(first, url)
        var tries = tries ?? AuthenticationTries()
        tries.moves(to: url.flatMap { AuthenticationTarget(origin: $0) })
        defer { self.tries = tries }
        return step(
            tries.refused(
                by: target.role, offers: offers, requests: requests,
                proposed: isFirst ? first.flatMap(URLUserInfo.credential) : nil,
                stored: { [proxy] space in
                    proxy?.login(for: space) ?? storage?.defaultCredential(for: space)
                }), connection)
    }

    private func step(
        _ step: AuthenticationTries.Step, _ connection: URLConnection
    ) -> LoadStep {
        switch step {
        case .send: .send(connection.currentRequest)
        case .ask(let question): .ask(question)
        case .show: .goOn
        case .giveUp(let text):
            .fail(URLError(.userAuthenticationRequired, url: url, text: text))
        }
    }
}

extension TransferAuthentication {
    fileprivate init(_ attempt: AuthenticationAttempt) {
        self.init(
            scheme: attempt.offer.method, user: attempt.credential.user ?? "",
            password: attempt.credential.password ?? "", requestLimit: attempt.requestLimit)
    }
}

extension Proxy {
    /// Its own login, which is tried first. As Basic it was sent already.
    fileprivate func login(for space: URLProtectionSpace) -> URLCredential? {
        guard space.isProxy(), space.authenticationMethod != NSURLAuthenticationMethodHTTPBasic
        else { return nil }
        return user.map { URLCredential(user: $0, password: password ?? "", persistence: .none) }
    }

    fileprivate var type: String {
        kind == .https ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy
    }
}
