import CSQLite
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("Where a durable queue keeps its entries", .timeLimit(.minutes(5)))
struct DurableStoreTests {
    private let files = TemporaryFolder()
    private var folder: URL { files.file("queue") }
    private var path: String { folder.path + "/queue.sqlite" }
    private var file: URL { URL(fileURLWithPath: path) }

    private func open(acceptsDamage: Bool = false) throws -> (DurableStore, [UUID]) {
        let (store, entries) = try DurableStore.open(folder.path, acceptsDamage: acceptsDamage)
        return (store, entries.map(\.id))
    }

    private func ids() throws -> [UUID] {
        let (store, ids) = try open()
        store.close()
        return ids
    }

    /// A file of entries of several lengths, some of which have ended, one of which was tried.
    private func written() throws -> [UUID] {
        let (store, _) = try open()
        let entries = try (0..<12).map { try storedEntry("\($0)", body: $0 % 4 == 1 ? 6_000 : 200) }
        for entry in entries { try store.write([.added(entry)]) }
        try store.write([.ended(entries[1].id), .ended(entries[6].id)])
        var tried = entries[2]
        tried.attempts = 3
        try store.write([.tried(tried)])
        store.close()
        return entries.indices.filter { $0 != 1 && $0 != 6 }.map { entries[$0].id }
    }

    /// The ids that a file leaves, or the damage that it reports.
    private func read() throws -> (ids: [UUID], damages: [DurableQueueError.Damage]) {
        do {
            return (try ids(), [])
        } catch DurableQueueError.damaged(_, let damages) {
            return ([], damages)
        } catch DurableQueueError.unreadable {
            return ([], [DurableQueueError.Damage(entry: nil, reason: "unreadable")])
        }
    }

    // MARK: Damage

    /// `DURABLE_BITS=1` flips a bit of every byte.
    @Test func `a bit that is flipped anywhere changes nothing, or is reported`() throws {
        let left = try written()
        let bytes = try Data(contentsOf: file)
        let step = ProcessInfo.processInfo.environment["DURABLE_BITS"].flatMap(Int.init) ?? 97
        // Each byte of the head and of a page's.
        let places = bytes.indices.filter { $0 < 120 || $0 % 4_096 < 16 || $0 % step == 0 }
        var (reported, silent) = (0, [Int]())
        for index in places {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            try damaged.write(to: file)
            let (ids, damages) = try read()
            if damages.isEmpty {
                if ids != left { silent.append(index) }
            } else {
                reported += 1
            }
        }
        print("flipped bits: \(places.count), told \(reported)")
        #expect(silent.isEmpty, "\(silent.prefix(10))")
        #expect(reported > places.count / 4)
    }

    @Test func `damage is reported by its entry, and the rest can be had`() throws {
        let left = try written()
        var damaged = try Data(contentsOf: file)
        let place = try #require(damaged.range(of: Data("h.test\\/5".utf8)))
        damaged[place.lowerBound] ^= 1
        try damaged.write(to: file)
        let error = #expect(throws: DurableQueueError.self) { try open() }
        let number = try #require(left.firstIndex { error?.description.contains("\($0)") == true })
        #expect(number == 4)
        let reason = "It does not fit its digest"
        #expect(error == .damaged(path: path, [.init(entry: left[4], reason: reason)]))
        #expect(try Data(contentsOf: file) == damaged)
        var rest = left
        rest.remove(at: 4)
        let (store, ids) = try open(acceptsDamage: true)
        #expect(ids == rest)
        let next = try storedEntry("next")
        try store.write([.added(next)])
        store.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: path + ".damaged")) == damaged)
        #expect(try self.ids() == rest + [next.id])
    }

    @Test func `a file that is cut, or is none, is reported`() throws {
        let left = try written()
        let bytes = try Data(contentsOf: file)
        for length in [0, 1, 99, 4_096, 8_000, 8_192, bytes.count - 4_096, bytes.count - 1] {
            try bytes.prefix(length).write(to: file)
            let (ids, damages) = try read()
            // The last page may be of no use.
            #expect(!damages.isEmpty || length > 8_192 && ids == left, "\(length)")
        }
        try Data(repeating: 7, count: 5_000).write(to: file)
        #expect(try !read().damages.isEmpty)
        // Nothing of it can be had, and the queue goes on with what comes.
        let (store, ids) = try open(acceptsDamage: true)
        #expect(ids.isEmpty)
        let next = try storedEntry("next")
        try store.write([.added(next)])
        store.close()
        #expect(try self.ids() == [next.id])
    }

    /// Where the page is, in quarters of the file.
    @Test(arguments: [1, 2])
    func `entries before and behind a page that cannot be read are found`(quarter: Int) throws {
        let disk = TestDisk()
        let (store, _) = try DurableStore.open(folder.path, disk: disk.disk)
        let entries = try (0..<200).map { try storedEntry("\($0)") }
        try store.write(entries.map { .added($0) })
        store.close()
        let bytes = try Data(contentsOf: file)
        let page = bytes.count / 4 * quarter / 4_096
        disk.unreadable = page * 4_096..<(page + 1) * 4_096
        #expect(throws: DurableQueueError.self) {
            try DurableStore.open(folder.path, disk: disk.disk)
        }
        #expect(try Data(contentsOf: file) == bytes)
        let (again, found) = try DurableStore.open(
            folder.path, acceptsDamage: true, disk: disk.disk)
        again.close()
        #expect(found.count > 180)
        #expect(found.map(\.id) == entries.map(\.id).filter(Set(found.map(\.id)).contains))
    }

    @Test func `a file of another version is not touched`() throws {
        _ = try written()
        let database = try Database(path, fileSystem: nil)
        try database.run("PRAGMA user_version = \(2 * StoredScan.version)")
        database.close()
        let before = try Data(contentsOf: file)
        for acceptsDamage in [false, true] {
            #expect(
                throws: DurableQueueError.unreadable(path: path, reason: "Its version is 2.")
            ) { try open(acceptsDamage: acceptsDamage) }
        }
        #expect(try Data(contentsOf: file) == before)
    }

    // MARK: The folder

    @Test func `one queue has a folder at a time, and its files are the owner's from the first`()
        async throws
    {
        let disk = TestDisk()
        let (store, _) = try DurableStore.open(folder.path, disk: disk.disk)
        #expect(throws: DurableQueueError.inUse(path: folder.path)) {
            try DurableStore.open(folder.path)
        }
        let stop = disk.stopNextSync()
        let entry = try storedEntry("a", body: 100_000)
        let isWritten = Signal()
        // The store is used by one thread at a time.
        nonisolated(unsafe) let used = store
        Thread.detachNewThread {
            try? used.write([.added(entry)])
            isWritten.fire()
        }
        await stop.isHeld.wait()
        try modes()
        stop.release()
        await isWritten.wait()
        try modes()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["lock", "queue.sqlite", "queue.sqlite-journal", "reserve"])
        store.close()
        _ = try open()
    }

    private func modes() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in [""] + names {
            let facts = try FileManager.default.attributesOfItem(
                atPath: folder.appendingPathComponent(name).path)
            #expect(facts[.posixPermissions] as? Int == (name.isEmpty ? 0o700 : 0o600), "\(name)")
        }
    }

    @Test func `what has ended takes no room for ever, and the order stays`() throws {
        var kept: [UUID] = []
        for round in 0..<10 {
            let (store, ids) = try open()
            #expect(ids == kept)
            let body = round == 4 ? 5_000 : 20
            let entries = try (0..<200).map { try storedEntry("\($0)", body: body) }
            try store.write(entries.map { .added($0) })
            try store.write(entries.dropFirst().map { .ended($0.id) })
            kept.append(entries[0].id)
            store.close()
        }
        #expect(try ids() == kept)
        #expect(try Data(contentsOf: file).count < 1 << 19)
    }

    // MARK: A disk that refuses

    @Test func `whichever sync fails, what was refused is not there and the rest is`() throws {
        let disk = TestDisk()
        var (store, _) = try DurableStore.open(folder.path, disk: disk.disk)
        var accepted: [UUID] = []
        for count in 0..<8 {
            let first = try storedEntry("1")
            let (refused, second) = (try storedEntry("no"), try storedEntry("2"))
            try store.write([.added(first)])
            disk.refuseSync(after: count)
            let before = disk.refusals.count
            let isRefused = (try? store.write([.added(refused)])) == nil
            #expect(isRefused == (disk.refusals.count > before))
            disk.refuseSync(after: nil)
            try store.write([.added(second)])
            accepted += isRefused ? [first.id, second.id] : [first.id, refused.id, second.id]
            #expect(isRefused || count > 2)
            store.close()
            let again = try DurableStore.open(folder.path, disk: disk.disk)
            store = again.store
            #expect(again.entries.map(\.id) == accepted, "\(count)")
        }
    }

    /// The process ends at once, or closes the file when the disk works again.
    @Test(arguments: [false, true])
    func `whichever sync fails, what was refused is gone after the end of the process`(
        isClosed: Bool
    ) throws {
        for count in 0..<8 {
            let folder = self.folder.appendingPathComponent("\(count)").path
            try FileManager.default.createDirectory(
                at: self.folder, withIntermediateDirectories: true)
            let disk = TestDisk()
            let (store, _) = try DurableStore.open(folder, disk: disk.disk)
            let (first, refused) = (try storedEntry("1"), try storedEntry("no"))
            try store.write([.added(first)])
            disk.refuseSync(after: count, once: !isClosed)
            let isRefused = (try? store.write([.added(refused)])) == nil
            disk.refuseSync(after: nil)
            if isClosed { store.close() }
            let left = folder + ".left"
            try FileManager.default.copyItem(atPath: folder, toPath: left)
            store.close()
            let (again, entries) = try DurableStore.open(left)
            again.close()
            let expected = isRefused ? [first.id] : [first.id, refused.id]
            #expect(entries.map(\.id) == expected, "\(count)")
        }
    }

    @Test func `on a full disk all entries can end, and none is accepted before there is room`()
        throws
    {
        let disk = TestDisk()
        let (store, _) = try DurableStore.open(folder.path, disk: disk.disk)
        let entries = try (0..<400).map {
            try storedEntry("\($0)", body: $0 % 20 == 0 ? 9_000 : 300)
        }
        try store.write(entries.map { .added($0) })
        store.close()
        // A new process has no journal yet that could be written over.
        unlink(path + "-journal")
        let (again, _) = try DurableStore.open(folder.path, disk: disk.disk)
        disk.room = 0
        let reserve = folder.path + "/reserve"
        #expect(throws: DurableQueueError.self) {
            try again.write([.added(storedEntry("no", body: 9_000))])
        }
        // What the file gave free, the disk has.
        let size = { (try? FileManager.default.attributesOfItem(atPath: reserve)[.size]) as? Int }
        #expect(size() == 1 << 18)
        #expect(throws: DurableQueueError.self) { try again.write([.ended(entries[0].id)]) }
        #expect(size() == 0)
        disk.room = 1 << 18
        // In one go they need more.
        try again.write(entries.map { .ended($0.id) })
        #expect(again.count == 0)
        disk.room = 0
        #expect(throws: DurableQueueError.self) { try again.write([.added(storedEntry("no"))]) }
        disk.room = nil
        let next = try storedEntry("next")
        try again.write([.added(next)])
        #expect(size() == 1 << 18)
        again.close()
        #expect(try ids() == [next.id])
    }
}
