import Foundation

/// Keeps others from a folder's files for a moment: the kernel's lock on the folder itself, so that
/// nothing is left behind and a process that ends lets go.
struct FolderLock: ~Copyable {
    private let descriptor: Int32

    /// How often a lock that somebody has is asked for, and the microseconds between.
    private static let (tries, pause) = (500, UInt32(4_000))

    /// Waits at most some two seconds. A file system without locks is taken as it is.
    ///
    /// - Returns: nil where the folder cannot be opened, or somebody keeps it too long; `errno` says which.
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
        close(descriptor)
    }
}
