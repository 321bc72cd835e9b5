import COpenSSL
import Foundation
import Locking

struct ClientKey: Sendable {
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    private init(owning pointer: OpaquePointer) {
        owner = OwnedPointer(
            pointer, free: { pointer in OpenSSLGate.whileOpen { EVP_PKEY_free(pointer) } })
    }

    /// Reads a key: PKCS#8, or the older forms of RSA and elliptic-curve keys.
    ///
    /// - Parameter data: PEM, whose first key is read, or DER without further bytes.
    static func read(_ data: Data) throws(ClientCertificateError) -> ClientKey {
        let isPEM = data.range(of: Data("-----BEGIN ".utf8)) != nil
        let closed = Result<ClientKey, ClientCertificateError>.failure(.noKey)
        let result = OpenSSLErrors.discarding(atExit: closed) {
            data.withUnsafeBytes { isPEM ? readPEM($0) : readDER($0) }
        }
        return try result.get()
    }

    func belongs(to certificate: Certificate) -> Bool {
        OpenSSLErrors.discarding(atExit: false) {
            X509_check_private_key(certificate.pointer, pointer) == 1
        }
    }

    private static func readPEM(
        _ bytes: UnsafeRawBufferPointer
    ) -> Result<ClientKey, ClientCertificateError> {
        guard bytes.count <= Int(Int32.max),
            let text = BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
        else { return .failure(.noKey) }
        defer { BIO_free(text) }
        // Without a callback of our own OpenSSL would ask for a password on the terminal.
        var isProtected = false
        let pointer = PEM_read_bio_PrivateKey(
            text, nil,
            { _, _, _, isProtected in
                isProtected?.assumingMemoryBound(to: Bool.self).pointee = true
                return -1
            }, &isProtected)
        if let pointer { return .success(ClientKey(owning: pointer)) }
        return .failure(isProtected ? .encryptedKey : .noKey)
    }

    private static func readDER(
        _ bytes: UnsafeRawBufferPointer
    ) -> Result<ClientKey, ClientCertificateError> {
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else {
            return .failure(.noKey)
        }
        var next: UnsafePointer<UInt8>? = start
        if let pointer = d2i_AutoPrivateKey(nil, &next, bytes.count) {
            let key = ClientKey(owning: pointer)
            return next == start + bytes.count ? .success(key) : .failure(.noKey)
        }
        next = start
        // The outer structure of an encrypted PKCS#8 key.
        guard let protected = d2i_X509_SIG(nil, &next, bytes.count) else { return .failure(.noKey) }
        X509_SIG_free(protected)
        return .failure(.encryptedKey)
    }
}
