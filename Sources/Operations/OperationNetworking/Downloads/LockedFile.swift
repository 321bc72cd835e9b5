import CLinux
import Foundation

/// Opens files that only one process may write.
package enum LockedFile {
    /// Opens and locks the file of that path, without waiting, and never what a link leads to.
    ///
    /// - Parameter opened: called between the opening and the lock, in which another process may
    ///   give the file another name.
    /// - Throws: `DownloadError.disk`, with `EWOULDBLOCK` where another process has the lock.
    package static func open(
        _ path: String, _ flags: Int32, opened: (() -> Void)? = nil
    ) throws(DownloadError) -> Int32 {
        while true {
            let descriptor = Foundation.open(
                path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o666)
            guard descriptor >= 0 else { throw .disk("open", path) }
            opened?()
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let error = DownloadError.disk("lock", path)
                Foundation.close(descriptor)
                throw error
            }
            if isNamed(descriptor, path) { return descriptor }
            Foundation.close(descriptor)
        }
    }

    /// Whether it is a regular file with no other name.
    static func isAlone(_ descriptor: Int32) -> Bool {
        let status = cfile_status_of(descriptor)
        return status.failure == 0 && status.is_regular == 1 && status.links == 1
    }

    /// Whether the path still names the open file.
    static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        isSame(cfile_status_of(descriptor), cfile_status_at(path))
    }

    /// Opens an open file once more, to read it; -1 where the path names another.
    static func openAgain(_ descriptor: Int32, _ path: String) -> Int32 {
        let again = Foundation.open(
            path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        if again < 0 || isSame(cfile_status_of(descriptor), cfile_status_of(again)) { return again }
        Foundation.close(again)
        return -1
    }

    private static func isSame(_ one: cfile_status, _ other: cfile_status) -> Bool {
        one.failure == 0 && other.failure == 0 && one.device == other.device
            && one.inode == other.inode
    }
}

/// Pure: the paths of one file and what lies beside it until it is whole.
package struct DownloadPlace: Hashable, Sendable {
    package static let partSuffix = ".part"
    package static let recordSuffix = ".part.json"
    /// A record that is being written.
    static let newRecordSuffix = ".part.json~"
    package static let suffixes = ["", partSuffix, recordSuffix, newRecordSuffix]
    package static let longestSuffix = newRecordSuffix

    /// The finished file.
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The part that was downloaded so far.
    package var part: String { path + Self.partSuffix }
    /// The record that is needed to continue the part.
    package var record: String { path + Self.recordSuffix }
    var newRecord: String { path + Self.newRecordSuffix }
}
