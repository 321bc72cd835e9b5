package import Foundation

/// Whether the process may open more descriptors.
///
/// CoreFoundation ends the process where it cannot have those of a run loop or of one of its modes, so
/// they are asked for before.
package enum DescriptorRoom {
    /// A run loop's own, those of its first modes, and Dispatch's, which come with the first.
    package static let forRunLoop = 16
    /// A mode's port set and timer.
    static let forMode = 2

    /// Opens so many and closes them again.
    ///
    /// - Throws: `URLError.resourceUnavailable`, whose text names the limit.
    package static func check(for count: Int) throws(URLError) {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw error(for: nil) }
            opened.append(descriptor)
        }
    }

    /// What an exchange fails with when there are none.
    package static func error(for url: URL?) -> URLError {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return URLError(
            .resourceUnavailable, url: url,
            text: "No file descriptors are left for the run loop: the process may have "
                + "\(limit.rlim_cur) open (RLIMIT_NOFILE).")
    }
}
