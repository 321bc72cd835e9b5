import COpenSSL
import Foundation

@testable import HTTPSemantics
@testable import TLSPeer

/// Forms in which an identity made in a test is written down.
enum WrittenIdentity {
    enum KeyForm: CaseIterable {
        case pem, oldPEM, der, oldDER, protectedPEM, oldProtectedPEM, protectedDER

        var isProtected: Bool {
            [.protectedPEM, .oldProtectedPEM, .protectedDER].contains(self)
        }
    }

    static let password = "pässword"

    /// A PKCS#12 file, protected as OpenSSL 3 does it or as older systems did.
    ///
    /// - Parameter password: none is another thing than an empty one.
    static func pkcs12(
        _ identity: Identity, chain: [Certificate] = [], password: String? = password,
        hasKey: Bool = true, isOld: Bool = false, macRounds: Int32 = 1
    ) throws -> Data {
        let library = isOld ? try oldAlgorithms.get() : nil
        let others = OPENSSL_sk_new_null()
        defer { OPENSSL_sk_free(others) }
        for certificate in chain {
            OPENSSL_sk_push(others, UnsafeRawPointer(certificate.pointer))
        }
        let certificate = identity.certificate
        let made = withExtendedLifetime(certificate) {
            PKCS12_create_ex(
                password, nil, hasKey ? identity.key : nil, certificate.pointer,
                others, isOld ? NID_pbe_WithSHA1And3_Key_TripleDES_CBC : 0,
                isOld ? NID_pbe_WithSHA1And40BitRC2_CBC : 0, 1, macRounds, 0, library, nil)
        }
        guard let file = made else { throw TLSPeerError("PKCS12_create_ex") }
        defer { PKCS12_free(file) }
        return try written { i2d_PKCS12_bio($0, file) }
    }

    /// The private key by itself.
    static func key(_ identity: Identity, _ form: KeyForm) throws -> Data {
        let key = identity.key
        let cipher = form.isProtected ? EVP_aes_256_cbc() : nil
        let password = form.isProtected ? Self.password : nil
        let length = Int32(password?.utf8.count ?? 0)
        return try written { file in
            switch form {
            case .oldDER:
                i2d_PrivateKey_bio(file, key)
            case .der, .protectedDER:
                i2d_PKCS8PrivateKey_bio(file, key, cipher, password, length, nil, nil)
            case .pem, .protectedPEM:
                PEM_write_bio_PKCS8PrivateKey(file, key, cipher, password, length, nil, nil)
            case .oldPEM, .oldProtectedPEM:
                PEM_write_bio_PrivateKey_traditional(
                    file, key, cipher, password, length, nil, nil)
            }
        }
    }

    static func pem(_ certificate: Certificate) throws -> Data {
        try written { PEM_write_bio_X509($0, certificate.pointer) }
    }

    private static func written(_ write: (OpaquePointer) -> Int32) throws -> Data {
        guard let file = BIO_new(BIO_s_mem()) else { throw TLSPeerError("BIO_new") }
        defer { BIO_free(file) }
        guard write(file) == 1 else { throw TLSPeerError("OpenSSL cannot write it") }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = BIO_read(file, &bytes, Int32(bytes.count))
        return Data(bytes.prefix(Int(max(count, 0))))
    }

    private final class Library: Sendable {
        nonisolated(unsafe) let pointer: OpaquePointer

        init() throws {
            guard let library = OSSL_LIB_CTX_new(),
                OSSL_PROVIDER_load(library, "default") != nil,
                OSSL_PROVIDER_load(library, "legacy") != nil
            else { throw TLSPeerError("OpenSSL's legacy provider is not installed") }
            pointer = library
        }
    }

    /// OpenSSL's old algorithms beside the usual ones, kept for the life of the process.
    private static let library = Result { try Library() }

    private static var oldAlgorithms: Result<OpaquePointer, any Error> { library.map(\.pointer) }
}
