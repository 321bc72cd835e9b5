import CLinux
import Foundation
import HTTPSemantics

/// The open file of a record. It has two parts of one size. Each record is written over another part than the last
/// one. The part that counts has the highest number of those whose digest is right. So an end of the process in the
/// middle of a write costs no more than that record.
///
/// The same is true of a power cut where a part is at most one page of memory. Of longer parts there are four, so that
/// these stay: the last record, the one that the disk has, and the one that it is about to have.
///
/// ## Concurrency
/// Call from: one queue, the download's; it may wait for the disk. Lock: none. Calls out: none.
final class RecordFile {
    let descriptor: Int32
    /// The bytes of a part.
    private let size: Int
    private var sequence: UInt64 = 1
    /// The parts of the last record, of the one that the disk has, and of the one that it is about to have.
    private var (last, synced, syncing): (Int, Int?, Int?) = (0, nil, nil)

    /// As many bytes as a part has at least; two are in one page.
    private static let least = 2_048
    private static let page = 4_096
    private static let opening = Data("{\n  \"digest\" : \"".utf8)
    private static let closing = Data("\",\n".utf8)
    private static var head: Int { opening.count + 64 + closing.count }

    /// Replaces the file of the record before.
    ///
    /// - Parameter calls: write the new file to the disk first; nil if the disk has no record that could be lost.
    init(
        _ record: DownloadRecord, at place: DownloadPlace, syncedBy calls: DiskCalls? = nil
    ) throws(DownloadError) {
        let text = Self.text(record, 1)
        size = Self.size(for: text)
        unlink(place.newRecord)
        descriptor = open(place.newRecord, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .disk("open", place.newRecord) }
        do throws(DownloadError) {
            let blanks = Data(
                repeating: UInt8(ascii: " "), count: size * (Self.count(size) - 1))
            try Self.write(
                Self.signed(text, size) + blanks, to: descriptor, at: 0, place.newRecord)
            if let calls {
                guard calls.fsync(descriptor) == 0 else { throw .disk("write", place.newRecord) }
                if mayBeCut { synced = last }
            }
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

    private static func count(_ size: Int) -> Int { size > page ? 4 : 2 }

    /// Whether a part is more than a page, so that the end of the process may cut its write.
    var mayBeCut: Bool { size > Self.page }

    /// Writes it over another part than the last.
    ///
    /// - Returns: false where it is longer than a part, or far shorter, or another program has removed the file.
    func overwrite(
        with record: DownloadRecord, at place: DownloadPlace
    ) throws(DownloadError) -> Bool {
        let number = sequence + 1
        let text = Self.text(record, number)
        let fitting = Self.size(for: text)
        guard fitting <= size, fitting > size / 4, cfile_status_of(descriptor).links == 1 else {
            return false
        }
        // After a write that failed it is the same part again.
        let part = (0..<Self.count(size)).first { ![last, synced, syncing].contains($0) } ?? last
        try Self.write(Self.signed(text, size), to: descriptor, at: part * size, place.record)
        (sequence, last) = (number, part)
        return true
    }

    /// The last record is being written through to the disk.
    func syncBegins() {
        if mayBeCut { syncing = last }
    }

    /// - Parameter isSynced: whether the record that was the last when the sync began is on the disk.
    func syncEnds(_ isSynced: Bool) {
        if isSynced { synced = syncing ?? synced }
        syncing = nil
    }

    // MARK: The form

    private struct Number: Decodable {
        var sequence: UInt64
    }

    /// The record of a file; nil where there is no whole one.
    static func record(in file: Data) -> DownloadRecord? {
        // Only with the right number of parts does a digest fit.
        let records = [2, 4].flatMap { count in
            let size = file.count / count
            return (0..<count).compactMap { numbered(file.dropFirst($0 * size).prefix(size)) }
        }
        if let latest = records.max(by: { $0.number < $1.number }) { return latest.record }
        // Until 0.2 it was one record, without a number.
        let decoder = JSONDecoder()
        let hasNumber = (try? decoder.decode(Number.self, from: file)) != nil
        return hasNumber ? nil : try? decoder.decode(DownloadRecord.self, from: file)
    }

    private static func numbered(_ part: Data) -> (number: UInt64, record: DownloadRecord)? {
        guard part.count > head, part.starts(with: opening),
            let digest = SHA256.digest(of: part.dropFirst(head)),
            part.dropFirst(opening.count).prefix(64).elementsEqual(digest.utf8),
            let number = try? JSONDecoder().decode(Number.self, from: part),
            let record = try? JSONDecoder().decode(DownloadRecord.self, from: part)
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

    private static func size(for text: Data) -> Int {
        var size = least
        while size < head + text.count { size *= 2 }
        return size
    }

    /// With its digest before it, and blanks behind.
    private static func signed(_ text: Data, _ size: Int) -> Data {
        let blanks = size - head - text.count
        let rest = text + Data(repeating: UInt8(ascii: " "), count: blanks)
        // While the process is exiting there is no digest, and so no record.
        let digest = SHA256.digest(of: rest) ?? String(repeating: " ", count: 64)
        return opening + Data(digest.utf8) + closing + rest
    }

    private static func write(
        _ data: Data, to descriptor: Int32, at offset: Int, _ path: String
    ) throws(DownloadError) {
        var (rest, offset) = (data, off_t(offset))
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress, $0.count, offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw .disk(action: "write", path: path, code: count < 0 ? errno : ENOSPC)
            }
            rest = rest.dropFirst(count)
            offset += off_t(count)
        }
    }
}
