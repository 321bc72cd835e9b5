import Foundation

/// Keeps others from a folder's files for a short time. It is the kernel's lock on the folder
/// itself: it leaves no file behind, and a process that ends releases it.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// How often a lock that somebody else holds is asked for, and the microseconds between two
    /// tries.
    private static let (tries, pause) = (500, UInt32(4_000))

    /// Waits about two seconds at most. On a file system without locks it goes on without one.
    ///
    /// - Returns: nil where the folder cannot be opened, or somebody else holds the lock too long;
    ///   `errno` says which.
    init?(_ folder: String) {
        let folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return nil }
        var tries = Self.tries
        while flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            tries -= 1
            guard tries > 0 else {
                close(folder)
                errno = EWOULDBLOCK
                return nil
            }
            usleep(Self.pause)
        }
        descriptor = folder
    }

    deinit {
        // A process that is a copy of this one may have the descriptor, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
