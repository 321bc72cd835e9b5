import Foundation
package import FoundationNetworking

/// One authentication method that a server or proxy offers and that is implemented here.
package struct AuthenticationOffer: Sendable {
    /// Strongest first, in libcurl's order, by the names of their schemes in lower case. The header fields for a
    /// server's Basic, and for Digest where `digest` is set, are written here; libcurl writes the others.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        case negotiate, digest, ntlm, basic
    }

    package let method: Method
    /// The protection space that a credential would be for.
    package let space: URLProtectionSpace
    /// The Digest challenge to answer; nil where libcurl answers, which requests a nonce itself.
    package internal(set) var digest: DigestChallenge?

    package init(method: Method, space: URLProtectionSpace, digest: DigestChallenge? = nil) {
        self.method = method
        self.space = space
        self.digest = digest
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
            if method == .digest { return digest(challenges, by: target) }
            return challenges.first { $0.isScheme(method.rawValue) }.map {
                AuthenticationOffer(
                    method: method,
                    space: target.space(
                        realm: $0.parameters["realm"], method: method.authenticationMethod))
            }
        }
    }

    /// The first Digest challenge that can be answered, since servers list the preferred one first.
    ///
    /// A challenge that is not ASCII is left to libcurl, which returns the server's bytes
    /// unchanged, whatever their encoding. Of several challenges libcurl would mix the parameters.
    private static func digest(
        _ challenges: [HTTPChallenge], by target: AuthenticationTarget
    ) -> AuthenticationOffer? {
        let all = challenges.filter { $0.isScheme(Method.digest.rawValue) }
        return all.lazy.compactMap { DigestChallenge($0) }.first.map {
            AuthenticationOffer(
                method: .digest,
                space: target.space(
                    realm: $0.realm, method: Method.digest.authenticationMethod),
                digest: $0.isASCII || all.count > 1 ? $0 : nil)
        }
    }

    /// Whether a credential can be sent by this method.
    ///
    /// Negotiate uses the process's Kerberos ticket and no password; an empty user and password
    /// stand for it. Digest writes the user name into a header field unchanged, so the name must
    /// not contain a control byte. libcurl reads names up to the first NUL.
    func canCarry(_ credential: URLCredential) -> Bool {
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
    /// for other methods.
    package func authorization(with credential: URLCredential) -> String? {
        guard method == .basic else { return nil }
        return Self.basic("\(credential.user ?? ""):\(credential.password ?? "")")
    }

    static func basic(_ login: String) -> String {
        "Basic " + Data(login.utf8).base64EncodedString()
    }
}

extension AuthenticationOffer.Method {
    /// Foundation's name of the method.
    package var authenticationMethod: String {
        switch self {
        case .negotiate: NSURLAuthenticationMethodNegotiate
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .ntlm: NSURLAuthenticationMethodNTLM
        case .basic: NSURLAuthenticationMethodHTTPBasic
        }
    }
}

extension AuthenticationOffer {
    private var isOneRequest: Bool { method == .basic || digest != nil }

    var usualRequests: Int { isOneRequest || method == .negotiate ? 1 : 2 }

    /// How many requests one attempt may take: libcurl's nonce may be stale, and a Kerberos ticket
    /// may need a second round.
    var mostRequests: Int { isOneRequest ? 1 : 3 }
}
