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

    /// How many bytes precede the body, by the preamble; nil where the preamble is not valid.
    static func startSize(_ preamble: Data, fileSize: Int) -> Int? {
        let bytes = Data(preamble.prefix(preambleSize))
        guard bytes.count == preambleSize, bytes.prefix(magic.count) == magic else { return nil }
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

    /// The body from a whole file; nil when any part of it is damaged.
    static func body(_ file: Data) -> Data? {
        guard let start = startSize(file, fileSize: file.count), head(file.prefix(start)) != nil
        else { return nil }
        let body = Data(file.dropFirst(start))
        let digest = file.dropFirst(lengthsEnd).prefix(digestSize)
        return CacheDigest.sha256(body) == Data(digest) ? body : nil
    }

    private static func number(_ value: Int) -> Data {
        Data((0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) })
    }

    private static func number(_ bytes: Data) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
