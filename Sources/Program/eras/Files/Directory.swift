import CLinux
import Foundation

/// A directory for a command's files.
struct Directory {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Makes the directory and its missing parents. An existing directory is no error.
    func make() throws(DiskError) {
        if try exists() { return }
        if let parent { try Directory(parent).make() }
        // errno is read before the next call changes it.
        let code = mkdir(path, 0o777) == 0 ? 0 : errno
        // Another process may have made it meanwhile.
        guard code == 0 || code == EEXIST else {
            throw DiskError(action: "make the directory", path: path, code: code)
        }
    }

    /// Checks that files can be made in the directory, or that it can be made, without making any.
    func check() throws(DiskError) {
        guard try exists() else {
            return try Directory(parent ?? (path.hasPrefix("/") ? "/" : ".")).check()
        }
        guard access(path, W_OK | X_OK) == 0 else { throw DiskError(action: "write", path: path) }
    }

    /// Synchronizes all files of its file system to the disk, with their names.
    func sync() throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { close(descriptor) }
        let code = cfile_sync_all(descriptor)
        guard code == 0 else { throw DiskError(action: "write", path: path, code: code) }
    }

    /// Equal for directories of one file system; unlike any other where the directory is missing.
    var fileSystem: String {
        let status = cfile_status_at(path)
        return status.failure == 0 ? "\(status.device)" : path
    }

    /// Whether it exists; something else at its path is an error.
    func exists() throws(DiskError) -> Bool {
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        guard !exists || isDirectory.boolValue else {
            throw DiskError(action: "make the directory", path: path, code: ENOTDIR)
        }
        return exists
    }

    /// Nil where its parent is the current directory or the root.
    private var parent: String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.popLast() != nil, !parts.isEmpty else { return nil }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}

/// A folder for the files of one command or run, which is removed at its end.
struct TemporaryFolder: Sendable {
    let url: URL
    /// TMPDIR, which is made with it where it is missing; nil in a given place.
    private let parent: Directory?

    /// - Parameters:
    ///   - name: the beginning of the folder's name.
    ///   - place: an existing folder; nil is TMPDIR, which need not exist.
    init(_ name: String, in place: URL? = nil) {
        let outer = place ?? FileManager.default.temporaryDirectory
        parent = place == nil ? Directory(outer.path) : nil
        url = outer.appendingPathComponent("\(name)-\(UUID().uuidString)", isDirectory: true)
    }

    var path: String { url.path }

    /// Makes the folder.
    ///
    /// - Parameter mode: by default other users cannot enter it.
    func make(mode: mode_t = 0o700) throws(DiskError) {
        do throws(DiskError) {
            try parent?.make()
        } catch {
            // Without the advice for a directory that an option names.
            throw DiskError(action: "create", path: path, code: error.code)
        }
        guard mkdir(path, mode) == 0 else { throw DiskError(action: "create", path: path) }
    }

    /// Repeats the removal, because a download or another process may still write into the folder.
    func remove() {
        for _ in 1...5 where access(path, F_OK) == 0 {
            try? FileManager.default.removeItem(at: url)
        }
    }
}
