public import Foundation

/// Why a security policy cannot work, found before any connection is made. The codes never change.
public enum SecurityPolicyError: Error, Hashable, Sendable, CustomNSError, LocalizedError {
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

    /// The code of the case.
    public var errorCode: Int {
        switch self {
        case .noPins: 1
        case .noPinningMode: 2
        case .unreadable: 3
        case .noCertificates: 4
        }
    }

    /// The sentence of the case as the localized description, which an `NSError` would otherwise
    /// lack.
    public var errorUserInfo: [String: Any] {
        [NSLocalizedDescriptionKey: errorDescription ?? ""]
    }

    /// The sentence of the case.
    public var errorDescription: String? {
        switch self {
        case .noPins:
            "The security policy has a pinning mode and no pinned certificate, so it would refuse "
                + "every server; set pinnedCertificates."
        case .noPinningMode:
            "The pinning mode is none, so the pinned certificates would not be looked at; choose "
                + "certificate or publicKey."
        case .unreadable(let url):
            "The file \(url.path) holds no certificate that can be read, in DER or PEM."
        case .noCertificates(let url):
            "No file in \(url.path) ends in .cer, .crt, .der or .pem."
        }
    }
}
