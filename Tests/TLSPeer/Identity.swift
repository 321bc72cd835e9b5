import COpenSSL
package import CurlConnection
package import Foundation

/// A certificate with its key, made in the test that uses it, so nothing in the repository expires.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own inside the key.
package final class Identity: @unchecked Sendable {
    // @unchecked because the key is never changed after this, and OpenSSL counts its owners itself.
    let key: OpaquePointer
    package let certificate: Certificate
    private let subject: String

    /// What a certificate is to say.
    package struct Form: Sendable {
        package var commonName: String
        /// subjectAltName as OpenSSL's configuration spells it: `DNS:localhost,IP:127.0.0.1`.
        package var names: String?
        package var isAuthority = false
        package var usage: String? = "serverAuth"
        /// Seconds from now.
        package var start: TimeInterval = -86_400
        package var end: TimeInterval = 864_000
        /// 0 makes a P-256 key.
        package var rsaBits: UInt32 = 0
        /// Takes this key in place of a new one.
        package var key: Identity?
        package var usesSHA1 = false

        package init(_ commonName: String, names: String? = nil) {
            self.commonName = commonName
            self.names = names
        }

        package static func authority(_ commonName: String) -> Form {
            var form = Form(commonName)
            form.isAuthority = true
            form.usage = nil
            return form
        }
    }

    /// Makes a certificate, signed by another identity or by itself.
    ///
    /// - Throws: `TLSPeerError` when OpenSSL refuses a part of the form.
    package init(_ form: Form, signedBy issuer: Identity? = nil) throws {
        let key = try Self.key(form)
        guard let draft = X509_new() else {
            EVP_PKEY_free(key)
            throw TLSPeerError("X509_new")
        }
        defer { X509_free(draft) }
        self.key = key
        subject = form.commonName
        certificate = try Self.fill(draft, form, key, issuer)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    private static func key(_ form: Form) throws -> OpaquePointer {
        if let other = form.key {
            EVP_PKEY_up_ref(other.key)
            return other.key
        }
        let key = form.rsaBits > 0 ? copenssl_new_rsa_key(form.rsaBits) : copenssl_new_p256_key()
        guard let key else { throw TLSPeerError("no key") }
        return key
    }

    private static func fill(
        _ draft: OpaquePointer, _ form: Form, _ key: OpaquePointer, _ issuer: Identity?
    ) throws -> Certificate {
        X509_set_version(draft, 2)
        ASN1_INTEGER_set(X509_get_serialNumber(draft), Int.random(in: 1...Int(Int32.max)))
        X509_gmtime_adj(X509_getm_notBefore(draft), Int(form.start))
        X509_gmtime_adj(X509_getm_notAfter(draft), Int(form.end))
        X509_set_pubkey(draft, key)
        name(X509_get_subject_name(draft), form.commonName)
        name(X509_get_issuer_name(draft), issuer?.subject ?? form.commonName)
        var extensions: [(Int32, String)] = [
            (NID_basic_constraints, form.isAuthority ? "critical,CA:TRUE" : "critical,CA:FALSE"),
            (NID_subject_key_identifier, "hash"),
        ]
        if form.isAuthority { extensions.append((NID_key_usage, "critical,keyCertSign,cRLSign")) }
        if let usage = form.usage { extensions.append((NID_ext_key_usage, usage)) }
        if let names = form.names { extensions.append((NID_subject_alt_name, names)) }
        for (kind, text) in extensions {
            guard copenssl_add_extension(draft, draft, kind, text) == 1 else {
                throw TLSPeerError("extension \(text)")
            }
        }
        guard X509_sign(draft, issuer?.key ?? key, form.usesSHA1 ? EVP_sha1() : EVP_sha256()) > 0
        else { throw TLSPeerError("X509_sign") }
        return try Certificate(der: bytes(of: draft))
    }

    private static func name(_ name: OpaquePointer?, _ text: String) {
        // 0x1000 is MBSTRING_UTF8.
        X509_NAME_add_entry_by_txt(name, "CN", 0x1000, text, -1, -1, 0)
    }

    private static func bytes(of draft: OpaquePointer) -> Data {
        var bytes = [UInt8](repeating: 0, count: Int(max(i2d_X509(draft, nil), 0)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            _ = i2d_X509(draft, &next)
        }
        return Data(bytes)
    }
}

/// OpenSSL or the system refused what a test peer needs.
package struct TLSPeerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
