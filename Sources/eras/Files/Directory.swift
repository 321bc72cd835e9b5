import Foundation

/// A folder that a command writes into.
struct Directory {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Makes it and what is missing above it; one that is there is good.
    ///
    /// - Throws: `DiskError` with the reason for which the system made none.
    func make() throws(DiskError) {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) {
            if isDirectory.boolValue { return }
            throw DiskError(action: "make the directory", path: path, code: ENOTDIR)
        }
        if let parent { try Directory(parent).make() }
        // The reason is read before anything else is called.
        let code = mkdir(path, 0o777) == 0 ? 0 : errno
        // Somebody else may have made it meanwhile.
        guard code == 0 || code == EEXIST else {
            throw DiskError(action: "make the directory", path: path, code: code)
        }
    }

    /// nil for one that has none above it but the current one or the root.
    private var parent: String? {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard parts.popLast() != nil, !parts.isEmpty else { return nil }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }
}
