import Foundation

/// Locks a folder's files for a short time, against other processes too. It is the kernel's lock on
/// the folder itself: it leaves no file behind, and the end of a process releases it.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// How many times a taken lock is tried, and the microseconds between two tries.
    private static let (tries, pause) = (500, UInt32(4_000))

    /// Waits about two seconds at most. On a file system without locks it continues without one.
    ///
    /// - Returns: nil where the folder cannot be opened, or the lock was taken for too long;
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
        // A forked process may have inherited the descriptor, and the lock with it.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
