import COpenSSL
import Foundation

/// Whether a certificate names a host (RFC 9110 section 4.3.4, RFC 6125 section 6.4).
///
/// Only names in the subjectAltName count, unless the common name is allowed. A wildcard stands for
/// one whole leftmost label, above at least two other labels and not directly under a registry's
/// suffix such as `co.uk`. An address matches only an address entry.
package enum HostName {
    /// - Parameters:
    ///   - host: as in a URL or by itself. Brackets around an address, a trailing dot, upper case
    ///     and letters outside ASCII are understood.
    ///   - allowsCommonName: whether a certificate without any DNS name in its subjectAltName may
    ///     name the host in its subject, as was usual before 2017.
    package static func isNamed(
        _ host: String, by certificate: Certificate, allowsCommonName: Bool
    ) -> Bool {
        OpenSSLGate.discardingErrors(atExit: false) {
            if let address = address(in: host) {
                return X509_check_ip_asc(certificate.pointer, address, 0) == 1
            }
            guard let name = canonical(host) else { return false }
            var flags = X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
            if !allowsCommonName {
                flags |= X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
            }
            // A wildcard covers one label, so the rest of the name must not be a registry.
            if PublicSuffixList.isRegistry(String(name.drop { $0 != "." }.dropFirst())) {
                flags |= X509_CHECK_FLAG_NO_WILDCARDS
            }
            return X509_check_host(
                certificate.pointer, name, name.utf8.count, UInt32(flags), nil) == 1
        }
    }

    /// The address in a host, without brackets and without zone; nil for a name.
    package static func address(in host: String) -> String? {
        var text = host[...]
        if text.hasPrefix("["), text.hasSuffix("]") {
            text = text.dropFirst().dropLast()
        }
        let isSix = text.contains(":")
        let bare = String(isSix ? text.prefix { $0 != "%" } : text)
        var bytes = in6_addr()
        return inet_pton(isSix ? AF_INET6 : AF_INET, bare, &bytes) == 1 ? bare : nil
    }

    /// The name in the ASCII spelling of certificates; nil where it is no host name.
    package static func canonical(_ host: String) -> String? {
        var name = host
        if name.hasSuffix(".") {
            name.removeLast()
        }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) {
            var parts = URLComponents()
            parts.host = name
            guard let ascii = parts.encodedHost else { return nil }
            name = ascii
        }
        let isName = name.utf8.allSatisfy { byte in
            byte.isASCIILetter || byte.isASCIIDigit || "-_.".utf8.contains(byte)
        }
        // A leading dot would mean every host below the name.
        return isName && !name.isEmpty && !name.hasPrefix(".") ? name : nil
    }
}
