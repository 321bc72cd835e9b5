import CLinux
import Foundation
import FoundationNetworking
import HTTPSemantics

/// A file during its download: `NAME.part`, its record, and the hashes of its bytes.
///
/// No file is created before `startOver`, so that a refused response leaves no file. The record follows the
/// bytes each half MiB, of all segments together; a process that is killed loses nothing that was written, and
/// so at most what the record lacks. About each 16 MiB both are written through to the disk, while more is written.
///
/// Each segment has a hash of its own, for the record. That of the first becomes the hash of the file: once it
/// has met the next segment it goes over that one's bytes too, which are read again, a few for each byte that
/// is written, and what is missing at the end.
///
/// ## Concurrency
/// Call from: one queue, the download's; every call may wait for the disk. Lock: none. Calls out: none.
class PartFile {
    /// Half of it where a record may be cut, so that the one before is no further away.
    private var recordInterval: Int64 { recordFile?.mayBeCut == true ? 1 << 18 : 1 << 19 }
    static let syncInterval: Int64 = 1 << 24
    /// Larger files are written through to the disk each before they get their name.
    private static let smallLength: Int64 = 1 << 20

    let place: DownloadPlace
    let address: String
    var descriptor: Int32 = -1
    var map = SegmentMap(length: nil)
    /// By the numbers of the segments.
    var hashes: [Int: SHA256] = [:]
    /// Up to where the first segment's hash goes, once that is complete.
    var hashed: Int64 = 0
    /// Nil where what comes cannot be continued.
    var record: DownloadRecord?
    /// The bytes that the record on the disk names, and those that are there for certain.
    var recorded: Int64 = 0
    var synced: Int64 = 0
    /// Writes both through to the disk.
    var sync: PartSync?
    /// The record's file, which is written over.
    var recordFile: RecordFile?
    /// Whether what lies in its place may be replaced, whoever made it.
    let mayReplace: Bool
    /// Whether a record alone can say that the part is a download's.
    var isMarkedByRecord = false
    /// Whether there may be a record, or one that is being written.
    var mayHaveRecord = true
    /// Whether a small file is written through to the disk later, with others.
    private let isSyncedLater: Bool
    /// Of the file's bytes; a test has its own disk refuse them.
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

    /// All bytes that are there.
    var stored: Int64 { map.stored }
    /// Whether what is there may still be given up for another file.
    var mayStartOver: Bool { true }

    /// What a request for the rest of a segment continues; nil: nothing.
    func content(of segment: SegmentMap.Segment) -> PartialContent? {
        guard let record, stored > 0 || segment.position > 0 || map.segments.count > 1 else {
            return nil
        }
        return record.content(at: segment.position)
    }

    /// Opens an earlier part and reads it, which takes time for a long one.
    ///
    /// It counts where it holds what its record says; what was never recorded is asked for again.
    ///
    /// - Parameter anyAddress: whether a part from another address counts too.
    func open(anyAddress: Bool, isCancelled: () -> Bool) throws {
        try openEarlier(anyAddress: anyAddress, isCancelled: isCancelled)
    }

    // MARK: - Bytes

    /// Empties the part for a response that begins at the first byte.
    ///
    /// - Parameter length: that of the file, where it is known.
    func startOver(_ record: DownloadRecord?, length: Int64?) throws {
        if descriptor < 0 { try make() }
        // First, so that a part never lies beside the record of another version.
        removeRecord()
        // A new file is not truncated: Linux would write it to the disk at once when it is closed.
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
        // The one whose bytes are about to come.
        _ = map.takeFirst()
    }

    /// Adds bytes to a segment. After an error the part has the bytes that could be written.
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
    /// - Returns: how many; at least one.
    func write(
        _ bytes: UnsafeRawBufferPointer, at offset: Int64, isCancelled: () -> Bool
    ) throws -> Int {
        while true {
            let count = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
            if count > 0 { return count }
            guard count < 0, errno == EINTR else { throw DownloadError.disk("write", place.part) }
        }
    }

    /// Hashes bytes behind the first segment, where that is complete, and joins those that are hashed.
    ///
    /// - Parameter limit: how many bytes may be read.
    func catchUp(_ limit: Int64, isCancelled: () -> Bool) throws {
        var left = limit
        while left > 0, map.segments.count > 1, let end = map.first.end, map.first.isComplete {
            let next = map.segments[1]
            // An empty one may still be joined with this.
            guard next.position > next.start else { return }
            hashed = max(hashed, end)
            let count = min(left, next.position - hashed)
            if count > 0, let hash = hashes[map.first.id] {
                guard lseek(descriptor, off_t(hashed), SEEK_SET) == hashed,
                    try hash.update(
                        reading: count, of: descriptor, path: place.part, isCancelled: isCancelled)
                        == count
                else { throw DownloadError.disk("read", place.part) }
                hashed += count
                left -= count
            }
            guard hashed >= next.position else { return }
            // It is the hash of both from now on.
            hashes[next.id] = hashes.removeValue(forKey: map.first.id)
            map.joinFirst()
            if !map.first.isComplete { return }
        }
    }

    // MARK: - The record

    /// Writes down which bytes there are, and about each 16 MiB makes sure of it.
    func save() throws { try writeRecord() }

    /// Forgets what makes the part continuable: the next request is for the whole file.
    final func forget() {
        removeRecord()
        if isMarkedByRecord { try? write(DownloadRecord(markOf: address)) }
        record = nil
    }

    func write(_ record: DownloadRecord) throws(DownloadError) {
        mayHaveRecord = true
        if try recordFile?.overwrite(with: record, at: place) == true { return }
        recordFile = nil
        recordFile = try RecordFile(record, at: place)
    }

    func removeRecord() {
        recordFile = nil
        if mayHaveRecord { DownloadRecord.remove(place) }
        mayHaveRecord = false
    }

    // MARK: - The end

    /// The SHA-256 of the file, all of whose bytes are there.
    final func digest() throws -> String {
        guard map.segments.count == 1, let hash = hashes[map.first.id] else {
            throw DigestUnavailable()
        }
        return try hash.digest()
    }

    /// Gives the whole part its final name, or finds that the existing file has the same bytes.
    ///
    /// - Parameters:
    ///   - expected: the hash it must have.
    ///   - existing: the file at the destination, which stays.
    ///   - mayReplace: whether a file that is there is replaced.
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
            forget()
            throw error
        }
        // Another program may have changed it, or given its name to another file.
        guard LockedFile.isNamed(descriptor, place.part),
            cfile_status_of(descriptor).size == stored
        else {
            throw DownloadError.disk(action: "rename", path: place.part, code: ESTALE)
        }
        FileOrigin(address, of: descriptor)?.write(to: descriptor)
        // A file that was made during the download is not replaced.
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

    /// Whether a power cut may take bytes of it until its caller has written all through: its mark says then
    /// that they are missing (`FileOrigin.isCutShort`).
    private var mayBeSyncedLater: Bool {
        isSyncedLater && stored <= Self.smallLength && !isMarkedByRecord
    }

    private func discard() {
        // Another program may have given its name to another file.
        if LockedFile.isNamed(descriptor, place.part) { unlink(place.part) }
        removeRecord()
        unlock()
    }

    /// Closes and unlocks the part, which stays with a record of all its bytes. A second call does nothing.
    func close() {
        // Where the disk takes no more, the record before still counts.
        try? save()
        guard let sync, descriptor >= 0 else { return unlock() }
        self.sync = nil
        sync.leave { code in
            if code ?? 0 != 0 { forget() }
            unlock()
        } lost: { [place, mark = isMarkedByRecord ? DownloadRecord(markOf: address) : nil] part in
            Self.forget(part, place, mark)
        }
    }

    final func unlock() {
        recordFile = nil
        guard descriptor >= 0 else { return }
        // A process that is being started meanwhile may hold a copy for a moment, and the lock with
        // it.
        flock(descriptor, LOCK_UN)
        Foundation.close(descriptor)
        descriptor = -1
    }
}
