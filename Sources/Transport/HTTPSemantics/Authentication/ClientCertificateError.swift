public import Foundation

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
