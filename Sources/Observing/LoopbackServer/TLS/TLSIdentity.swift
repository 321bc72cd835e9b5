import COpenSSL
public import Foundation
import Locking

/// A certificate with its private key, generated in memory.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own inside the key. Calls out on: nothing.
public final class TLSIdentity: Sendable {
    /// The contents of a certificate.
    public struct Form: Sendable {
        /// The host names and addresses that loopback servers usually have.
        public static let loopbackNames = "DNS:localhost,IP:127.0.0.1,IP:127.0.0.2,IP:::1"

        /// The subject's common name.
        public var commonName: String
        /// The subjectAltName as OpenSSL's configuration spells it: `DNS:localhost,IP:127.0.0.1`.
        public var names: String?
        /// Whether it may sign other certificates.
        public var isAuthority = false
        /// How many authorities may follow below this one; nil leaves it open.
        public var pathLength: Int?
        /// Further extensions by OpenSSL's short name and text; `DER:` and hexadecimal gives bytes.
        public var others: [(name: String, text: String)] = []
        /// The extended key usage by OpenSSL's name; nil leaves it out.
        public var usage: String? = "serverAuth"
        /// The first moment at which it is valid, in seconds from now.
        public var start: TimeInterval = -86_400
        /// The last moment at which it is valid, in seconds from now.
        public var end: TimeInterval = 864_000
        /// The bits of an RSA key; 0 makes a P-256 key.
        public var rsaBits: UInt32 = 0
        /// The identity whose key is used; nil makes a new key.
        public var key: TLSIdentity?
        /// Whether it is signed with SHA-1, which a strict client refuses.
        public var usesSHA1 = false

        /// A server's certificate.
        public init(_ commonName: String, names: String? = nil) {
            self.commonName = commonName
            self.names = names
        }

        /// A certificate that signs others.
        public static func authority(_ commonName: String) -> Form {
            var form = Form(commonName)
            form.isAuthority = true
            form.usage = nil
            return form
        }

        /// A certificate for `localhost` and the loopback addresses.
        public static var loopback: Form { Form("localhost", names: loopbackNames) }

        /// A client's certificate.
        public static func client(_ commonName: String) -> Form {
            var form = Form(commonName)
            form.usage = "clientAuth"
            return form
        }
    }

    /// The certificate, DER (RFC 5280 section 4.1).
    public let der: Data
    private let owner: OwnedPointer
    /// OpenSSL's `EVP_PKEY`, which this object owns.
    package var key: OpaquePointer { owner.pointer }
    private let subject: String

    /// Makes a certificate, signed by another identity or by itself.
    ///
    /// - Throws: `LoopbackServerError.tls` when OpenSSL refuses a part of the form.
    public init(_ form: Form, signedBy issuer: TLSIdentity? = nil) throws(LoopbackServerError) {
        copenssl_stay_through_exit()
        owner = try Self.key(form)
        der = try CertificateDraft(form, key: owner.pointer, issuer: issuer?.subject)
            .signed(by: (issuer?.owner ?? owner).pointer, form.usesSHA1 ? EVP_sha1() : EVP_sha256())
        subject = form.commonName
    }

    private static func key(_ form: Form) throws(LoopbackServerError) -> OwnedPointer {
        if let other = form.key { return other.owner }
        let key = form.rsaBits > 0 ? copenssl_new_rsa_key(form.rsaBits) : copenssl_new_p256_key()
        guard let key else { throw .tls("no key") }
        return OwnedPointer(key, free: EVP_PKEY_free)
    }

    // MARK: Text

    /// The certificate as PEM text (RFC 7468).
    ///
    /// Other clients trust an authority through a file with this text: `SSL_CERT_FILE`, `--cacert`.
    public var pem: Data { Self.pem(der) }

    /// The private key as PEM text, not encrypted; empty when OpenSSL cannot write it.
    public var keyPEM: Data {
        guard let memory = BIO_new(BIO_s_mem()) else { return Data() }
        defer { BIO_free(memory) }
        PEM_write_bio_PrivateKey(memory, key, nil, nil, 0, nil, nil)
        var text = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(memory, &text, Int32(text.count))
        return Data(text.prefix(Int(max(count, 0))))
    }

    /// A certificate's bytes as PEM text.
    public static func pem(_ der: Data) -> Data {
        let options: Data.Base64EncodingOptions = [.lineLength64Characters, .endLineWithLineFeed]
        let text = der.base64EncodedString(options: options)
        return Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8)
    }
}

/// A certificate that is filled in and not signed yet.
///
/// ## Concurrency
/// One draft belongs to one thread.
final class CertificateDraft {
    private var draft: OpaquePointer?

    init(
        _ form: TLSIdentity.Form, key: OpaquePointer, issuer: String?
    ) throws(LoopbackServerError) {
        draft = X509_new()
        X509_set_version(draft, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(draft), Int.random(in: 1...Int(Int32.max)))
        X509_gmtime_adj(X509_getm_notBefore(draft), Int(form.start))
        X509_gmtime_adj(X509_getm_notAfter(draft), Int(form.end))
        X509_set_pubkey(draft, key)
        try write(form.commonName, into: X509_get_subject_name(draft))
        try write(issuer ?? form.commonName, into: X509_get_issuer_name(draft))
        for (kind, text) in Self.extensions(form) {
            guard copenssl_add_extension(draft, draft, kind, text) == 1 else {
                throw .tls("extension \(text)")
            }
        }
    }

    deinit {
        X509_free(draft)
    }

    func signed(
        by key: OpaquePointer, _ digest: OpaquePointer?
    ) throws(LoopbackServerError) -> Data {
        guard X509_sign(draft, key, digest) > 0 else { throw .tls("signature") }
        var bytes = [UInt8](repeating: 0, count: Int(max(i2d_X509(draft, nil), 0)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            _ = i2d_X509(draft, &next)
        }
        return Data(bytes)
    }

    private static func extensions(_ form: TLSIdentity.Form) -> [(Int32, String)] {
        let below = form.pathLength.map { ",pathlen:\($0)" } ?? ""
        var found: [(Int32, String)] = [
            (
                NID_basic_constraints,
                form.isAuthority ? "critical,CA:TRUE\(below)" : "critical,CA:FALSE"
            ),
            (NID_subject_key_identifier, "hash"),
        ]
        if form.isAuthority { found.append((NID_key_usage, "critical,keyCertSign,cRLSign")) }
        if let usage = form.usage { found.append((NID_ext_key_usage, usage)) }
        if let names = form.names { found.append((NID_subject_alt_name, names)) }
        return found + form.others.map { (OBJ_sn2nid($0.name), $0.text) }
    }

    private func write(
        _ text: String, into name: OpaquePointer?
    ) throws(LoopbackServerError) {
        // 0x1000 is MBSTRING_UTF8. The count is given because a name may hold a NUL.
        let isWritten = X509_NAME_add_entry_by_txt(
            name, "CN", 0x1000, text, Int32(text.utf8.count), -1, 0)
        guard isWritten == 1 else { throw .tls("common name \(text)") }
    }
}
