import CSQLite
import OperationNetworking
import TestSupport

@testable import DurableQueue

/// A disk between a durable queue and the system's: it can be full, refuse to sync, stop a sync, and knows what a
/// power cut would leave. SQLite's part of it is a file system of SQLite's by the name of the disk.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what is noted. Calls out on: nothing.
final class TestDisk: Sendable {
    private struct State {
        /// Bytes by which files can still grow; nil is any number.
        var room: Int?
        var refusesSyncs = false
        /// Syncs that still succeed before one is refused.
        var syncsLeft: Int?
        var isRefusedOnce = true
        var unreadable: Range<Int> = 0..<0
        /// SQLITE_IOERR_CORRUPTFS.
        var readFailure = SQLITE_IOERR | 33 << 8
        var stop: LifeHold?
        /// What each file was when it was last synced, by its path.
        var images: [String: Data] = [:]
        /// What was synced, in order.
        var synced: [String] = []
    }

    private let state = Locked(State())
    private let name = UUID().uuidString
    /// Syncs that were refused.
    let refusals = Signal()

    /// Bytes by which files can still grow; nil is any number.
    var room: Int? {
        get { state.withLock { $0.room } }
        set { state.withLock { $0.room = newValue } }
    }

    var refusesSyncs: Bool {
        get { state.withLock { $0.refusesSyncs } }
        set { state.withLock { $0.refusesSyncs = newValue } }
    }

    /// What was synced so far, in order.
    var synced: [String] { state.withLock { $0.synced } }

    /// What a power cut would leave of a file.
    func image(_ file: URL) -> Data? { state.withLock { $0.images[file.path] } }

    /// Has the next sync stop before it is carried out.
    func stopNextSync() -> LifeHold {
        let stop = LifeHold()
        state.withLock { $0.stop = stop }
        return stop
    }

    /// Refuses one sync after so many, or also all that follow; nil is none.
    func refuseSync(after count: Int?, once: Bool = true) {
        state.withLock { ($0.syncsLeft, $0.isRefusedOnce) = (count, once) }
    }

    /// The bytes of the database's file that cannot be read.
    var unreadable: Range<Int> {
        get { state.withLock { $0.unreadable } }
        set { state.withLock { $0.unreadable = newValue } }
    }

    /// What SQLite is told of them; at first that the disk refuses the page for good.
    var readFailure: Int32 {
        get { state.withLock { $0.readFailure } }
        set { state.withLock { $0.readFailure = newValue } }
    }

    init() {
        SQLiteFiles.register(name, self)
    }

    deinit {
        SQLiteFiles.remove(name)
    }

    var disk: Disk {
        Disk(
            pwrite: { [self] descriptor, bytes, offset in
                let size = lseek(descriptor, 0, SEEK_END)
                let count = allowed(bytes.count, growth: Int(offset) + bytes.count - Int(size))
                guard count > 0 else {
                    errno = ENOSPC
                    return -1
                }
                return pwrite(descriptor, bytes.baseAddress, count, offset)
            },
            fsync: { [self] descriptor in
                let link = "/proc/self/fd/\(descriptor)"
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
                return sync(path ?? link) { fsync(descriptor) }
            },
            fileSystem: name)
    }

    /// Of so many bytes those that can be written where a file grows by so many.
    fileprivate func allowed(_ count: Int, growth: Int) -> Int {
        state.withLock { state in
            let growth = max(0, growth)
            let granted = min(growth, state.room ?? .max)
            state.room = state.room.map { $0 - granted }
            return count - (growth - granted)
        }
    }

    fileprivate func sync(_ path: String, _ call: () -> Int32) -> Int32 {
        let (stop, isRefused) = state.withLock { state in
            defer { state.stop = nil }
            let isLast = state.syncsLeft == 0
            if !isLast || state.isRefusedOnce {
                state.syncsLeft = isLast ? nil : state.syncsLeft.map { $0 - 1 }
            }
            return (state.stop, isLast)
        }
        stop?.stop()
        guard !refusesSyncs, !isRefused else {
            refusals.fire()
            errno = EIO
            return -1
        }
        let result = call()
        guard result == 0 else { return result }
        // Nil for a folder.
        let image = FileManager.default.contents(atPath: path)
        state.withLock { state in
            state.images[path] = image
            state.synced.append(path)
        }
        return 0
    }
}

/// SQLite's own file system, with a test's disk in front of its writes and syncs.
private enum SQLiteFiles {
    typealias File = UnsafeMutablePointer<sqlite3_file>

    struct Entry: @unchecked Sendable {
        weak var disk: TestDisk?
        /// Set once, before it is shown to SQLite, and given back when it is done with it.
        let system: UnsafeMutablePointer<sqlite3_vfs>
    }

    struct Opened: @unchecked Sendable {
        let disk: TestDisk
        let path: String
        /// SQLite's own, which are constant, and the copy that is in their place.
        let methods: UnsafePointer<sqlite3_io_methods>
        let copy: UnsafeMutablePointer<sqlite3_io_methods>
    }

    static let entries = Locked<[String: Entry]>([:])
    static let files = Locked<[UnsafeRawPointer: Opened]>([:])

    static func register(_ name: String, _ disk: TestDisk) {
        guard let base = sqlite3_vfs_find("unix"), let text = strdup(name) else { return }
        let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        system.initialize(to: base.pointee)
        system.pointee.pNext = nil
        system.pointee.zName = UnsafePointer(text)
        system.pointee.xOpen = { system, path, file, flags, outFlags in
            guard let base = sqlite3_vfs_find("unix"), let file, let system else {
                return SQLITE_ERROR
            }
            let code = base.pointee.xOpen(base, path, file, flags, outFlags)
            let name = String(cString: system.pointee.zName)
            guard code == SQLITE_OK, let path, let methods = file.pointee.pMethods,
                let disk = SQLiteFiles.entries.withLock({ $0[name]?.disk })
            else { return code }
            SQLiteFiles.watch(file, String(cString: path), methods, disk)
            return code
        }
        entries.withLock { $0[name] = Entry(disk: disk, system: system) }
        sqlite3_vfs_register(system, 0)
    }

    static func remove(_ name: String) {
        guard let entry = entries.withLock({ $0.removeValue(forKey: name) }) else { return }
        sqlite3_vfs_unregister(entry.system)
        free(UnsafeMutablePointer(mutating: entry.system.pointee.zName))
        entry.system.deallocate()
    }

    private static func watch(
        _ file: File, _ path: String, _ methods: UnsafePointer<sqlite3_io_methods>,
        _ disk: TestDisk
    ) {
        let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        copy.initialize(to: methods.pointee)
        copy.pointee.xClose = { file in
            guard let file else { return SQLITE_ERROR }
            let removed = SQLiteFiles.files.withLock { $0.removeValue(forKey: file) }
            guard let opened = removed else { return SQLITE_ERROR }
            defer { opened.copy.deallocate() }
            return opened.methods.pointee.xClose(file)
        }
        copy.pointee.xWrite = { file, bytes, count, offset in
            guard let file, let opened = SQLiteFiles.opened(file) else { return SQLITE_ERROR }
            var size: sqlite3_int64 = 0
            _ = opened.methods.pointee.xFileSize(file, &size)
            let growth = Int(offset) + Int(count) - Int(size)
            let allowed = opened.disk.allowed(Int(count), growth: growth)
            let code = opened.methods.pointee.xWrite(file, bytes, Int32(max(0, allowed)), offset)
            return allowed < Int(count) ? SQLITE_FULL : code
        }
        copy.pointee.xRead = { file, bytes, count, offset in
            guard let file, let opened = SQLiteFiles.opened(file) else { return SQLITE_ERROR }
            let range = Int(offset)..<Int(offset) + Int(count)
            if opened.path.hasSuffix(".sqlite"), opened.disk.unreadable.overlaps(range) {
                return opened.disk.readFailure
            }
            return opened.methods.pointee.xRead(file, bytes, count, offset)
        }
        copy.pointee.xSync = { file, flags in
            guard let file, let opened = SQLiteFiles.opened(file) else { return SQLITE_ERROR }
            let result = opened.disk.sync(opened.path) {
                opened.methods.pointee.xSync(file, flags)
            }
            return result == 0 ? SQLITE_OK : csqlite_failed_sync
        }
        files.withLock {
            $0[file] = Opened(disk: disk, path: path, methods: methods, copy: copy)
        }
        file.pointee.pMethods = UnsafePointer(copy)
    }

    static func opened(_ file: File) -> Opened? { files.withLock { $0[file] } }
}
