import Foundation

/// Pure: what the bytes of a journal hold.
struct JournalScan {
    /// Nil where the whole file is damaged.
    private(set) var format: JournalFormat?
    private(set) var version = JournalFormat.version
    private(set) var payloads: [(place: Range<Int>, payload: Data)] = []
    /// Where the last record that is all there ends.
    private(set) var end = 0
    private(set) var damages: [Range<Int>] = []

    /// Past so many damaged places a file counts as damaged to its end.
    private static let mostDamages = 1_000

    /// - Throws: where no SHA-256 can be made.
    init(_ bytes: UnsafeRawBufferPointer) throws {
        let head = try JournalFormat.read(bytes)
        (format, version, damages) = head
        guard let format, version == JournalFormat.version else {
            if format == nil { damages = [0..<bytes.count] }
            end = bytes.count
            return
        }
        var offset = min(JournalFormat.headLength, bytes.count)
        while offset < bytes.count, let next = try step(bytes, format, offset) { offset = next }
        end = offset
    }

    /// Reads what is at an offset; nil where the rest was never accepted.
    private mutating func step(
        _ bytes: UnsafeRawBufferPointer, _ format: JournalFormat, _ offset: Int
    ) throws -> Int? {
        if let length = try format.payloadLength(bytes, at: offset) {
            let next = offset + JournalFormat.recordLength(length)
            guard next <= bytes.count else { return nil }
            if try format.isRight(bytes, at: offset, payload: length) {
                let start = offset + JournalFormat.recordHeadLength
                payloads.append((offset..<next, Data(bytes[start..<start + length])))
            } else {
                damages.append(offset..<next)
            }
            return damages.count > Self.mostDamages ? giveUp(bytes, next) : next
        }
        if Self.isTorn(bytes[offset...]) { return nil }
        guard damages.count < Self.mostDamages,
            let next = try nextRecord(bytes, format, after: offset)
        else { return giveUp(bytes, offset) }
        damages.append(offset..<next)
        return next
    }

    private mutating func giveUp(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        if offset < bytes.count { damages.append(offset..<bytes.count) }
        return bytes.count
    }

    /// The beginning of a head, or zeros, which some file systems leave behind a power cut.
    private static func isTorn(_ rest: Slice<UnsafeRawBufferPointer>) -> Bool {
        if rest.count < JournalFormat.recordHeadLength,
            zip(rest, JournalFormat.marker).allSatisfy(==)
        {
            return true
        }
        return rest.allSatisfy { $0 == 0 }
    }

    private func nextRecord(
        _ bytes: UnsafeRawBufferPointer, _ format: JournalFormat, after offset: Int
    ) throws -> Int? {
        for start in offset + 1..<max(offset + 1, bytes.count)
        where bytes[start] == JournalFormat.marker[0] {
            // The head's check is enough: only who has the file's random bytes can make one.
            if try format.payloadLength(bytes, at: start) != nil { return start }
        }
        return nil
    }

    /// Notes a record whose payload means nothing.
    mutating func noteDamage(_ place: Range<Int>) { damages.append(place) }
}
