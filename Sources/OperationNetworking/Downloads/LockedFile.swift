import CFileStatus
import Foundation

/// Opens files that only one process may write.
package enum LockedFile {
    /// Opens and locks the file of that path, without waiting.
    ///
    /// - Parameter opened: called between the opening and the lock, in which another process may
    ///   give the file another name.
    /// - Throws: `DownloadError.disk`, with `EWOULDBLOCK` where another process has the lock.
    package static func open(
        _ path: String, _ flags: Int32, opened: (() -> Void)? = nil
    ) throws(DownloadError) -> Int32 {
        while true {
            let descriptor = Foundation.open(path, flags, 0o666)
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

    /// Whether the path still names the open file.
    static func isNamed(_ descriptor: Int32, _ path: String) -> Bool {
        let open = cfile_status_of(descriptor)
        let named = cfile_status_at(path)
        return open.failure == 0 && named.failure == 0 && open.device == named.device
            && open.inode == named.inode
    }
}
