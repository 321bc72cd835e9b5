import CLinux
package import Foundation

/// Whether the process may open more file descriptors.
///
/// CoreFoundation ends the process where it gets no descriptor for a run loop or for one of its modes, so
/// this is checked before.
package enum DescriptorRoom {
    /// For a run loop, its first modes, and Dispatch, which opens its own with the first run loop.
    package static let forRunLoop = 16
    /// For a mode's port set and timer.
    static let forMode = 2

    /// Opens that many descriptors and closes them again.
    ///
    /// - Throws: `URLError.resourceUnavailable`, whose text names the limit.
    package static func check(for count: Int) throws(URLError) {
        var opened: [Int32] = []
        defer { opened.forEach { close($0) } }
        for _ in 0..<count {
            let descriptor = Foundation.open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw error(for: nil) }
            opened.append(descriptor)
        }
    }

    /// How many more may be opened; nil where the limit is far away.
    static var left: Int? {
        let limit = limit
        guard limit <= 4_096 else { return nil }
        var all = (0..<Int32(limit)).map { pollfd(fd: $0, events: 0, revents: 0) }
        // One system call says of each number whether it is open.
        guard poll(&all, nfds_t(all.count), 0) >= 0 else { return nil }
        return all.count { $0.revents & Int16(POLLNVAL) != 0 }
    }

    static var open: [Int32] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names?.compactMap { Int32($0) } ?? []
    }

    /// The error where there are none.
    package static func error(for url: URL?, underlying: (any Error)? = nil) -> URLError {
        URLError(
            .resourceUnavailable, url: url,
            text: "No file descriptors are left: the process may have \(limit) open "
                + "(RLIMIT_NOFILE).", underlying: underlying)
    }

    private static var limit: UInt64 {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return UInt64(limit.rlim_cur)
    }
}

/// Which file a descriptor's number means. The kernel gives the number of a closed descriptor to the next file, of
/// any thread.
struct OpenFile: Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// - Returns: nil where the descriptor is closed.
    init?(_ descriptor: Int32) {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0 else { return nil }
        (device, inode) = (status.device, status.inode)
    }
}
