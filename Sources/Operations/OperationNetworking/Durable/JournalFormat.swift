import Foundation
import HTTPSemantics

/// Pure: how records lie in the bytes of a journal (Documentation/Decisions/0041).
struct JournalFormat: Equatable {
    static let version: UInt32 = 1
    /// Bytes before the first record.
    static let headLength = 2 * copyLength
    /// Bytes before a payload, and behind it.
    static let (recordHeadLength, digestLength) = (16, 16)
    /// Bytes; no payload is longer.
    static let longestPayload = 1 << 18

    private static let magic = Array("ONQUEUE\0".utf8)
    static let marker = Array("REC\0".utf8)
    private static let saltLength = 16
    private static let copyLength = 36

    /// Known to nobody who chooses a body, so that no body is taken for a record.
    private let salt: [UInt8]

    /// The format of a new file.
    init() {
        salt = (0..<Self.saltLength).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// That of the first good copy of a head.
    ///
    /// - Returns: nil for the format where no copy is good; the places of the copies that are not.
    static func read(
        _ bytes: UnsafeRawBufferPointer
    ) throws -> (format: JournalFormat?, version: UInt32, damages: [Range<Int>]) {
        var (format, version): (JournalFormat?, UInt32) = (nil, Self.version)
        var damages: [Range<Int>] = []
        for start in [0, copyLength] {
            let end = min(start + copyLength, bytes.count)
            guard end - start == copyLength,
                Array(bytes[start..<start + 8]) == magic,
                try Array(bytes[end - 8..<end]) == hash([bytes[start..<end - 8]], 8)
            else {
                damages.append(min(start, bytes.count)..<end)
                continue
            }
            version = number(bytes, at: start + 8)
            format = JournalFormat(salt: Array(bytes[start + 12..<start + 12 + saltLength]))
        }
        return (format, version, damages)
    }

    private init(salt: [UInt8]) { self.salt = salt }

    // MARK: Writing

    func head() throws -> [UInt8] {
        let copy = Self.magic + Self.bytes(Self.version) + salt
        let checked = try copy.withUnsafeBytes { try copy + Self.hash([$0[...]], 8) }
        return checked + checked
    }

    /// A record as it lies at an offset.
    func record(_ payload: [UInt8], at offset: Int) throws -> [UInt8] {
        let length = UInt32(payload.count)
        let digest = try payload.withUnsafeBytes { bytes in try self.digest(bytes[...], offset) }
        return try Self.marker + Self.bytes(length) + check(length, offset) + payload + digest
    }

    static func recordLength(_ payload: Int) -> Int { recordHeadLength + payload + digestLength }

    // MARK: Reading

    /// The length of the payload whose head is at an offset; nil where there is no right head.
    func payloadLength(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws -> Int? {
        guard bytes.count - offset >= Self.recordHeadLength,
            Self.marker.indices.allSatisfy({ bytes[offset + $0] == Self.marker[$0] })
        else { return nil }
        let length: UInt32 = Self.number(bytes, at: offset + 4)
        guard length <= Self.longestPayload,
            try Array(bytes[offset + 8..<offset + 16]) == check(length, offset)
        else { return nil }
        return Int(length)
    }

    /// Whether a payload that is all there is the one that was written.
    func isRight(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, payload length: Int
    ) throws -> Bool {
        let start = offset + Self.recordHeadLength
        let end = start + length
        return try Array(bytes[end..<end + Self.digestLength])
            == digest(bytes[start..<end], offset)
    }

    // MARK: Checks

    private func check(_ length: UInt32, _ offset: Int) throws -> [UInt8] {
        let facts = salt + Self.bytes(UInt64(offset)) + Self.bytes(length)
        return try facts.withUnsafeBytes { try Self.hash([$0[...]], 8) }
    }

    private func digest(
        _ payload: Slice<UnsafeRawBufferPointer>, _ offset: Int
    ) throws -> [UInt8] {
        let facts = salt + Self.bytes(UInt64(offset)) + Self.bytes(UInt32(payload.count))
        return try facts.withUnsafeBytes { try Self.hash([$0[...], payload], Self.digestLength) }
    }

    private static func hash(
        _ parts: [Slice<UnsafeRawBufferPointer>], _ count: Int
    ) throws -> [UInt8] {
        let hash = try SHA256()
        for part in parts { hash.update(UnsafeRawBufferPointer(rebasing: part)) }
        return Array(try hash.bytes().prefix(count))
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian, Array.init)
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
