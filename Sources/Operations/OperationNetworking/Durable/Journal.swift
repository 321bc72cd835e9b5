import CLinux
import Foundation

/// The file of a durable queue's records.
///
/// ## Concurrency
/// Call from: one queue, that of the durable queue; every call may wait for the disk. Lock: none. Calls out:
/// none.
final class Journal {
    let folder: String
    private let calls: DiskCalls
    private(set) var table = JournalTable()
    private var format = JournalFormat()
    private var lockDescriptor: Int32 = -1
    private var descriptor: Int32 = -1
    private var length = 0
    /// Whether what the file ends with is not known.
    private var isUncertain = false

    /// Bytes; no file is longer than this.
    static let longest = 1 << 29
    /// Bytes that the end of an entry may take.
    private static let endLength = 160
    /// Bytes that need not be of use.
    private static let slack = 1 << 18

    var path: String { folder + "/journal" }
    private var newPath: String { folder + "/journal.new" }

    /// Opens the journal of a folder, which is made where there is none, and reads it.
    ///
    /// - Parameter acceptsDamage: whether a damaged file is replaced by one of its intact records, and kept
    ///   as `journal.damaged`.
    init(folder: String, acceptsDamage: Bool, calls: DiskCalls = DiskCalls()) throws {
        self.folder = folder
        self.calls = calls
        if mkdir(folder, 0o700) == 0 {
            let parent = URL(fileURLWithPath: folder).deletingLastPathComponent()
            try calls.syncFolder(parent.path)
        } else if errno != EEXIST {
            throw DurableQueueError.disk("make", folder)
        }
        do {
            try takeLock()
            unlink(newPath)
            if let damages = try read(), !damages.isEmpty {
                guard acceptsDamage else { throw DurableQueueError.damaged(path: path, damages) }
                try keepDamaged()
                try rewrite()
            } else if descriptor < 0 {
                try rewrite()
            }
        } catch {
            close()
            throw error
        }
    }

    deinit {
        close()
    }

    func close() {
        for held in [descriptor, lockDescriptor] where held >= 0 {
            // A process that is being started meanwhile may hold a copy for a moment, and the lock with it.
            if held == lockDescriptor { flock(held, LOCK_UN) }
            Foundation.close(held)
        }
        (descriptor, lockDescriptor) = (-1, -1)
    }

    private func takeLock() throws {
        let path = folder + "/lock"
        lockDescriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lockDescriptor >= 0 else { throw DurableQueueError.disk("open", path) }
        guard flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { throw DurableQueueError.inUse(path: folder) }
            throw DurableQueueError.disk("lock", path)
        }
    }

    // MARK: Reading

    /// - Returns: nil where there is no file.
    private func read() throws -> [DurableQueueError.Damage]? {
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw DurableQueueError.disk("open", path)
        }
        let status = cfile_status_of(descriptor)
        guard status.failure == 0, status.is_regular != 0, status.size <= Self.longest else {
            throw DurableQueueError.unreadable(path: path, reason: "It is no file of this size.")
        }
        let bytes = try contents(Int(status.size))
        var scan = try bytes.withUnsafeBytes { try JournalScan($0) }
        guard scan.version == JournalFormat.version else {
            throw DurableQueueError.unreadable(
                path: path, reason: "Its version is \(scan.version).")
        }
        for (place, payload) in scan.payloads {
            guard let record = JournalRecord(payload), table.take(record, length: place.count)
            else {
                scan.noteDamage(place)
                continue
            }
        }
        if !scan.damages.isEmpty {
            return scan.damages.sorted { $0.lowerBound < $1.lowerBound }.map {
                DurableQueueError.Damage(offset: $0.lowerBound, length: $0.count)
            }
        }
        guard let format = scan.format else { return [] }
        self.format = format
        length = scan.end
        if scan.end < bytes.count { try cut() }
        return []
    }

    private func contents(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let step = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(done))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw DurableQueueError.disk("read", path) }
            done += step
        }
        return bytes
    }

    /// Cuts off what was never accepted.
    private func cut() throws {
        guard ftruncate(descriptor, off_t(length)) == 0, calls.fsync(descriptor) == 0 else {
            throw DurableQueueError.disk("cut", path)
        }
    }

    private func keepDamaged() throws {
        let kept = folder + "/journal.damaged"
        unlink(kept)
        guard link(path, kept) == 0 else { throw DurableQueueError.disk("keep", kept) }
    }

    // MARK: Writing

    /// Writes records through to the disk, all or none.
    func write(_ records: [JournalRecord]) throws {
        guard lockDescriptor >= 0 else { throw DurableQueueError.closed }
        guard !records.isEmpty else { return }
        if isUncertain {
            try rewrite()
        } else if length > 2 * table.length + Self.slack {
            // A disk without room for a new file may have room for a record.
            do { try rewrite() } catch  where !isUncertain {}
        }
        do {
            try append(records)
        } catch {
            // A file of what is of use may find the room that the old one takes.
            guard length > 2 * table.length + JournalFormat.headLength else { throw error }
            try rewrite()
            try append(records)
        }
    }

    private func append(_ records: [JournalRecord]) throws {
        var bytes: [UInt8] = []
        var lengths: [Int] = []
        for record in records {
            let made = try format.record(record.payload(), at: length + bytes.count)
            bytes += made
            lengths.append(made.count)
        }
        let entries = records.count { if case .added = $0 { true } else { false } }
        // An end needs no new room, so that a full disk does not hold it up.
        if !records.allSatisfy(\.isEnd) {
            try reserve(
                entries: table.rows.count + entries, from: length, behind: length + bytes.count,
                of: descriptor)
        }
        do {
            try calls.write(bytes, to: descriptor, at: Int64(length), path)
            guard calls.fsync(descriptor) == 0 else {
                // What such a file holds is not known any more.
                isUncertain = true
                throw DurableQueueError.disk("sync", path)
            }
        } catch {
            if ftruncate(descriptor, off_t(length)) != 0 { isUncertain = true }
            throw error
        }
        length += bytes.count
        for (record, length) in zip(records, lengths) { table.take(record, length: length) }
    }

    /// Has the file system keep room for the ends of entries, without a change of the file's size. One that
    /// cannot is not asked for more.
    private func reserve(
        entries: Int, from start: Int, behind end: Int, of descriptor: Int32
    ) throws {
        #if os(Linux)
            let room = end - start + Self.endLength * (entries + 16)
            let result = cfile_reserve(descriptor, Int64(start), Int64(room))
            if result != 0, errno == ENOSPC || errno == EFBIG || errno == EDQUOT {
                throw DurableQueueError.disk("extend", path)
            }
        #endif
    }

    /// Puts a new file with the entries alone in the place of the old one.
    private func rewrite() throws {
        let format = JournalFormat()
        var (bytes, new) = (try format.head(), JournalTable())
        for row in table.ordered {
            let record = JournalRecord.added(row.entry)
            let made = try format.record(record.payload(), at: bytes.count)
            bytes += made
            new.take(record, length: made.count)
        }
        unlink(newPath)
        let made = open(newPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw DurableQueueError.disk("open", newPath) }
        do {
            try calls.write(bytes, to: made, at: 0, newPath)
            try reserve(
                entries: new.rows.count, from: bytes.count, behind: bytes.count, of: made)
            guard calls.fsync(made) == 0, rename(newPath, path) == 0 else {
                throw DurableQueueError.disk("replace", path)
            }
        } catch {
            Foundation.close(made)
            unlink(newPath)
            throw error
        }
        if descriptor >= 0 { Foundation.close(descriptor) }
        (descriptor, self.format, length, table) = (made, format, bytes.count, new)
        // Until the folder is synced, a power cut may bring the old file back.
        isUncertain = true
        try calls.syncFolder(folder)
        isUncertain = false
    }
}
