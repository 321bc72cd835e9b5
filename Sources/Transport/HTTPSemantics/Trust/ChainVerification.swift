import COpenSSL
import Foundation

/// Whether valid signatures lead from a server's certificate to an anchor, and every certificate on
/// that path is valid: OpenSSL's `X509_verify_cert` (RFC 5280 section 6), for the purpose of a TLS
/// server.
///
/// The host name is not checked here. Keys under 112 bits of strength (RSA under 2,048) and SHA-1
/// signatures are refused whatever the system's configuration says. With revocation lists, a
/// current list must cover the server's own certificate, and no list may name a certificate on the
/// path.
///
/// A server's certificate that is an anchor ends the path, whatever issuers the server sends with
/// it. An authority for any extended key usage counts as one for servers, which OpenSSL requires by
/// name.
struct ChainVerification {
    /// One thing that is wrong with one certificate.
    struct Problem: Hashable {
        /// OpenSSL's `X509_V_ERR_…`.
        var code: Int32
        /// 0 is the server's own certificate.
        var depth: Int
        var subject: String

        var concernsTime: Bool {
            code == X509_V_ERR_CERT_HAS_EXPIRED || code == X509_V_ERR_CERT_NOT_YET_VALID
        }

        var isRevocation: Bool { code == X509_V_ERR_CERT_REVOKED }

        var errorCode: URLError.Code {
            switch code {
            case X509_V_ERR_CERT_HAS_EXPIRED: .serverCertificateHasBadDate
            case X509_V_ERR_CERT_NOT_YET_VALID: .serverCertificateNotYetValid
            case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                .serverCertificateHasUnknownRoot
            default: .serverCertificateUntrusted
            }
        }

        var sentence: String {
            let text = String(cString: X509_verify_cert_error_string(Int(code)))
            return "\(text) (certificate \(depth), \(subject))"
        }
    }

    /// What is wrong; empty exactly when `isValid`.
    private(set) var problems: [Problem] = []
    /// The path that was found, the server's certificate first, the anchor last; empty unless
    /// valid.
    private(set) var chain: [Certificate] = []

    var isValid: Bool { problems.isEmpty && !chain.isEmpty }

    /// Whether the server's certificate is an anchor, which its key in the handshake proves, or
    /// signatures lead from it to one and only dates are wrong.
    func isLinked(toOneOf anchors: [Certificate], from certificates: [Certificate]) -> Bool {
        guard let own = certificates.first else { return false }
        return anchors.contains(own) || !problems.isEmpty && problems.allSatisfy(\.concernsTime)
    }

    /// - Parameters:
    ///   - certificates: the server's own first; of the others those that fit are used.
    ///   - anchors: the certificates that end a path, self-signed or not.
    ///   - lists: the authorities' revocation lists; without any, revocation is not checked.
    ///   - time: the time to judge for; nil means now.
    init(
        _ certificates: [Certificate], anchors: TrustAnchors,
        revocationLists lists: [CertificateRevocationList] = [], at time: Date?
    ) {
        OpenSSLGate.discardingErrors(atExit: ()) {
            verify(certificates, anchors, lists, time)
            // OpenSSL looks for the server's certificate among the anchors last, and fails before
            // that where the rest of the chain is wrong.
            if !isValid, let own = certificates.first, anchors.contains(own) {
                endAt(own, anchors, lists, time)
            }
        }
        if !isValid {
            chain = []
            if problems.isEmpty {
                problems = [
                    Problem(code: X509_V_ERR_UNSPECIFIED, depth: 0, subject: "no certificate")
                ]
            }
        }
    }

    /// Verifies again with the server's own certificate as the anchor. Revocations of it and of its
    /// issuers still count.
    private mutating func endAt(
        _ own: Certificate, _ anchors: TrustAnchors, _ lists: [CertificateRevocationList],
        _ time: Date?
    ) {
        guard lists.isEmpty else {
            problems.removeAll { $0.depth > 0 && !$0.isRevocation }
            return chain = problems.isEmpty ? [own] : []
        }
        problems = []
        verify([own], anchors, [], time)
    }

    private mutating func verify(
        _ certificates: [Certificate], _ anchors: TrustAnchors,
        _ lists: [CertificateRevocationList], _ time: Date?
    ) {
        guard let leaf = certificates.first, let store = anchors.store,
            let context = X509_STORE_CTX_new()
        else { return }
        defer { X509_STORE_CTX_free(context) }
        let others = OpenSSLValue.list(of: certificates.map(\.pointer))
        defer { OPENSSL_sk_free(others) }
        let revoked = OpenSSLValue.list(of: lists.map(\.pointer))
        defer { OPENSSL_sk_free(revoked) }
        guard X509_STORE_CTX_init(context, store, leaf.pointer, others) == 1,
            Self.configure(X509_STORE_CTX_get0_param(context), !lists.isEmpty, time)
        else { return }
        X509_STORE_CTX_set0_crls(context, revoked)
        let found = ProblemList()
        // Slot 0 is the application's own. The callback records each problem and lets OpenSSL
        // continue, so that all problems are found; only a verification without any succeeds.
        let list = Unmanaged.passUnretained(found).toOpaque()
        guard X509_STORE_CTX_set_ex_data(context, 0, list) == 1 else { return }
        X509_STORE_CTX_set_verify_cb(context) { isGood, context in
            if isGood != 1, let list = X509_STORE_CTX_get_ex_data(context, 0) {
                Unmanaged<ProblemList>.fromOpaque(list).takeUnretainedValue().note(context)
            }
            return 1
        }
        let result = withExtendedLifetime(found) { X509_verify_cert(context) }
        problems = found.problems
        let error = X509_STORE_CTX_get_error(context)
        if problems.isEmpty, result != 1 || error != X509_V_OK {
            problems = [Problem(code: error, depth: 0, subject: leaf.subject)]
        }
        if problems.isEmpty, let way = X509_STORE_CTX_get0_chain(context) {
            chain = Certificate.all(in: way)
        }
    }

    private static func configure(
        _ parameters: OpaquePointer?, _ looksForRevoked: Bool, _ time: Date?
    ) -> Bool {
        if let time {
            let seconds = time.timeIntervalSince1970
            // A certificate has no year of five digits, and NaN is no date.
            let last: TimeInterval = 253_402_300_799
            X509_VERIFY_PARAM_set_time(parameters, seconds > 0 ? time_t(min(seconds, last)) : 0)
        }
        X509_VERIFY_PARAM_set_auth_level(parameters, 2)
        var flags = X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST
        if looksForRevoked {
            flags |= X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL
        }
        return X509_VERIFY_PARAM_set_flags(parameters, UInt(flags)) == 1
            && X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_SSL_SERVER) == 1
            && X509_VERIFY_PARAM_set_trust(parameters, X509_TRUST_SSL_SERVER) == 1
    }

    /// The problems that OpenSSL's callback reports.
    ///
    /// ## Concurrency
    /// Call from: the thread that verifies. Lock: none.
    private final class ProblemList {
        private(set) var problems: [Problem] = []

        func note(_ context: OpaquePointer?) {
            let code = X509_STORE_CTX_get_error(context)
            let depth = Int(X509_STORE_CTX_get_error_depth(context))
            // Authorities on the path are looked up in the given lists, if any. The last one is the
            // anchor, so it needs no list.
            let last = X509_STORE_CTX_get0_chain(context).map { Int(OPENSSL_sk_num($0)) - 1 }
            if depth > 0,
                code == X509_V_ERR_UNABLE_TO_GET_CRL
                    || code == X509_V_ERR_CRL_SIGNATURE_FAILURE && depth == last
            {
                return X509_STORE_CTX_set_error(context, X509_V_OK)
            }
            let certificate = X509_STORE_CTX_get_current_cert(context).flatMap {
                Certificate(sharing: $0)
            }
            if let certificate, isSound(certificate, in: context, code, depth) {
                return X509_STORE_CTX_set_error(context, X509_V_OK)
            }
            let problem = Problem(
                code: code, depth: depth, subject: certificate?.subject ?? "not known")
            if !problems.contains(problem) {
                problems.append(problem)
            }
        }

        /// Whether OpenSSL is stricter here than the RFCs.
        private func isSound(
            _ certificate: Certificate, in context: OpaquePointer?, _ code: Int32,
            _ depth: Int
        ) -> Bool {
            switch code {
            case X509_V_ERR_INVALID_PURPOSE: return depth > 0 && certificate.signsForAnyUse
            case X509_V_ERR_CERT_SIGNATURE_FAILURE:
                let issuer = X509_STORE_CTX_get0_chain(context).flatMap {
                    OPENSSL_sk_value($0, Int32(depth) + 1)
                }
                return issuer.flatMap { Certificate(sharing: OpaquePointer($0)) }
                    .map { certificate.isSigned(by: $0) } ?? false
            default: return false
            }
        }
    }
}

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
