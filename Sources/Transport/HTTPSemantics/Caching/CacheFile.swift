import Foundation

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
        guard let bodyDigest = CacheDigest.sha256(body) else { throw CocoaError(.fileWriteUnknown) }
        let open = magic + number(headBytes.count) + number(body.count) + bodyDigest
        guard let headDigest = CacheDigest.sha256(open, headBytes) else {
            throw CocoaError(.fileWriteUnknown)
        }
        return open + headDigest + headBytes
    }

    /// What precedes the body; nil where the preamble is not valid.
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
        guard
            CacheDigest.sha256(open, headBytes) == bytes[(lengthsEnd + digestSize)..<preambleSize]
        else { return nil }
        return try? JSONDecoder().decode(StoredHead.self, from: headBytes)
    }

    enum Failure: Error {
        case damaged
        /// The system has no descriptor left, or no digest any more; the file may be whole.
        case notNow
    }

    /// The body, whose every byte was read and compared: in memory up to a number of bytes, else in
    /// its file.
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

enum CacheDigest {
    /// The hash of several pieces joined; nil when OpenSSL fails.
    static func sha256(_ pieces: Data...) -> Data? {
        guard let hash = try? SHA256() else { return nil }
        for piece in pieces { piece.withUnsafeBytes { hash.update($0) } }
        return (try? hash.bytes()).map { Data($0) }
    }

    static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func sixteenRandomBytes() -> Data {
        var system = SystemRandomNumberGenerator()
        return withUnsafeBytes(of: (system.next(), system.next())) { Data($0) }
    }
}
