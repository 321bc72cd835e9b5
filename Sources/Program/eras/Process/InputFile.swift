import Foundation

/// A file that a command reads, or standard input.
struct InputFile {
    static let standardInput = "-"

    let path: String
    /// Flags of `open`, besides those for reading.
    private let flags: Int32
    private let isInput: Bool

    /// - Parameter argument: a path, or "-" for standard input.
    init(_ argument: String) {
        path = argument
        flags = 0
        isInput = argument == Self.standardInput
    }

    /// A file that was found, which may be named "-".
    init(at path: String, flags: Int32) {
        self.path = path
        self.flags = flags
        isInput = false
    }

    /// - Parameter limit: the most bytes; a larger file is an error, EFBIG.
    func read(limit: Int = .max) throws(DiskError) -> [UInt8] {
        var all: [UInt8] = []
        try pieces { piece in
            all += piece
            return all.count <= limit
        }
        guard all.count <= limit else { throw DiskError(action: "read", path: path, code: EFBIG) }
        return all
    }

    /// Passes the bytes piece by piece, until the block returns false.
    func pieces(_ take: (ArraySlice<UInt8>) -> Bool) throws(DiskError) {
        let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { if !isInput { close(descriptor) } }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw DiskError(action: "read", path: isInput ? "standard input" : path)
            }
            guard count > 0, take(buffer[..<count]) else { return }
        }
    }
}
