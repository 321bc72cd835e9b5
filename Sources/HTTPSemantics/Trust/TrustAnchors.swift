import COpenSSL
import Foundation
import Locking

/// Certificates that are trusted by themselves, in a store of OpenSSL's.
///
/// ## Concurrency
/// Call from: any thread. Lock: OpenSSL's own in the store; one around the table of system stores.
final class TrustAnchors: Sendable {
    private let owner = X509_STORE_new().map { OwnedPointer($0, free: X509_STORE_free) }
    var store: OpaquePointer? { owner?.pointer }

    /// A store with these certificates only.
    init(_ certificates: some Sequence<Certificate>) {
        for certificate in certificates {
            OpenSSLErrors.discarding { _ = X509_STORE_add_cert(store, certificate.parsed.pointer) }
        }
    }

    private init(_ place: SystemPlace) {
        OpenSSLErrors.discarding {
            if let file = place.file {
                X509_STORE_load_file(store, file)
            }
            if let folders = place.folders {
                X509_STORE_load_path(store, folders)
            }
        }
    }

    /// The system's roots, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name instead.
    ///
    /// They are read once in the life of the process for each value of the two variables. A file
    /// that cannot be read adds no anchor, so it never makes a server trusted.
    static var system: TrustAnchors {
        let place = SystemPlace.current
        return systemStores.withLock { stores in
            if let known = stores[place] { return known }
            let anchors = TrustAnchors(place)
            stores[place] = anchors
            return anchors
        }
    }

    /// Those that were read so far.
    private static let systemStores = Locked<[SystemPlace: TrustAnchors]>([:])
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
