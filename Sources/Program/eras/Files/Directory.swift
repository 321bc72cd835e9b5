import CLinux
import Foundation

/// A directory for a command's files.
struct Directory {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Makes the directory and its missing parents. An existing directory is no error.
    ///
    /// - Throws: `DiskError` with the system's reason.
    func make() throws(DiskError) {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            if isDirectory.boolValue { return }
            throw DiskError(action: "make the directory", path: path, code: ENOTDIR)
        }
        if let parent { try Directory(parent).make() }
        // errno is read before the next call changes it.
        let code = mkdir(path, 0o777) == 0 ? 0 : errno
        // Another process may have made it meanwhile.
        guard code == 0 || code == EEXIST else {
            throw DiskError(action: "make the directory", path: path, code: code)
        }
    }

    /// Checks that files can be made in the directory, or that it can be made, without making any.
    ///
    /// - Throws: `DiskError` with the system's reason.
    func check() throws(DiskError) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
            return try Directory(parent ?? (path.hasPrefix("/") ? "/" : ".")).check()
        }
        guard isDirectory.boolValue else {
            throw DiskError(action: "make the directory", path: path, code: ENOTDIR)
        }
        guard access(path, W_OK | X_OK) == 0 else { throw DiskError(action: "write", path: path) }
    }

    /// Synchronizes all files of its file system to the disk, with their names.
    ///
    /// - Throws: `DiskError` with the system's reason.
    func sync() throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { close(descriptor) }
        let code = cfile_sync_all(descriptor)
        guard code == 0 else { throw DiskError(action: "write", path: path, code: code) }
    }

    /// nil when its parent is the current directory or the root.
    private var parent: String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.popLast() != nil, !parts.isEmpty else { return nil }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}
