import COpenSSL

/// What TLS agreed on, as OpenSSL's numbers and constants.
struct TLSFacts: BitwiseCopyable, Sendable {
    /// Such as 0x0304 for TLS 1.3.
    private let version: Int32
    /// OpenSSL's entry for the cipher suite, which is a constant of the library, as a number.
    private let cipher: UInt

    /// - Parameter session: OpenSSL's object for a connection whose handshake is over.
    init(of session: OpaquePointer) {
        version = SSL_version(session)
        cipher = SSL_get_current_cipher(session).map { UInt(bitPattern: $0) } ?? 0
    }

    var versionName: String? {
        switch version {
        case TLS1_VERSION: "TLSv1"
        case TLS1_1_VERSION: "TLSv1.1"
        case TLS1_2_VERSION: "TLSv1.2"
        case TLS1_3_VERSION: "TLSv1.3"
        default: nil
        }
    }

    /// By IANA's registry.
    var cipherName: String? {
        OpaquePointer(bitPattern: cipher).flatMap(SSL_CIPHER_standard_name).map {
            String(cString: $0)
        }
    }
}
