import CLinux
import CSQLite
import Foundation
import HTTPSemantics

/// The entries of a durable queue in its folder: a table of SQLite's, in which each row has a digest.
///
/// ## Concurrency
/// Call from: one queue, that of the durable queue; every call may wait for the disk. Lock: none. Calls out:
/// none.
final class DurableStore {
    private struct Table {
        var rows: [UUID: (number: Int64, length: Int)] = [:]
        /// Bytes of all entries.
        var length = 0
        var last: Int64 = 0

        mutating func take(_ id: UUID, _ number: Int64, _ length: Int) {
            self.length += length - (rows[id]?.length ?? 0)
            rows[id] = (number, length)
            last = max(last, number)
        }
    }

    let folder: String
    private let disk: Disk
    private var lockDescriptor: Int32 = -1
    private var database: Database?
    private var table = Table()
    /// Whether the file may hold what was refused.
    private var isUncertain = false

    /// Bytes of the longest entry, without a body that has a file of its own.
    static let longestEntry = 1 << 18
    /// Bytes; no file is longer than this.
    private static let longest = 1 << 29
    /// Bytes of a file that is truncated when a disk is full, so that the ends of entries can be written.
    private static let reserved = 1 << 18
    /// Bytes that the file may have beyond twice its entries before it is written anew at opening.
    private static let slack = 1 << 18

    var path: String { folder + "/queue.sqlite" }
    private var newPath: String { path + ".new" }
    private var reservePath: String { folder + "/reserve" }
    var count: Int { table.rows.count }
    /// Bytes of all entries.
    var length: Int { table.length }

    /// Opens the table of a folder, which is made where there is none.
    ///
    /// - Parameter acceptsDamage: whether a damaged file is replaced by one of its intact rows, and kept as
    ///   `queue.sqlite.damaged`.
    /// - Returns: the entries in the order in which they were accepted.
    static func open(
        _ folder: String, acceptsDamage: Bool = false, disk: Disk = Disk()
    ) throws -> (store: DurableStore, entries: [StoredEntry]) {
        let store = DurableStore(folder, disk)
        do {
            return (store, try store.open(acceptsDamage))
        } catch {
            store.close()
            throw error
        }
    }

    private init(_ folder: String, _ disk: Disk) {
        self.folder = folder
        self.disk = disk
    }

    deinit {
        close()
    }

    func close() {
        removeRefused()
        database?.close()
        database = nil
        guard lockDescriptor >= 0 else { return }
        // A process that is being started meanwhile may have a copy of the descriptor, and the lock with it.
        flock(lockDescriptor, LOCK_UN)
        Foundation.close(lockDescriptor)
        lockDescriptor = -1
    }

    // MARK: Opening

    private func open(_ acceptsDamage: Bool) throws -> [StoredEntry] {
        let isNew = mkdir(folder, 0o700) == 0
        guard isNew || errno == EEXIST else { throw DurableQueueError.disk("make", folder) }
        try takeLock()
        // A process that was killed may have made it and not synced it.
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        do { try disk.syncFolder(parent) } catch  where !isNew {}
        guard let size = try size() else {
            guard try acceptsDamage || bodyNames().isEmpty else {
                let reason = "The file is missing, but bodies of its entries are there"
                throw DurableQueueError.damaged(path: path, [.init(entry: nil, reason: reason)])
            }
            try replaceDamaged(with: [])
            return []
        }
        let scan = try withQueueErrors {
            let database = try Database(path, fileSystem: disk.fileSystem)
            self.database = database
            return try StoredScan(database, path: path)
        }
        let kept = scan.rows.sorted { $0.key < $1.key }
        for (number, row) in kept { table.take(row.entry.id, number, row.length) }
        let entries = kept.map(\.value.entry)
        if !scan.damages.isEmpty {
            guard acceptsDamage else {
                throw DurableQueueError.damaged(path: path, scan.damages)
            }
            try replaceDamaged(with: entries)
        } else if size > 2 * length + Self.slack {
            // A disk that is too full for a new file may still have space for a row.
            do { try replace(with: entries) } catch  where database != nil {}
        }
        return entries
    }

    private func takeLock() throws {
        let path = folder + "/lock"
        lockDescriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lockDescriptor >= 0 else { throw DurableQueueError.disk("open", path) }
        guard flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            if errno == EWOULDBLOCK { throw DurableQueueError.inUse(path: folder) }
            throw DurableQueueError.disk("lock", path)
        }
    }

    /// - Returns: nil where there is no file.
    private func size() throws -> Int64? {
        let file = Foundation.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw DurableQueueError.disk("open", path)
        }
        defer { Foundation.close(file) }
        let status = cfile_status_of(file)
        guard status.failure == 0, status.is_regular != 0, status.size <= Self.longest else {
            throw DurableQueueError.unreadable(
                path: path, reason: "It is no regular file, or is too long.")
        }
        return status.size
    }

    static func prepare(_ database: Database) throws {
        // With a rollback journal everything that was accepted is in the file itself, where damage can be seen.
        // The journal's blocks stay allocated, so that the end of an entry can be written on a full disk.
        for setting in [
            "locking_mode=EXCLUSIVE", "synchronous=FULL", "journal_mode=PERSIST",
            "journal_size_limit=1048576", "temp_store=MEMORY", "cell_size_check=ON",
        ] {
            try database.run("PRAGMA " + setting)
        }
    }

    /// Replaces the file, and keeps the old one and the bodies that belong to no known entry, under second names.
    private func replaceDamaged(with entries: [StoredEntry]) throws {
        let damaged = cfile_status_at(path).inode
        var names: [String] = []
        do {
            if damaged != 0 { try keepDamaged(&names) }
            try keepBodies(except: entries, &names)
            try replace(with: entries)
        } catch {
            // It may have been replaced before the error.
            if cfile_status_at(path).inode == damaged { names.forEach { unlink($0) } }
            throw error
        }
    }

    /// - Parameter names: gets the ones that are made.
    private func keepDamaged(_ names: inout [String]) throws {
        var kept = path + ".damaged"
        var number = 1
        while access(kept, F_OK) == 0 {
            number += 1
            kept = path + ".damaged-\(number)"
        }
        // Its journal may have pages that are damaged in it.
        for suffix in ["", "-journal"] {
            if link(path + suffix, kept + suffix) == 0 {
                names.append(kept + suffix)
            } else if errno != ENOENT {
                throw DurableQueueError.disk("keep", kept + suffix)
            }
        }
    }

    /// Keeps the bodies that belong to no known entry, in a folder from which nothing is deleted.
    ///
    /// - Parameter names: gets the ones that are made.
    private func keepBodies(except entries: [StoredEntry], _ names: inout [String]) throws {
        let known = Set(entries.compactMap(\.body?.name))
        let lost = try bodyNames().filter { !known.contains($0) }
        guard !lost.isEmpty else { return }
        let bodies = BodyStore.folder(in: folder)
        let kept = bodies + ".damaged"
        guard mkdir(kept, 0o700) == 0 || errno == EEXIST else {
            throw DurableQueueError.disk("make", kept)
        }
        for name in lost {
            if link(bodies + "/" + name, kept + "/" + name) == 0 {
                names.append(kept + "/" + name)
            } else if errno != EEXIST {
                throw DurableQueueError.disk("keep", bodies + "/" + name)
            }
        }
        try disk.syncFolder(kept)
    }

    private func bodyNames() throws -> [String] {
        let bodies = BodyStore.folder(in: folder)
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: bodies)
            return names.filter { UUID(uuidString: $0) != nil }
        } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
            return []
        } catch {
            throw DurableQueueError.disk("read", bodies)
        }
    }

    /// Replaces the file by a new one with these entries.
    private func replace(with entries: [StoredEntry]) throws {
        for path in [newPath, newPath + "-journal"] { unlink(path) }
        // SQLite gives its journal the same mode.
        let file = Foundation.open(newPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DurableQueueError.disk("open", newPath) }
        Foundation.close(file)
        let old = table
        do {
            let new = try Database(newPath, fileSystem: disk.fileSystem)
            defer { new.close() }
            try Self.prepare(new)
            table = Table()
            try new.transaction {
                try new.run(
                    """
                    CREATE TABLE entries (
                        number INTEGER PRIMARY KEY, id BLOB, entry BLOB, digest BLOB)
                    """)
                try new.run("PRAGMA user_version = \(StoredScan.version)")
                for entry in entries { try put(entry, table.last + 1, in: new) }
            }
        } catch {
            table = old
            unlink(newPath)
            throw queueError(for: error)
        }
        database?.close()
        database = nil
        // The old file's journal must not be taken for one of the new file.
        for path in [newPath + "-journal", path + "-journal"] { unlink(path) }
        guard rename(newPath, path) == 0 else { throw DurableQueueError.disk("replace", path) }
        try disk.syncFolder(folder)
        try withQueueErrors {
            let database = try Database(path, fileSystem: disk.fileSystem)
            try Self.prepare(database)
            self.database = database
        }
    }

    // MARK: Writing

    /// Bytes that an entry takes.
    static func length(_ entry: StoredEntry) throws -> Int { try JSONEncoder().encode(entry).count }

    /// Writes changes through to the disk, all or none; of ends, on a full disk, as many as it can.
    func write(_ changes: [StoredChange]) throws {
        guard let database else { throw DurableQueueError.closed }
        guard !changes.isEmpty else { return }
        if !changes.allSatisfy(\.isEnd) { try reserve() }
        try withQueueErrors {
            do {
                try commit(changes, to: database)
            } catch let failure as Database.Failure
                where failure.primary == SQLITE_FULL && changes.allSatisfy(\.isEnd)
            {
                truncate(reservePath, 0)
                // Each needs a few pages of SQLite's journal.
                for change in changes { try commit([change], to: database) }
            }
        }
    }

    private func commit(_ changes: [StoredChange], to database: Database) throws {
        let old = table
        do {
            try database.transaction {
                if isUncertain { try Self.remove(behind: table.last, in: database) }
                for change in changes {
                    switch change {
                    case .added(let entry): try put(entry, table.last + 1, in: database)
                    case .tried(let entry):
                        guard let row = table.rows[entry.id] else { continue }
                        try put(entry, row.number, in: database)
                    case .ended(let id):
                        guard let row = table.rows.removeValue(forKey: id) else { continue }
                        table.length -= row.length
                        try database.run(
                            "DELETE FROM entries WHERE number = ?", .number(row.number))
                    }
                }
            }
            isUncertain = false
        } catch {
            table = old
            isUncertain = true
            removeRefused()
            throw error
        }
    }

    /// Removes rows that were refused, since the disk may have failed only after they had become valid.
    private func removeRefused() {
        guard isUncertain, let database else { return }
        do {
            try database.transaction { try Self.remove(behind: table.last, in: database) }
            isUncertain = false
        } catch {}
    }

    private static func remove(behind number: Int64, in database: Database) throws {
        try database.run("DELETE FROM entries WHERE number > ?", .number(number))
    }

    private func put(_ entry: StoredEntry, _ number: Int64, in database: Database) throws {
        let payload = try Array(JSONEncoder().encode(entry))
        let id = withUnsafeBytes(of: entry.id.uuid) { Array($0) }
        try database.run(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", .number(number), .bytes(id),
            .bytes(payload), .bytes(Self.digest(number, id, payload)))
        table.take(entry.id, number, payload.count)
    }

    static func digest(
        _ number: Int64, _ id: [UInt8], _ payload: [UInt8]
    ) throws -> [UInt8] {
        let hash = try SHA256()
        withUnsafeBytes(of: number.littleEndian) { hash.update($0) }
        for part in [id, payload] { part.withUnsafeBytes { hash.update($0) } }
        return try hash.bytes()
    }

    /// Makes the file that is truncated when the disk is full.
    private func reserve() throws {
        let file = Foundation.open(reservePath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw DurableQueueError.disk("open", reservePath) }
        defer { Foundation.close(file) }
        guard cfile_status_of(file).size < Self.reserved else { return }
        do {
            let zeros = [UInt8](repeating: 0, count: Self.reserved)
            try disk.write(zeros, to: file, at: 0, reservePath)
            try disk.sync(file, reservePath)
        } catch {
            ftruncate(file, 0)
            throw error
        }
    }

    /// Calls a block, and throws the queue's errors in place of SQLite's.
    private func withQueueErrors<Result>(_ block: () throws -> Result) throws -> Result {
        do { return try block() } catch { throw queueError(for: error) }
    }

    private func queueError(for error: any Error) -> any Error {
        guard let failure = error as? Database.Failure else { return error }
        guard failure.isOfDisk else {
            let damage = DurableQueueError.Damage(entry: nil, reason: failure.message)
            return DurableQueueError.damaged(path: path, [damage])
        }
        let actions = [csqlite_failed_sync: "sync", csqlite_failed_read: "read"]
        let code = failure.system == 0 ? EIO : failure.system
        return DurableQueueError.disk(
            action: actions[failure.code] ?? "write", path: path,
            code: failure.primary == SQLITE_FULL ? ENOSPC : code)
    }
}
