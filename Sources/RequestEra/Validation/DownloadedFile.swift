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
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(facts.st_size)
    }
}
