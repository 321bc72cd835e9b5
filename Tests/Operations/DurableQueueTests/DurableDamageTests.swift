import CSQLite
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("What is damaged in a durable queue's folder", .timeLimit(.minutes(2)))
struct DurableDamageTests {
    private let world = TestWorld.durable()
    private let disk = TestDisk()

    private var path: String { world.file.path }

    private func open(acceptsDamage: Bool = false) throws -> (DurableStore, [StoredEntry]) {
        try DurableStore.open(
            world.queueFolder.path, acceptsDamage: acceptsDamage, disk: disk.disk)
    }

    private func ids(acceptsDamage: Bool = false) throws -> [UUID] {
        let (store, entries) = try open(acceptsDamage: acceptsDamage)
        store.close()
        return entries.map(\.id)
    }

    /// A file with so many entries, whose numbers are so far apart.
    private func written(_ count: Int, apart: Int64, body: Int = 20) throws -> [UUID] {
        try open().0.close()
        let entries = try (0..<count).map { try storedEntry("\($0)x", body: body) }
        let database = try Database(path, fileSystem: nil)
        try database.transaction {
            for (index, entry) in zip(0..., entries) {
                let number = 1 + Int64(index) * apart
                let payload = try Array(JSONEncoder().encode(entry))
                let id = withUnsafeBytes(of: entry.id.uuid) { Array($0) }
                try database.run(
                    "INSERT INTO entries VALUES (?, ?, ?, ?)", .number(number), .bytes(id),
                    .bytes(payload), .bytes(DurableStore.digest(number, id, payload)))
            }
        }
        database.close()
        return entries.map(\.id)
    }

    /// Overwrites pages.
    private func damage(_ pages: Set<Int>) throws {
        var bytes = try Data(contentsOf: world.file)
        for page in pages {
            let range = page * 4_096..<(page + 1) * 4_096
            bytes.replaceSubrange(range, with: Data(repeating: 255, count: 4_096))
        }
        try bytes.write(to: world.file)
    }

    @Test(arguments: [20, 3_000])
    func `entries between damaged pages are found, also where many before them have ended`(
        apart: Int64
    ) throws {
        let all = try written(80, apart: apart)
        let bytes = try Data(contentsOf: world.file)
        let pages = try all.indices.map { index in
            try #require(bytes.range(of: Data("h.test\\/\(index)x".utf8))).lowerBound / 4_096
        }
        let order = pages.reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
        try #require(order.count > 6)
        let damaged: Set = [order[1], order[2], order[4]]
        try damage(damaged)
        let intact = all.indices.filter { !damaged.contains(pages[$0]) }.map { all[$0] }
        #expect(try ids(acceptsDamage: true) == intact)
    }

    @Test func `a damaged page of the tree costs the entries below it, and no others`() throws {
        let all = try written(8_000, apart: 1)
        let bytes = try Data(contentsOf: world.file)
        // The second page is the tree's root; the first byte of the others below it is 5 too.
        let inner = (2..<bytes.count / 4_096).filter { bytes[$0 * 4_096] == 5 }
        try #require(inner.count > 1)
        try damage([inner[0]])
        let found = try ids(acceptsDamage: true)
        #expect(found.count > 3_000 && found == all.suffix(found.count))
    }

    @Test func `a file that is missing beside its bodies is an error, and they can be kept`()
        async throws
    {
        let queue = try await world.open { $0.isSuspended = true }
        let body = generated(5, 100_000)
        try await queue.add(world.post("/in/1", body: body))
        await queue.close()
        try FileManager.default.removeItem(at: world.file)
        let error = await #expect(throws: DurableQueueError.self) { try await world.open() }
        #expect(error?.errorCode == 2)
        #expect(error?.description.contains("missing") == true)
        #expect(error?.description.contains("acceptsDamage") == true)
        let bodies = world.queueFolder.appendingPathComponent("bodies").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: bodies).count == 1)
        let again = try await world.open { $0.acceptsDamage = true }
        #expect(again.entries.isEmpty)
        try await again.add(world.post("/in/2"))
        await again.waitUntilEmpty()
        await again.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: bodies).isEmpty)
        let kept = try FileManager.default.contentsOfDirectory(atPath: bodies + ".damaged")
        let isKept =
            try Data(contentsOf: URL(fileURLWithPath: bodies + ".damaged/" + (kept.first ?? "")))
            == body
        #expect(isKept && kept.count == 1)
    }

    @Test func `where no new file can be written the bodies stay with the old one`() async throws {
        let queue = try await world.open { $0.isSuspended = true }
        try await queue.add(world.post("/in/1", body: generated(5, 100_000)))
        await queue.close()
        disk.unreadable = 4_096..<8_192
        disk.room = 0
        #expect(throws: DurableQueueError.self) { try ids(acceptsDamage: true) }
        #expect(throws: DurableQueueError.self) { try ids(acceptsDamage: true) }
        let names = try FileManager.default.contentsOfDirectory(atPath: world.queueFolder.path)
        #expect(!names.contains { $0.hasPrefix("queue.sqlite.damaged") }, "\(names)")
        // The disk can read it again.
        disk.unreadable = 0..<0
        disk.room = nil
        let again = try await world.open { $0.acceptsDamage = true }
        await again.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"])
    }

    @Test func `each damaged file is kept with its journal, and none is replaced`() throws {
        var kept: [[Data]] = []
        for _ in 0..<3 {
            let (store, _) = try open()
            try store.write([.added(storedEntry("1"))])
            store.close()
            try damage([1])
            kept.append(try ["", "-journal"].map { try Data(contentsOf: file($0)) })
            #expect(try ids(acceptsDamage: true) == [])
        }
        for (files, name) in zip(kept, [".damaged", ".damaged-2", ".damaged-3"]) {
            let isKept = try zip(files, ["", "-journal"]).allSatisfy { bytes, suffix in
                try Data(contentsOf: file(name + suffix)) == bytes
            }
            #expect(isKept, "\(name)")
        }
    }

    private func file(_ suffix: String) -> URL { URL(fileURLWithPath: path + suffix) }

    @Test func `a page that the disk refuses for now is an error of the disk, and no damage`()
        throws
    {
        let (store, _) = try open()
        let entry = try storedEntry("1")
        try store.write([.added(entry)])
        store.close()
        disk.unreadable = 4_096..<8_192
        disk.readFailure = SQLITE_IOERR | 1 << 8
        for acceptsDamage in [false, true] {
            #expect {
                try ids(acceptsDamage: acceptsDamage)
            } throws: { error in
                if case DurableQueueError.disk("read", path, _) = error { true } else { false }
            }
        }
        #expect(access(path + ".damaged", F_OK) != 0)
        disk.unreadable = 0..<0
        #expect(try ids() == [entry.id])
    }
}
