import CLinux
import Foundation

/// A file that a download wrote.
enum DownloadedFile {
    /// Its size in bytes; nil if it is not there, cannot be read, or is a folder.
    static func size(of url: URL) -> Int64? {
        guard url.isFileURL, !url.path.utf8.contains(0) else { return nil }
        // A pipe in the file's place must not block the thread.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let facts = cfile_status_of(descriptor)
        return facts.is_regular == 0 ? nil : Int64(facts.size)
    }
}
