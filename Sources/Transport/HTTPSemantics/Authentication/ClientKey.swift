import COpenSSL
import Foundation
import Locking

struct ClientKey: Sendable {
    private let owner: OwnedPointer
    var pointer: OpaquePointer { owner.pointer }

    private init(owning pointer: OpaquePointer) {
        owner = OwnedPointer(openSSL: pointer, free: EVP_PKEY_free)
    }

    /// Reads a key: PKCS#8, or the older forms of RSA and elliptic-curve keys.
    ///
    /// - Parameter data: PEM, whose first key is read, or DER without further bytes.
    static func read(_ data: Data) throws(ClientCertificateError) -> ClientKey {
        let isPEM = data.range(of: Data("-----BEGIN ".utf8)) != nil
        let closed = Result<ClientKey, ClientCertificateError>.failure(.noKey)
        let result = OpenSSLGate.discardingErrors(atExit: closed) {
            data.withUnsafeBytes { isPEM ? readPEM($0) : readDER($0) }
        }
        return try result.get()
    }

    func belongs(to certificate: Certificate) -> Bool {
        OpenSSLGate.discardingErrors(atExit: false) {
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

/// The contents of a PKCS#12 file (RFC 7292): one key, its certificate, and other certificates.
struct PKCS12File {
    let key: ClientKey
    /// The certificate of the key first.
    let certificates: [Certificate]

    /// More rounds than any real file has; more would occupy a thread for long.
    private static let roundLimit = 5_000_000

    /// Opens a file.
    ///
    /// Files of older systems, encrypted with RC2, can be opened where OpenSSL's legacy provider is
    /// installed.
    init(_ data: Data, password: String) throws(ClientCertificateError) {
        // OpenSSL reads a password up to the first NUL.
        guard !password.utf8.contains(0) else { throw .wrongPassword }
        let closed = Result<Content, ClientCertificateError>.failure(.notPKCS12)
        let opened = OpenSSLGate.discardingErrors(atExit: closed) {
            Self.open(data, password, in: nil).flatMapError { error in
                guard error == .unsupportedProtection else { return .failure(error) }
                return Self.withOldAlgorithms { Self.open(data, password, in: $0) }
                    ?? .failure(error)
            }
        }
        let content = try opened.get()
        key = try ClientKey.read(content.key)
        certificates = content.certificates
        if certificates.isEmpty { throw .noCertificate }
    }

    private struct Content {
        var key: Data
        var certificates: [Certificate]
    }

    /// - Parameter library: whose algorithms are used; nil means the default ones.
    private static func open(
        _ data: Data, _ password: String, in library: OpaquePointer?
    ) -> Result<Content, ClientCertificateError> {
        guard let file = parse(data, library) else { return .failure(.notPKCS12) }
        defer { PKCS12_free(file) }
        guard isTestable(file) else { return .failure(.notPKCS12) }
        guard
            PKCS12_verify_mac(file, password, -1) == 1
                || (password.isEmpty && PKCS12_verify_mac(file, nil, 0) == 1)
        else { return .failure(.wrongPassword) }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        // The integrity code was right, so only an unknown algorithm can fail here.
        guard PKCS12_parse(file, password, &key, &leaf, &others) == 1 else {
            return .failure(.unsupportedProtection)
        }
        let parsed = [leaf].compactMap { $0 } + OpenSSLValue.objects(in: others)
        OPENSSL_sk_free(others)
        // Parsed anew, without what a PKCS#12 file may add, such as a friendly name.
        let certificates = parsed.compactMap { Certificate(owning: $0) }
            .compactMap { try? Certificate(der: $0.der) }
        defer { EVP_PKEY_free(key) }
        guard let key, let der = der(of: key) else { return .failure(.noKey) }
        guard leaf != nil else { return .failure(.noCertificate) }
        return .success(Content(key: der, certificates: certificates))
    }

    private static func parse(_ data: Data, _ library: OpaquePointer?) -> OpaquePointer? {
        data.withUnsafeBytes { bytes in
            var file = library.flatMap { PKCS12_init_ex(NID_pkcs7_data, $0, nil) }
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            var next = start
            // On failure OpenSSL frees the file it was passed.
            guard d2i_PKCS12(&file, &next, bytes.count) != nil else { return nil }
            guard next == start.map({ $0 + bytes.count }) else {
                PKCS12_free(file)
                return nil
            }
            return file
        }
    }

    /// Whether the file has an integrity code to check the password with, and not too many rounds.
    private static func isTestable(_ file: OpaquePointer) -> Bool {
        var rounds: UnsafePointer<ASN1_INTEGER>?
        PKCS12_get0_mac(nil, nil, nil, &rounds, file)
        return PKCS12_mac_present(file) == 1
            && rounds.map { (0...roundLimit).contains(ASN1_INTEGER_get($0)) } ?? true
    }

    private static func der(of key: OpaquePointer) -> Data? {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = Int(i2d_PrivateKey(key, &bytes))
        guard count > 0, let bytes else { return nil }
        defer { copenssl_clear_free(bytes, count) }
        return Data(bytes: bytes, count: count)
    }

    /// Runs a call with OpenSSL's legacy algorithms; nil when they are not installed.
    private static func withOldAlgorithms<Value>(_ body: (OpaquePointer) -> Value) -> Value? {
        guard let library = OSSL_LIB_CTX_new() else { return nil }
        defer { OSSL_LIB_CTX_free(library) }
        guard let new = OSSL_PROVIDER_load(library, "default") else { return nil }
        defer { OSSL_PROVIDER_unload(new) }
        guard let old = OSSL_PROVIDER_load(library, "legacy") else { return nil }
        defer { OSSL_PROVIDER_unload(old) }
        return body(library)
    }
}
