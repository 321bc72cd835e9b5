import COpenSSL
import Foundation

/// Certificates that are trusted by themselves, in a store of OpenSSL's.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own in the store; one around the table of system stores.
final class TrustAnchors: @unchecked Sendable {
    // @unchecked because the store is filled before it is shared, and OpenSSL locks it afterwards.
    let store: OpaquePointer?

    /// A store with these certificates only.
    init(_ certificates: some Sequence<Certificate>) {
        store = X509_STORE_new()
        for certificate in certificates {
            OpenSSLErrors.discarding { _ = X509_STORE_add_cert(store, certificate.parsed.pointer) }
        }
    }

    private init(_ place: SystemPlace) {
        store = X509_STORE_new()
        OpenSSLErrors.discarding {
            if let file = place.file {
                X509_STORE_load_file(store, file)
            }
            if let folders = place.folders {
                X509_STORE_load_path(store, folders)
            }
        }
    }

    deinit {
        X509_STORE_free(store)
    }

    /// The system's roots, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name instead.
    ///
    /// They are read once in the life of the process for each value of the two variables. A file
    /// that cannot be read adds no anchor, so it never makes a server trusted.
    static var system: TrustAnchors {
        systemStores.anchors(at: .current)
    }

    private static let systemStores = SystemStores()

    /// The stores that were read so far, by their place.
    ///
    /// ## Concurrency
    /// Call from: any thread. Lock: one around the table.
    private final class SystemStores: @unchecked Sendable {
        // @unchecked because the table is only touched under the lock.
        private let lock = NSLock()
        private var stores: [SystemPlace: TrustAnchors] = [:]

        func anchors(at place: SystemPlace) -> TrustAnchors {
            lock.lock()
            defer { lock.unlock() }
            if let known = stores[place] { return known }
            let anchors = TrustAnchors(place)
            stores[place] = anchors
            return anchors
        }
    }
}

/// The files and folders that hold the system's roots.
private struct SystemPlace: Hashable {
    var file: String?
    /// Folders in the form that `openssl rehash` makes, separated by colons.
    var folders: String?

    static var current: SystemPlace {
        let named = SystemPlace(
            file: variable("SSL_CERT_FILE"), folders: variable("SSL_CERT_DIR"))
        return named == SystemPlace() ? installed : named
    }

    private static let installed: SystemPlace = {
        let bundles = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ]
        if let file = bundles.first(where: { FileManager.default.isReadableFile(atPath: $0) }) {
            return SystemPlace(file: file)
        }
        return SystemPlace(folders: X509_get_default_cert_dir().map { String(cString: $0) })
    }()

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
