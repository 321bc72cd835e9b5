import COpenSSL
package import HTTPSemantics
package import Foundation

extension Identity {
    /// A list of certificates that this authority takes back.
    ///
    /// - Parameters:
    ///   - certificates: taken by their serial numbers, whoever made them.
    ///   - start: when the list was made, in seconds from now.
    ///   - end: how long it counts, in seconds from now.
    /// - Throws: `TLSPeerError` when OpenSSL refuses.
    package func revocationList(
        of certificates: [Certificate] = [], start: TimeInterval = -3_600,
        end: TimeInterval = 864_000
    ) throws -> CertificateRevocationList {
        guard let list = X509_CRL_new() else { throw TLSPeerError("X509_CRL_new") }
        defer { X509_CRL_free(list) }
        X509_CRL_set_version(list, 1)
        try Self.withParsed(certificate) {
            X509_CRL_set_issuer_name(list, X509_get_subject_name($0))
        }
        let time = X509_gmtime_adj(nil, Int(start))
        defer { ASN1_STRING_free(time) }
        X509_CRL_set1_lastUpdate(list, time)
        for certificate in certificates {
            try Self.withParsed(certificate) {
                let entry = X509_REVOKED_new()
                X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber($0))
                X509_REVOKED_set_revocationDate(entry, time)
                X509_CRL_add0_revoked(list, entry)
            }
        }
        X509_CRL_set1_nextUpdate(list, X509_gmtime_adj(time, Int(end)))
        X509_CRL_sort(list)
        try Self.name(certificate, asAuthorityOf: list)
        guard X509_CRL_sign(list, key, EVP_sha256()) > 0 else {
            throw TLSPeerError("X509_CRL_sign")
        }
        var bytes = [UInt8](repeating: 0, count: Int(max(i2d_X509_CRL(list, nil), 0)))
        bytes.withUnsafeMutableBufferPointer { buffer in
            var next = buffer.baseAddress
            _ = i2d_X509_CRL(list, &next)
        }
        return try CertificateRevocationList(der: Data(bytes))
    }

    /// By its serial number, as an authority key identifier (RFC 5280 section 5.2.1), so that no other certificate
    /// passes for the authority.
    private static func name(_ authority: Certificate, asAuthorityOf list: OpaquePointer) throws {
        var number: [UInt8] = []
        try withParsed(authority) {
            let serial = X509_get_serialNumber($0)
            number = [UInt8](repeating: 0, count: Int(max(i2d_ASN1_INTEGER(serial, nil), 0)))
            number.withUnsafeMutableBufferPointer { buffer in
                var next = buffer.baseAddress
                _ = i2d_ASN1_INTEGER(serial, &next)
            }
        }
        // authorityCertSerialNumber is [2] IMPLICIT; all of it is shorter than 128 bytes.
        number[0] = 0x82
        let value = [0x30, UInt8(number.count)] + number
        let octets = ASN1_OCTET_STRING_new()
        defer { ASN1_STRING_free(octets) }
        guard ASN1_OCTET_STRING_set(octets, value, Int32(value.count)) == 1,
            let part = X509_EXTENSION_create_by_NID(nil, NID_authority_key_identifier, 0, octets)
        else { throw TLSPeerError("X509_EXTENSION_create_by_NID") }
        defer { X509_EXTENSION_free(part) }
        guard X509_CRL_add_ext(list, part, -1) == 1 else { throw TLSPeerError("X509_CRL_add_ext") }
    }

    private static func withParsed(
        _ certificate: Certificate, _ body: (OpaquePointer) -> Void
    ) throws {
        let parsed = certificate.der.withUnsafeBytes { bytes in
            var next = bytes.bindMemory(to: UInt8.self).baseAddress
            return d2i_X509(nil, &next, bytes.count)
        }
        guard let parsed else { throw TLSPeerError("d2i_X509") }
        defer { X509_free(parsed) }
        body(parsed)
    }
}

/// What the system's configuration of OpenSSL says where nobody says otherwise.
package enum OpenSSLDefaults {
    /// From 0, everything goes, to 5; nil when OpenSSL cannot be asked.
    package static var securityLevel: Int? {
        guard let context = SSL_CTX_new(TLS_client_method()) else { return nil }
        defer { SSL_CTX_free(context) }
        return Int(SSL_CTX_get_security_level(context))
    }
}
