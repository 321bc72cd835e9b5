import CLinux
import Foundation
import FoundationNetworking
import HTTPSemantics

/// A file during its download: `NAME.part`, its record, and the hashes of its bytes.
///
/// No file is created before `startOver`, so that a refused response leaves no file; a 204 that is refused later
/// leaves none by `discard`. The record is written after each half MiB of all segments together, so that a killed
/// process loses no more. After about each 16 MiB both files are written to the disk by `fsync`, on another thread.
///
/// Each segment has a hash of its own, for the record. The hash of the first becomes that of the file: when the
/// segment is complete, the bytes of the next one are read again and added. Some are read with each write, and
/// the remaining ones at the end.
///
/// ## Concurrency
/// Call from: one queue, the download's; every call may wait for the disk. Lock: none. Calls out: none.
class PartFile {
    /// Half as much if an interrupted write may damage the record, since the record before it then counts.
    private var recordInterval: Int64 { recordFile?.mayBeCut == true ? 1 << 18 : 1 << 19 }
    static let syncInterval: Int64 = 1 << 24
    /// Larger files are always written to the disk by `fsync` before they are renamed.
    private static let smallLength: Int64 = 1 << 20

    let place: DownloadPlace
    let address: String
    var descriptor: Int32 = -1
    var map = SegmentMap(length: nil)
    /// By the segments' ids.
    var hashes: [Int: SHA256] = [:]
    /// The end of the bytes in the first segment's hash, once that segment is complete.
    var hashed: Int64 = 0
    /// Nil if the response could not be continued.
    var record: DownloadRecord?
    /// The number of bytes that the record names, and of those written to the disk by `fsync`.
    var recorded: Int64 = 0
    var synced: Int64 = 0
    /// The `fsync` under way.
    var sync: PartSync?
    var recordFile: RecordFile?
    /// Whether another program's files at its paths may be replaced.
    let mayReplace: Bool
    /// Whether only a record can mark the part as made by a download, for lack of attributes.
    var isMarkedByRecord = false
    /// Whether there may be a record, or a partly written one.
    var mayHaveRecord = true
    /// See `DownloadOptions.isSyncedLater`.
    private let isSyncedLater: Bool
    /// The `fsync` of the part; tests replace it by one that fails.
    var calls = DiskCalls()

    init(
        _ place: DownloadPlace, address: String, mayReplace: Bool = false,
        isSyncedLater: Bool = false
    ) {
        self.place = place
        self.address = address
        self.mayReplace = mayReplace
        self.isSyncedLater = isSyncedLater
    }

    deinit {
        unlock()
    }

    /// The number of bytes that are stored.
    var stored: Int64 { map.stored }
    /// Whether the stored bytes may still be dropped.
    var mayStartOver: Bool { true }

    /// What a request for the missing bytes of a segment continues; nil for nothing.
    func content(of segment: SegmentMap.Segment) -> PartialContent? {
        guard let record, stored > 0 || segment.position > 0 || map.segments.count > 1 else {
            return nil
        }
        return record.content(at: segment.position)
    }

    // MARK: - Bytes

    /// Empties the part for a response that begins at the first byte.
    ///
    /// - Parameter length: of the file, if known.
    func startOver(_ record: DownloadRecord?, length: Int64?) throws {
        if descriptor < 0 { try make() }
        // First, so that the part is never beside the record of another version.
        removeRecord()
        // An empty file is not truncated: Linux would write it to the disk when it is closed.
        guard lseek(descriptor, 0, SEEK_END) == 0 || ftruncate(descriptor, 0) == 0 else {
            throw DownloadError.disk("empty", place.part)
        }
        if isMarkedByRecord { try write(record ?? DownloadRecord(markOf: address)) }
        try begin(record, length)
    }

    func begin(_ record: DownloadRecord?, _ length: Int64?) throws {
        map = SegmentMap(length: length)
        hashes = [map.first.id: try SHA256()]
        (hashed, recorded, synced, sync, self.record) = (0, 0, 0, nil, record)
        // For the connection whose response this is.
        _ = map.takeFirst()
    }

    /// Adds bytes to a segment. After an error it has those that could be written.
    final func append(
        _ bytes: UnsafeRawBufferPointer, to id: Int, isCancelled: () -> Bool
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty, let segment = map[id] {
            let piece = UnsafeRawBufferPointer(rebasing: rest)
            let count = try write(piece, at: segment.position, isCancelled: isCancelled)
            if hashes[id] == nil { hashes[id] = try SHA256() }
            hashes[id]?.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            map.add(count, to: id)
            rest = rest.dropFirst(count)
        }
        if stored - recorded >= recordInterval { try save() }
    }

    /// Writes some of the bytes.
    ///
    /// - Returns: their number, at least one.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws -> Int {
        while true {
            let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { throw DownloadError.disk("write", place.part) }
        }
    }

    /// Adds bytes behind the first segment, if that is complete, to its hash, and joins hashed segments.
    ///
    /// - Parameter limit: how many bytes may be read.
    func extendHash(_ limit: Int64, isCancelled: () -> Bool) throws {
        var left = limit
        while left > 0, map.segments.count > 1, let end = map.first.end, map.first.isComplete {
            let next = map.segments[1]
            // An empty segment may still be joined by `SegmentMap.takeOver`.
            guard next.position > next.start else { return }
            hashed = max(hashed, end)
            let count = min(left, next.position - hashed)
            if count > 0, let hash = hashes[map.first.id] {
                guard lseek(descriptor, off_t(hashed), SEEK_SET) == hashed else {
                    throw DownloadError.disk("read", place.part)
                }
                let read = try hash.update(
                    reading: count, of: descriptor, path: place.part, isCancelled: isCancelled)
                // Another program has made the part shorter.
                guard read == count else {
                    throw DownloadError.disk(action: "read", path: place.part, code: ESTALE)
                }
                hashed += count
                left -= count
            }
            guard hashed >= next.position else { return }
            // The first hash is now the hash of both.
            hashes[next.id] = hashes.removeValue(forKey: map.first.id)
            map.joinFirst()
            if !map.first.isComplete { return }
        }
    }

    // MARK: - The record

    /// Removes the record, so that the next request is for the whole file.
    final func dropRecord() {
        removeRecord()
        if isMarkedByRecord { try? write(DownloadRecord(markOf: address)) }
        record = nil
    }

    func write(_ record: DownloadRecord) throws(DownloadError) {
        mayHaveRecord = true
        if try recordFile?.overwrite(with: record, at: place) == true { return }
        recordFile = nil
        // The disk has the record before, or is about to have it.
        let mustSync = record.syncedOffset != nil || sync != nil
        recordFile = try RecordFile(record, at: place, syncedBy: mustSync ? calls : nil)
    }

    func removeRecord() {
        recordFile = nil
        if mayHaveRecord { DownloadRecord.remove(place) }
        mayHaveRecord = false
    }

    // MARK: - The end

    /// Reads the complete file for a sum of another kind.
    ///
    /// - Throws: `DownloadError.wrongHash`, after which there is no part.
    final func check(_ sum: FileSum, isCancelled: () -> Bool) throws {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw DownloadError.disk("read", place.part)
        }
        let hash = try SHA256(sum.kind)
        _ = try hash.update(
            reading: .max, of: descriptor, path: place.part, isCancelled: isCancelled)
        let digits = try hash.digest()
        guard digits == sum.digits else {
            discard()
            throw DownloadError.wrongHash(expected: sum.digits, received: digits)
        }
    }

    /// The SHA-256 of the complete file.
    final func digest() throws -> String {
        guard map.segments.count == 1, let hash = hashes[map.first.id] else {
            throw DigestUnavailable()
        }
        return try hash.digest()
    }

    /// Renames the complete part, or removes it because the existing file has the same bytes.
    ///
    /// - Parameters:
    ///   - expected: the hash that it must have.
    ///   - existing: the file at the destination, which is not replaced.
    ///   - mayReplace: whether any other file at the destination is replaced.
    /// - Returns: its SHA-256.
    /// - Throws: `DownloadError.wrongHash` and `.otherFile`, after which there is no part.
    func publish(expected: String?, existing: ExistingFile?, mayReplace: Bool) throws -> String {
        let digest = try digest()
        if let expected, expected != digest {
            discard()
            throw DownloadError.wrongHash(expected: expected, received: digest)
        }
        if let existing {
            discard()
            guard digest == existing.sha256, existing.mark(place.path, address) else {
                throw DownloadError.otherFile(
                    path: place.path, length: existing.length, expectedLength: stored)
            }
            return digest
        }
        let code = sync?.result.flatMap { $0 == 0 ? nil : $0 }
        guard code == nil, mayBeSyncedLater || calls.fsync(descriptor) == 0 else {
            let error = DownloadError.disk(action: "write", path: place.part, code: code ?? errno)
            dropRecord()
            throw error
        }
        // Another program may have changed or replaced the part.
        guard LockedFile.isNamed(descriptor, place.part),
            cfile_status_of(descriptor).size == stored
        else {
            throw DownloadError.disk(action: "rename", path: place.part, code: ESTALE)
        }
        FileOrigin(address, of: descriptor)?.write(to: descriptor)
        // Without `mayReplace`, a file that was made during the download is not replaced either.
        let failure =
            mayReplace
            ? (rename(place.part, place.path) == 0 ? 0 : errno)
            : cfile_rename_new(place.part, place.path)
        guard failure == 0 else {
            throw DownloadError.disk(action: "rename", path: place.part, code: failure)
        }
        removeRecord()
        recorded = stored
        unlock()
        return digest
    }

    /// Whether the caller calls `fsync` later. If the power fails before, the mark shows that bytes are missing
    /// (`FileOrigin.isCutShort`).
    private var mayBeSyncedLater: Bool {
        isSyncedLater && stored <= Self.smallLength && !isMarkedByRecord
    }

    /// Removes the part and its record.
    func discard() {
        // Another program may have replaced the part.
        if LockedFile.isNamed(descriptor, place.part) { unlink(place.part) }
        removeRecord()
        unlock()
    }

    /// Writes the record, then closes and unlocks the part. A second call does nothing.
    func close() {
        // If the disk is full, the record before is still valid.
        try? save()
        guard let sync, descriptor >= 0 else { return unlock() }
        self.sync = nil
        sync.leave { code in
            if code ?? 0 != 0 { dropRecord() }
            unlock()
        } lost: { [place, mark = isMarkedByRecord ? DownloadRecord(markOf: address) : nil] part in
            Self.dropRecord(of: part, place, mark)
        }
    }

    final func unlock() {
        recordFile = nil
        guard descriptor >= 0 else { return }
        // A process that is being started may have a copy of the descriptor, and with it the lock.
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
        descriptor = -1
    }
}

// MARK: - Writing the record

extension PartFile {
    /// Writes the record, and begins an `fsync` after about each 16 MiB.
    func save() throws {
        guard descriptor >= 0, var record, let hash = hashes[map.first.id], stored > recorded else {
            return
        }
        try takeSynced(into: &record)
        record.offset = max(map.first.position, hashed)
        record.sha256 = try hash.digest()
        let before = record.ranges ?? []
        let ranges = try map.segments.dropFirst().filter { $0.position > $0.start }.map { segment in
            let known = before.first { $0.start == segment.start }
            return DownloadRecord.StoredRange(
                start: segment.start, end: segment.position,
                sha256: try hashes[segment.id]?.digest() ?? "", syncedEnd: known?.syncedEnd,
                syncedSHA256: known?.syncedSHA256)
        }
        record.ranges = ranges.isEmpty ? nil : ranges
        try write(record)
        self.record = record
        recorded = stored
        if sync == nil, stored - synced >= Self.syncInterval {
            sync = PartSync(
                record, stored, of: descriptor, recordFile?.descriptor ?? -1, path: place.part,
                by: calls)
            if sync != nil { recordFile?.syncBegins() }
        }
    }

    /// Records the bytes that an `fsync` has written to the disk.
    ///
    /// - Throws: the error of the `fsync`. The record is then dropped: the system may have lost any of the bytes, and
    ///   reports that once.
    private func takeSynced(into record: inout DownloadRecord) throws(DownloadError) {
        guard let done = sync, let code = done.result else { return }
        sync = nil
        guard code == 0 else {
            dropRecord()
            throw .disk(action: "write", path: place.part, code: code)
        }
        recordFile?.syncEnds(done.isRecordSynced)
        synced = done.stored
        (record.syncedOffset, record.syncedSHA256) = (done.record.offset, done.record.sha256)
        record.ranges = record.ranges?.map { range in
            guard let then = done.record.ranges?.first(where: { $0.start == range.start }) else {
                return range
            }
            var range = range
            (range.syncedEnd, range.syncedSHA256) = (then.end, then.sha256)
            return range
        }
    }

    /// Removes the record after the download has ended, unless another download has the part: the system reports the
    /// error to that one too.
    ///
    /// - Parameter mark: a record without bytes to write instead, if the part needs one.
    static func dropRecord(
        of part: Int32, _ place: DownloadPlace, _ mark: DownloadRecord?
    ) {
        guard flock(part, LOCK_EX | LOCK_NB) == 0 else { return }
        // A process that is being started may have a copy of the descriptor.
        defer { flock(part, LOCK_UN) }
        guard LockedFile.isNamed(part, place.part) else { return }
        DownloadRecord.remove(place)
        if let mark { try? mark.write(place) }
    }
}
