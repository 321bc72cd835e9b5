import Foundation

/// A file that a command reads; the path "-" means standard input.
struct InputFile {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// - Throws: `DiskError`.
    func read() throws(DiskError) -> [UInt8] {
        guard path != NewFile.standardOutput else {
            return try Self.read(STDIN_FILENO, "standard input")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { close(descriptor) }
        return try Self.read(descriptor, path)
    }

    private static func read(_ descriptor: Int32, _ path: String) throws(DiskError) -> [UInt8] {
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError(action: "read", path: path) }
            if count == 0 { return all }
            all += buffer[..<count]
        }
    }
}
