import COpenSSL
public import Foundation
public import FoundationNetworking

/// A client certificate with its key, for a server that asks for one.
///
/// It is never stored or archived. Its descriptions show the certificates, never the key or a
/// password. Two are equal when their certificates are, since a certificate
/// determines its key.
public final class ClientCertificateCredential: URLCredential, @unchecked Sendable {
    // @unchecked because the base class is immutable, and so is what is added.

    /// The certificate of the key, then intermediates towards an authority.
    public let certificates: [Certificate]
    private let key: ClientKey

    /// Opens a PKCS#12 file (`.p12`, `.pfx`).
    ///
    /// - Parameters:
    ///   - pkcs12: the whole file, DER.
    ///   - password: the file's password; an empty text where it has none.
    /// - Throws: `ClientCertificateError`.
    public init(pkcs12: Data, password: String) throws {
        let file = try PKCS12File(pkcs12, password: password)
        certificates = file.certificates
        key = file.key
        super.init(user: "", password: "", persistence: .none)
    }

    /// Joins certificates and a key.
    ///
    /// - Parameters:
    ///   - certificates: the key's own first, then intermediates towards an authority.
    ///   - privateKey: PEM or DER, not protected by a password: PKCS#8, or the older forms for RSA
    ///     and elliptic curves.
    /// - Throws: `ClientCertificateError`.
    public init(certificates: [Certificate], privateKey: Data) throws {
        guard let leaf = certificates.first else { throw ClientCertificateError.noCertificate }
        let key = try ClientKey.read(privateKey)
        guard key.belongs(to: leaf) else { throw ClientCertificateError.keyDoesNotMatch }
        self.certificates = certificates
        self.key = key
        super.init(user: "", password: "", persistence: .none)
    }

    /// Always fails, because a key is never archived.
    ///
    /// - Returns: nil.
    public required init?(coder: NSCoder) {
        nil
    }

    /// SHA-256 over the certificates. Connections with different client certificates are never
    /// shared.
    package var identity: Data {
        let all = certificates.reduce(into: Data()) { $0 += $1.der }
        return FileSum.Kind.sha256.sum(of: all) ?? Data()
    }

    /// Makes a TLS context send this certificate when a server asks for one.
    ///
    /// - Parameter sslContext: an `SSL_CTX`, which keeps references of its own.
    /// - Returns: false when OpenSSL refuses it, for example because the key is too weak for its
    ///   level.
    package func install(in sslContext: OpaquePointer) -> Bool {
        guard let leaf = certificates.first else { return false }
        return OpenSSLGate.discardingErrors(atExit: false) {
            let others = OpenSSLValue.list(of: certificates.dropFirst().map(\.pointer))
            defer { OPENSSL_sk_free(others) }
            return SSL_CTX_use_cert_and_key(
                sslContext, leaf.pointer, key.pointer, others, 1) == 1
        }
    }

    /// Equal certificates are equal credentials.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? ClientCertificateCredential)?.certificates == certificates
    }

    /// Hashes the certificates.
    public override var hash: Int { certificates.hashValue }
}

/// The authentication method of a challenge that asks for a client certificate.
///
/// The string is that of Apple's systems. Foundation on Linux declares the name as unavailable.
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

extension URLProtectionSpace {
    /// The authorities whose client certificates a server accepts, each a distinguished name in
    /// DER; empty when the server names none. Nil unless the method is
    /// `NSURLAuthenticationMethodClientCertificate`.
    ///
    /// Apple's name is `distinguishedNames`, which Foundation on Linux has and leaves nil.
    public var clientCertificateIssuers: [Data]? { (self as? ClientCertificateSpace)?.issuers }
}

/// The protection space of a client-certificate challenge: a subclass, because an extension cannot
/// store the issuers.
package final class ClientCertificateSpace: URLProtectionSpace, @unchecked Sendable {
    // @unchecked because the base class does not restate its conformance; the only property is
    // constant.
    package let issuers: [Data]

    /// - Parameter issuers: the distinguished names that the server sent, DER.
    package init(host: String, port: Int, issuers: [Data]) {
        self.issuers = issuers
        super.init(
            host: host, port: port, protocol: "https", realm: nil,
            authenticationMethod: "NSURLAuthenticationMethodClientCertificate")
    }
}

/// Why a client certificate cannot be used.
public enum ClientCertificateError: Int, Error, LocalizedError, Sendable {
    /// There is no certificate, or none that belongs to the key.
    case noCertificate = 1
    /// The bytes are not one PKCS#12 file in DER with an integrity code (MAC).
    case notPKCS12 = 2
    /// The password does not open the PKCS#12 file, or the file was changed.
    case wrongPassword = 3
    /// The PKCS#12 file is protected by an algorithm that this system's OpenSSL does not have.
    case unsupportedProtection = 4
    /// There is no private key in PEM or DER.
    case noKey = 5
    /// The key is encrypted; a key in a PKCS#12 file may be, a separate key may not.
    case encryptedKey = 6
    /// The key does not belong to the first certificate.
    case keyDoesNotMatch = 7

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .noCertificate: "There is no certificate that belongs to the private key."
        case .notPKCS12: "The bytes are not one PKCS#12 file."
        case .wrongPassword: "The password does not open the PKCS#12 file."
        case .unsupportedProtection:
            "The PKCS#12 file is protected by an algorithm that OpenSSL does not have here."
        case .noKey: "There is no private key in PEM or DER."
        case .encryptedKey:
            "The private key is protected by a password; give it in a PKCS#12 file, or unprotected."
        case .keyDoesNotMatch: "The private key is not that of the first certificate."
        }
    }
}
