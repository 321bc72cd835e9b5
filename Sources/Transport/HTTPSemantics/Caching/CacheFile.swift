import CLinux
package import Foundation

/// The file format of a stored response: a preamble of fixed size, the header as JSON, the body.
///
/// The preamble has both lengths and a SHA-256 of each part; that of the header covers the preamble
/// too. So a truncated or changed file is detected and never used.
enum CacheFile {
    private static let magic = Data("OPNCACH1".utf8)
    private static let digestSize = 32
    private static var lengthsEnd: Int { magic.count + 16 }
    static var preambleSize: Int { lengthsEnd + 2 * digestSize }
    /// The transport limits headers; this limit only catches a damaged length.
    private static let headLimit: UInt64 = 16 << 20

    static func start(head: StoredHead, body: Data) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let headBytes = try encoder.encode(head)
        guard let bodyDigest = FileSum.Kind.sha256.sum(of: body) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let open = magic + number(headBytes.count) + number(body.count) + bodyDigest
        guard let headDigest = FileSum.Kind.sha256.sum(of: open + headBytes) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return open + headDigest + headBytes
    }

    /// What precedes the body; nil where the preamble is not valid, or the file cannot be read.
    static func start(of file: StoredFile) -> Data? {
        guard let preamble = file.bytes(preambleSize),
            let size = startSize(preamble, fileSize: file.size),
            let rest = file.bytes(size - preambleSize)
        else { return nil }
        return preamble + rest
    }

    /// How many bytes precede the body, by the preamble; nil where the preamble is not valid.
    private static func startSize(_ preamble: Data, fileSize: Int) -> Int? {
        let bytes = Data(preamble)
        guard bytes.prefix(magic.count) == magic else { return nil }
        let headSize = number(bytes[magic.count..<(magic.count + 8)])
        let bodySize = number(bytes[(magic.count + 8)..<lengthsEnd])
        guard headSize <= headLimit, bodySize <= UInt64(Int32.max) << 16 else { return nil }
        let start = preambleSize + Int(headSize)
        return start + Int(bodySize) == fileSize ? start : nil
    }

    /// The header, from the bytes before the body; nil where they are damaged.
    static func head(_ start: Data) -> StoredHead? {
        let bytes = Data(start)
        guard bytes.count > preambleSize else { return nil }
        let headBytes = bytes[preambleSize...]
        let open = bytes[..<(lengthsEnd + digestSize)]
        let digest = bytes[(lengthsEnd + digestSize)..<preambleSize]
        guard FileSum.Kind.sha256.sum(of: open + headBytes) == digest else { return nil }
        return try? JSONDecoder().decode(StoredHead.self, from: headBytes)
    }

    enum Failure: Error {
        case damaged
        /// No descriptor was left, or OpenSSL could not hash the body; the file may be whole.
        case notNow
    }

    /// The body, which was hashed whole and has the hash that the file names: in memory up to a number
    /// of bytes, else in its file.
    static func body(of file: StoredFile, upTo limit: Int) throws(Failure) -> StoredBody {
        guard let start = start(of: file), head(start) != nil else { throw .damaged }
        guard let hash = try? SHA256() else { throw .notNow }
        let size = file.size - start.count
        let piece = size <= limit ? size : 1 << 16
        var bytes = Data()
        for done in stride(from: 0, to: size, by: max(1, piece)) {
            guard let next = file.bytes(min(piece, size - done)) else { throw .damaged }
            next.withUnsafeBytes { hash.update($0) }
            bytes = next
        }
        guard let digest = try? hash.bytes() else { throw .notNow }
        guard start.dropFirst(lengthsEnd).prefix(digestSize).elementsEqual(digest) else {
            throw .damaged
        }
        if size <= limit { return .data(bytes) }
        lseek(file.descriptor, off_t(start.count), SEEK_SET)
        return .file(file, size: size, digest: digest)
    }

    private static func number(_ value: Int) -> Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    private static func number(_ bytes: Data) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The body of a stored response.
package enum StoredBody: Sendable {
    case data(Data)
    /// A long one. It was read through once, and has this SHA-256.
    case file(StoredFile, size: Int, digest: [UInt8])

    package var count: Int {
        switch self {
        case .data(let data): data.count
        case .file(_, let size, _): size
        }
    }

    /// Nil where it is in a file.
    var inMemory: Data? {
        if case .data(let data) = self { data } else { nil }
    }
}

/// The open file of a stored response. In a `StoredBody`, its next byte is the body's first. It may
/// be deleted meanwhile.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
package final class StoredFile: Sendable {
    package let descriptor: Int32
    let size: Int
    /// Seconds and nanoseconds of the last use.
    let used: (Int64, Int64)

    /// Nil where it cannot be opened, or is no regular file.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // `fstat` of no descriptor would replace the reason in `errno`.
        let status = descriptor >= 0 ? cfile_status_of(descriptor) : cfile_status()
        size = Int(status.size)
        used = (status.modified_seconds, status.modified_nanoseconds)
        guard descriptor >= 0, status.failure == 0, status.is_regular != 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Exactly as many bytes as asked for, or nil.
    func bytes(_ count: Int) -> Data? {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let step = data.withUnsafeMutableBytes {
                read(descriptor, $0.baseAddress?.advanced(by: done), count - done)
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { return nil }
            done += step
        }
        return data
    }
}

/// What was read of a stored body, before its response was asked for.
package struct ReadBody: Sendable {
    let id: UInt64
    /// Nil where the file is gone or damaged, or cannot be read now.
    let body: StoredBody?
}

/// Where the body of a stored response may be read from.
package enum StoredBodies {
    /// Also from its file: the caller may block on a disk.
    case anywhere
    /// Only from memory, or what was read before.
    case memory(or: ReadBody?)
}
