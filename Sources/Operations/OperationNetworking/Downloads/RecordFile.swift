import CLinux
import Foundation
import HTTPSemantics

/// The open file of a record. It has two halves of one size, and each record is written over the older one, by one
/// call; the half with the higher number counts whose digest is right. So an end of the process in the middle of a write
/// costs no more than the last record. So does a power cut where a half is one page of memory.
///
/// ## Concurrency
/// Call from: one queue, the download's; it may wait for the disk. Lock: none. Calls out: none.
final class RecordFile {
    let descriptor: Int32
    private let half: Int
    private var sequence: UInt64 = 1

    /// As many bytes as a half has at least; both are in one page.
    private static let least = 2_048
    private static let page = 4_096
    private static let opening = Data("{\n  \"digest\" : \"".utf8)
    private static let closing = Data("\",\n".utf8)
    private static var head: Int { opening.count + 64 + closing.count }

    /// Puts a new file in the place of the record before.
    init(_ record: DownloadRecord, at place: DownloadPlace) throws(DownloadError) {
        let text = Self.text(record, 1)
        half = Self.half(for: text)
        unlink(place.newRecord)
        descriptor = open(place.newRecord, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .disk("open", place.newRecord) }
        do {
            let blanks = Data(repeating: UInt8(ascii: " "), count: half)
            try Self.write(
                Self.signed(text, half) + blanks, to: descriptor, at: 0, place.newRecord)
        } catch {
            unlink(place.newRecord)
            throw error
        }
        guard rename(place.newRecord, place.record) == 0 else {
            throw .disk("write", place.record)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether a half is more than a page, so that the end of the process may cut its write.
    var mayBeCut: Bool { half > Self.page }

    /// Writes it over the older half.
    ///
    /// - Returns: false where it is longer than a half, or far shorter, or another program has removed the file.
    func overwrite(
        with record: DownloadRecord, at place: DownloadPlace
    ) throws(DownloadError) -> Bool {
        // The half that is not the record to go on with, also after a write that failed.
        let number = sequence + 1
        let text = Self.text(record, number)
        let fitting = Self.half(for: text)
        guard fitting <= half, fitting > half / 4, cfile_status_of(descriptor).links == 1 else {
            return false
        }
        let offset = number % 2 == 1 ? 0 : half
        try Self.write(Self.signed(text, half), to: descriptor, at: offset, place.record)
        sequence = number
        return true
    }

    // MARK: The form

    private struct Number: Decodable {
        var sequence: UInt64
    }

    /// The record of a file; nil where there is no whole one.
    static func record(in file: Data) -> DownloadRecord? {
        let half = file.count / 2
        let halves = [file.prefix(half), file.suffix(half)].compactMap(numbered)
        if let latest = halves.max(by: { $0.number < $1.number }) { return latest.record }
        // Until 0.2 it was one record, without a number.
        let decoder = JSONDecoder()
        let hasNumber = (try? decoder.decode(Number.self, from: file)) != nil
        return hasNumber ? nil : try? decoder.decode(DownloadRecord.self, from: file)
    }

    private static func numbered(_ half: Data) -> (number: UInt64, record: DownloadRecord)? {
        guard half.count > head, half.starts(with: opening),
            let digest = digest(of: half.dropFirst(head)),
            half.dropFirst(opening.count).prefix(64).elementsEqual(digest.utf8),
            let number = try? JSONDecoder().decode(Number.self, from: half),
            let record = try? JSONDecoder().decode(DownloadRecord.self, from: half)
        else { return nil }
        return (number.sequence, record)
    }

    /// A record's fields behind its number, without the digest before them.
    private static func text(_ record: DownloadRecord, _ number: UInt64) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // All of it are texts and numbers, which have a form.
        let fields = (try? encoder.encode(record)) ?? Data()
        return Data("  \"sequence\" : \(number),".utf8) + fields.dropFirst() + Data("\n".utf8)
    }

    private static func half(for text: Data) -> Int {
        var half = least
        while half < head + text.count { half *= 2 }
        return half
    }

    /// With its digest before it, and blanks behind.
    private static func signed(_ text: Data, _ half: Int) -> Data {
        let blanks = half - head - text.count
        let rest = text + Data(repeating: UInt8(ascii: " "), count: blanks)
        // While the process is exiting there is no digest, and so no record.
        let digest = digest(of: rest) ?? String(repeating: " ", count: 64)
        return opening + Data(digest.utf8) + closing + rest
    }

    private static func digest(of bytes: Data) -> String? {
        guard let hash = try? SHA256() else { return nil }
        bytes.withUnsafeBytes { hash.update($0) }
        return try? hash.digest()
    }

    private static func write(
        _ data: Data, to descriptor: Int32, at offset: Int, _ path: String
    ) throws(DownloadError) {
        let count = data.withUnsafeBytes {
            pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        guard count < data.count else { return }
        throw .disk(action: "write", path: path, code: count < 0 ? errno : ENOSPC)
    }
}
