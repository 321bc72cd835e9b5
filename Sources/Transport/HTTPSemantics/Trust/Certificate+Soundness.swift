import COpenSSL
import Foundation

// Certificates that OpenSSL refuses and the RFCs allow, such as those of macOS's assistant.

extension Certificate {
    /// Whether it is an authority whose extended key usage is `any` (RFC 5280 section 4.2.1.12).
    var signsForAnyUse: Bool {
        let usage = X509_get_extended_key_usage(pointer)
        // All bits set: there is no such extension.
        return usage != .max && usage & UInt32(XKU_ANYEKU) != 0 && X509_check_ca(pointer) == 1
    }

    /// Whether an authority's RSA key signed it, where its two algorithm identifiers differ only in
    /// parameters: NULL in one, absent in the other, which must be accepted (RFC 4055 section 5).
    /// OpenSSL compares their bytes.
    func isSigned(by authority: Certificate) -> Bool {
        var outer: UnsafePointer<X509_ALGOR>?
        var signature: UnsafePointer<ASN1_BIT_STRING>?
        X509_get0_signature(&signature, &outer, pointer)
        guard let signature, let digest = Self.digest(outer),
            digest == Self.digest(X509_get0_tbs_sigalg(pointer)),
            let key = X509_get0_pubkey(authority.pointer), EVP_PKEY_get_id(key) == EVP_PKEY_RSA,
            let signed, let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1 else { return false }
        return signed.withUnsafeBytes { bytes in
            EVP_DigestVerify(
                context, ASN1_STRING_get0_data(signature), Int(ASN1_STRING_length(signature)),
                bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) == 1
        }
    }

    /// The digest of an RSA with SHA-2 identifier whose parameters are absent or NULL.
    private static func digest(_ algorithm: UnsafePointer<X509_ALGOR>?) -> OpaquePointer? {
        var (object, kind, value): (OpaquePointer?, Int32, UnsafeRawPointer?) = (nil, 0, nil)
        X509_ALGOR_get0(&object, &kind, &value, algorithm)
        guard kind == V_ASN1_NULL || kind == V_ASN1_UNDEF else { return nil }
        switch OBJ_obj2nid(object) {
        case NID_sha256WithRSAEncryption: return EVP_sha256()
        case NID_sha384WithRSAEncryption: return EVP_sha384()
        case NID_sha512WithRSAEncryption: return EVP_sha512()
        default: return nil
        }
    }

    /// The signed bytes: the first element of the certificate (RFC 5280 section 4.1).
    private var signed: Data? {
        der.withUnsafeBytes { bytes in
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            var (next, length, tag, kind) = (start, 0, Int32(0), Int32(0))
            guard let start, ASN1_get_object(&next, &length, &tag, &kind, bytes.count) & 0x80 == 0,
                let first = next,
                ASN1_get_object(&next, &length, &tag, &kind, bytes.count - (first - start)) & 0x80
                    == 0, let content = next
            else { return nil }
            return Data(bytes: first, count: content - first + length)
        }
    }
}
