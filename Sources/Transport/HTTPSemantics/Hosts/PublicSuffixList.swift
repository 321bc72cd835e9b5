internal import CPublicSuffix
import Locking
import Synchronization

/// Domains that belong to registries, such as `com`, `co.uk` and `github.io`: no cookie and no
/// certificate may cover all names in one.
///
/// The list is the newer one of libpsl's and the system's (`/usr/share/publicsuffix`), read once.
/// Without a list every domain counts as a public suffix; unknown top-level domains (`localhost`,
/// `test`) always do. Call from any thread.
package enum PublicSuffixList {
    /// Whether a domain is a public suffix.
    ///
    /// - Parameter domain: in any case, as U-labels or A-labels, with or without a trailing dot.
    /// - Returns: false for an IP address; true for a text that is no host name, so that nothing is
    ///   shared under it.
    static func isPublicSuffix(_ domain: String) -> Bool {
        isSuffix(domain, of: PSL_TYPE_ICANN | PSL_TYPE_PRIVATE)
    }

    /// Whether a registry assigns names under a domain: true for `com` and `co.uk`; false for
    /// `github.io`, whose single owner may have a certificate for all names in it.
    ///
    /// - Returns: true also for a text that is no host name, as `isPublicSuffix` does.
    static func isRegistry(_ domain: String) -> Bool {
        isSuffix(domain, of: PSL_TYPE_ICANN)
    }

    private static func isSuffix(_ domain: String, of kinds: Int32) -> Bool {
        guard let host = CanonicalHost(domain) else { return true }
        return !host.isAddress && psl_is_public_suffix2(list?.pointer, bare(host), kinds) != 0
    }

    /// The public suffix of a name with one more label: `example.co.uk` for `www.example.co.uk`.
    ///
    /// - Returns: in lower case, as A-labels, without a trailing dot; nil for an address, a public
    ///   suffix and a text that is no host name.
    static func registrableDomain(of domain: String) -> String? {
        guard let host = CanonicalHost(domain), !host.isAddress else { return nil }
        return bare(host).withCString { start in
            psl_registrable_domain(list?.pointer, start).map { String(cString: $0) }
        }
    }

    private static func bare(_ host: CanonicalHost) -> String {
        host.text.hasSuffix(".") ? String(host.text.dropLast()) : host.text
    }

    private static let list: OwnedPointer? = {
        defer { isRead.store(true, ordering: .releasing) }
        return psl_latest(nil).map { OwnedPointer($0, free: psl_free) }
    }()

    private static let isRead = Atomic<Bool>(false)

    /// Whether the list has been read, so that the other methods do not access the disk.
    package static var isAtHand: Bool { isRead.load(ordering: .acquiring) }

    /// Reads the list if it has not been read.
    package static func read() {
        _ = list
    }
}
