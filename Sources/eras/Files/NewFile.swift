import Foundation

/// A file that a command writes as a whole.
struct NewFile {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// Writes it, in place of what was there.
    ///
    /// - Throws: `DiskError`.
    func save(_ data: Data) throws(DiskError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw DiskError(action: "write", path: path) }
        defer { close(descriptor) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskError(action: "write", path: path) }
            rest = rest.dropFirst(count)
        }
    }
}
