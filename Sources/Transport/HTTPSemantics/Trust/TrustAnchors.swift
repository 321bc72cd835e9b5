import COpenSSL
import Foundation
import Locking

/// Trusted certificates in an OpenSSL store.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own in the store; one around the table of system stores.
final class TrustAnchors: Sendable {
    private let owner = OpenSSLGate.discardingErrors(atExit: nil) { X509_STORE_new() }.map {
        OwnedPointer(openSSL: $0, free: X509_STORE_free)
    }
    var store: OpaquePointer? { owner?.pointer }

    init(_ certificates: some Sequence<Certificate>) {
        for certificate in certificates {
            OpenSSLGate.discardingErrors(atExit: ()) {
                _ = X509_STORE_add_cert(store, certificate.pointer)
            }
        }
    }

    func contains(_ certificate: Certificate) -> Bool {
        OpenSSLGate.discardingErrors(atExit: false) {
            guard let store, let context = X509_STORE_CTX_new() else { return false }
            defer { X509_STORE_CTX_free(context) }
            let name = X509_get_subject_name(certificate.pointer)
            guard X509_STORE_CTX_init(context, store, nil, nil) == 1,
                let namesakes = X509_STORE_CTX_get1_certs(context, name)
            else { return false }
            defer { OPENSSL_sk_pop_free(namesakes) { X509_free($0.map { OpaquePointer($0) }) } }
            return Certificate.all(in: namesakes).contains(certificate)
        }
    }

    private init(_ roots: SystemRoots) {
        OpenSSLGate.discardingErrors(atExit: ()) {
            if let file = roots.file {
                X509_STORE_load_file(store, file)
            }
            for folder in roots.folders?.split(separator: ":") ?? [] {
                load(folder: String(folder))
            }
        }
    }

    /// Reads now what OpenSSL would read from a folder, one certificate at a time, while it judges
    /// a server.
    private func load(folder: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where Self.isOfHash(name) {
            X509_STORE_load_file(store, folder + "/" + name)
        }
    }

    /// Whether it is a name that `openssl rehash` gives to a certificate, such as "5ed36f99.0".
    private static func isOfHash(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 2 && parts[0].utf8.count == 8 && parts[0].allSatisfy(\.isHexDigit)
            && !parts[1].isEmpty && parts[1].utf8.allSatisfy(\.isASCIIDigit)
    }

    /// The system's roots, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name instead.
    ///
    /// They are read once in a process for each value of the two variables. A file that cannot be
    /// read adds no anchor, so it never makes a server trusted.
    static var system: TrustAnchors {
        let roots = SystemRoots.named
        if let known = known(at: roots) { return known }
        // Not under the lock: `isSystemAtHand` must not wait for a disk.
        let anchors = TrustAnchors(roots == SystemRoots() ? .installed : roots)
        return systemStores.withLock { stores in
            if let other = stores[roots] { return other }
            stores[roots] = anchors
            return anchors
        }
    }

    /// Whether `system` has been read, so that it does not access the disk.
    static var isSystemAtHand: Bool { known(at: SystemRoots.named) != nil }

    private static func known(at roots: SystemRoots) -> TrustAnchors? {
        systemStores.withLock { $0[roots] }
    }

    /// The anchors read so far, by the values of the two variables.
    private static let systemStores = Locked<[SystemRoots: TrustAnchors]>([:])
}

extension ServerTrustRequirements {
    /// Whether a server can be judged without reading certificates from the disk.
    package var areAnchorsAtHand: Bool { anchors != nil || TrustAnchors.isSystemAtHand }

    /// Reads the system's certificates where these requirements need them.
    package func readAnchors() {
        if anchors == nil { _ = TrustAnchors.system }
    }
}

/// The files and folders that hold the system's roots.
private struct SystemRoots: Hashable {
    var file: String?
    /// Folders in the form that `openssl rehash` makes, separated by colons.
    var folders: String?

    /// What the environment names; nil members mean the installed ones.
    static var named: SystemRoots {
        SystemRoots(file: variable("SSL_CERT_FILE"), folders: variable("SSL_CERT_DIR"))
    }

    static let installed: SystemRoots = {
        let bundles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        if let file = bundles.first(where: { FileManager.default.isReadableFile(atPath: $0) }) {
            return SystemRoots(file: file)
        }
        return SystemRoots(folders: X509_get_default_cert_dir().map { String(cString: $0) })
    }()

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
