import CFileStatus
import Foundation

/// A file that a command writes in one piece; "-" is standard output.
struct NewFile {
    static let standardOutput = "-"

    let path: String
    /// Who may read it, when it is made.
    private let mode: mode_t

    init(_ path: String, mode: mode_t = 0o644) {
        self.path = path
        self.mode = mode
    }

    /// Checks that it can be written, without a change to it.
    ///
    /// - Throws: `DiskError`.
    func check() throws(DiskError) {
        guard path != Self.standardOutput else { return }
        let isNew = access(path, F_OK) != 0
        // O_NONBLOCK: a pipe without a reader can be written later.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, mode)
        guard descriptor >= 0 || errno == ENXIO else {
            throw DiskError(action: "write", path: path)
        }
        if descriptor >= 0 { close(descriptor) }
        if isNew { unlink(path) }
    }

    /// Writes the data in place of the old contents.
    ///
    /// - Throws: `DiskError`.
    func save(_ data: Data) throws(DiskError) {
        guard path != Self.standardOutput else {
            return Console.toOutput(String(decoding: data, as: UTF8.self))
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw DiskError(action: "write", path: path) }
        defer { close(descriptor) }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = DiskError(action: "write", path: path)
                // Half a file is none. A device or a pipe stays.
                if cfile_status_of(descriptor).is_regular == 1 { unlink(path) }
                throw error
            }
            rest = rest.dropFirst(count)
        }
    }
}
