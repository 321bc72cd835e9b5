import Foundation
package import FoundationNetworking

/// One authentication method that a server or proxy offers and that is implemented here.
package struct AuthenticationOffer: Sendable {
    /// Strongest first, in libcurl's order. The header field for Basic is written here; libcurl
    /// writes the others.
    package enum Method: Sendable, Hashable, CaseIterable {
        case negotiate, digest, ntlm, basic
    }

    package let method: Method
    /// The protection space that a credential would be for.
    package let space: URLProtectionSpace

    package init(method: Method, space: URLProtectionSpace) {
        self.method = method
        self.space = space
    }

    /// The methods that the header fields of one response offer, strongest first; none when all are
    /// unknown.
    ///
    /// Basic is offered by http as well as by https, as NSURLConnection did.
    ///
    /// - Parameters:
    ///   - fields: the values of `target.challengeField`, in their order.
    ///   - methods: those that libcurl was built with.
    package static func offers(
        in fields: [String], by target: AuthenticationTarget, methods: Set<Method>
    ) -> [AuthenticationOffer] {
        let challenges = HTTPChallenge.challenges(in: fields)
        return Method.allCases.filter(methods.contains).compactMap { method in
            let challenge =
                method == .digest
                ? digest(in: fields) : challenges.first { $0.isScheme(method.scheme) }
            return challenge.map {
                AuthenticationOffer(
                    method: method,
                    space: target.space(
                        realm: $0.parameters["realm"], method: method.authenticationMethod))
            }
        }
    }

    /// The Digest challenge that libcurl 7.88 will use; nil when it cannot use one.
    ///
    /// libcurl looks only at the first field with a Digest challenge. It reads all challenges in
    /// that field as one, of which the last algorithm and the last nonce count. It computes
    /// SHA-512-256 wrongly, hashes no body for `auth-int`, and cuts values of 1,024 bytes and more.
    private static func digest(in fields: [String]) -> HTTPChallenge? {
        let digests = fields.lazy.map { field in
            HTTPChallenge.challenges(in: [field]).filter { $0.isScheme("digest") }
        }.first { !$0.isEmpty }
        guard let digests, let first = digests.first,
            digests.allSatisfy({ $0.parameters["realm"] == first.parameters["realm"] }),
            digests.allSatisfy(isDigestPossible)
        else { return nil }
        return first
    }

    private static func isDigestPossible(_ challenge: HTTPChallenge) -> Bool {
        let parameters = challenge.parameters
        let algorithm = (parameters["algorithm"] ?? "md5").lowercased()
        let qualities = (parameters["qop"] ?? "").lowercased().split { ", \t".contains($0) }
        let hasAuth = qualities.contains("auth")
        return ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(algorithm)
            && (hasAuth || !qualities.contains("auth-int"))
            && (hasAuth || !algorithm.hasSuffix("-sess"))
            && !(parameters["nonce"] ?? "").isEmpty
            && parameters.values.allSatisfy { $0.utf8.count < 1_024 }
    }

    /// Whether a credential can be sent by this method.
    ///
    /// Negotiate uses the ticket of the process and no password; an empty user and password stand
    /// for it. Digest writes the user name into a header field unchanged, so the name may have no
    /// control byte. libcurl reads names up to the first NUL.
    package func canCarry(_ credential: URLCredential) -> Bool {
        guard !(credential is PeerTrustCredential), !(credential is ClientCertificateCredential),
            let user = credential.user, let password = credential.password
        else { return false }
        return switch method {
        case .basic: true
        case .digest:
            user.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && !password.utf8.contains(0)
        case .ntlm: !user.utf8.contains(0) && !password.utf8.contains(0)
        case .negotiate: user.isEmpty && password.isEmpty
        }
    }

    /// The whole value of the Authorization field for Basic (RFC 7617: UTF-8, a colon, base64); nil
    /// for methods whose field libcurl writes.
    package func authorization(with credential: URLCredential) -> String? {
        guard method == .basic else { return nil }
        let pair = "\(credential.user ?? ""):\(credential.password ?? "")"
        return "Basic " + Data(pair.utf8).base64EncodedString()
    }
}

extension AuthenticationOffer.Method {
    /// The scheme in lower case.
    package var scheme: String {
        switch self {
        case .negotiate: "negotiate"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .basic: "basic"
        }
    }

    /// Foundation's name for it.
    package var authenticationMethod: String {
        switch self {
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }

    /// How many requests one attempt usually takes.
    var usualRequests: Int {
        switch self {
        case .basic, .negotiate: 1
        case .digest, .ntlm: 2
        }
    }

    /// How many requests one attempt may take: a nonce may be stale, and a ticket may need a second
    /// round.
    package var mostRequests: Int { self == .basic ? 1 : 3 }
}
