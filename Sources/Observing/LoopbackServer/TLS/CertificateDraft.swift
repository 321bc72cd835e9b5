import COpenSSL
import Foundation

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
        write(form.commonName, into: X509_get_subject_name(draft))
        write(issuer ?? form.commonName, into: X509_get_issuer_name(draft))
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

    private func write(_ text: String, into name: OpaquePointer?) {
        // 0x1000 is MBSTRING_UTF8. The count is given because a name may hold a NUL.
        X509_NAME_add_entry_by_txt(name, "CN", 0x1000, text, Int32(text.utf8.count), -1, 0)
    }
}
