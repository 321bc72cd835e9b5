public import Foundation
public import HTTPSemantics

/// Why a security policy cannot work, found before any connection is made. The codes never change.
public enum SecurityPolicyError: NumberedError, Hashable, Sendable {
    /// 1: pinning is on, and there are no pins.
    case noPins
    /// 2: there are pins, and the mode ignores them.
    case noPinningMode
    /// 3: a folder cannot be listed, or one of its certificate files cannot be read.
    case unreadable(URL)
    /// 4: a folder holds no file with a certificate.
    case noCertificates(URL)

    /// `OperationNetworking.SecurityPolicyError`.
    public static var errorDomain: String { "OperationNetworking.SecurityPolicyError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .noPins:
            (
                1,
                "The security policy has a pinning mode and no pinned certificate, so it would refuse "
                    + "every server; set pinnedCertificates."
            )
        case .noPinningMode:
            (
                2,
                "The pinning mode is none, so the pinned certificates would not be looked at; choose "
                    + "certificate or publicKey."
            )
        case .unreadable(let url):
            (3, "The file \(url.path) holds no certificate that can be read, in DER or PEM.")
        case .noCertificates(let url):
            (4, "No file in \(url.path) ends in .cer, .crt, .der or .pem.")
        }
    }
}
