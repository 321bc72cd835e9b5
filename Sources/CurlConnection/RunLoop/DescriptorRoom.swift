package import Foundation

/// Whether the process may open more descriptors.
///
/// CoreFoundation ends the process where it gets no descriptor for a run loop or for one of its modes.
/// So this is checked before.
package enum DescriptorRoom {
    /// For a run loop, its first modes, and Dispatch, which opens its own with the first run loop.
    package static let forRunLoop = 16
    /// For a mode's port set and timer.
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

    /// The error of an exchange for which there are none.
    package static func error(for url: URL?) -> URLError {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return URLError(
            .resourceUnavailable, url: url,
            text: "No file descriptors are left for the run loop: the process may have "
                + "\(limit.rlim_cur) open (RLIMIT_NOFILE).")
    }
}
