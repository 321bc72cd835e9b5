import TestSupport

@testable import HTTPSemantics

@Suite("What the heads of stored responses take", .timeLimit(.minutes(1)))
struct HeadUsageTests {
    private static func request(_ number: Int) -> CacheRequest {
        CacheRequest(CacheFixture.request("/\(number)"))
    }

    /// - Parameter bytes: the length of a field's value.
    private static func head(
        _ number: Int, bytes: Int, body: Int = 1, at time: Date = Date()
    ) throws -> StoredHead {
        var fields = HeaderFields()
        fields.append("X", String(repeating: "x", count: bytes))
        let request = request(number)
        return StoredHead(
            key: try #require(request.key), status: 200, fields: fields,
            varyKey: VaryKey(of: request, vary: fields), requestTime: time, responseTime: time,
            isDecoded: false, bodySize: body, isGuessed: false)
    }

    @Test func `large heads of bodies on disk do not fill the memory`() throws {
        var table = CacheTable(memoryCapacity: 0, diskCapacity: 1 << 40)
        var discarded: [String] = []
        for number in 0..<300 {
            let file = CacheEntry.File(name: "\(number)", size: 1)
            table.insert(try Self.head(number, bytes: 300_000), file: file)
            discarded += table.takeDiscarded()
            #expect(table.headUsage <= CacheTable.headLimit)
        }
        // The least recently used go first, with their files.
        #expect(discarded == (0..<discarded.count).map(String.init))
        #expect(discarded.count < 220 && table.diskUsage == 300 - discarded.count)
        #expect(table.select(Self.request(299)).0 != nil)
        #expect(table.select(Self.request(0)).0 == nil)
    }

    /// A head that was to be stored once its body was read from disk may come late.
    @Test func `a head never takes the place of a newer one`() throws {
        var table = CacheTable(memoryCapacity: 1 << 20, diskCapacity: 0)
        var isWriting = false
        let now = Date()
        let stored = try Self.head(1, bytes: 10, at: now)
        let id = try #require(
            table.insert(
                stored, body: Data(count: 1), userInfo: nil, for: Self.request(1),
                mayUseDisk: false, isWriting: &isWriting))
        for (seconds, bytes, isNewer) in [(5.0, 30, true), (2, 20, false), (5, 40, true)] {
            let new = try Self.head(1, bytes: bytes, at: now.addingTimeInterval(seconds))
            _ = table.update(id, head: new)
            let kept = table.entry(id)?.head.fields["X"]
            #expect((kept?.utf8.count == bytes) == isNewer, "after \(seconds) s")
        }
    }

    @Test func `each byte is counted once, in whatever order responses come and go`() throws {
        var random = SeededNumbers(seed: 7)
        var table = CacheTable(memoryCapacity: 40_000, diskCapacity: 60_000)
        var writing: [(UInt64, StoredHead)] = []
        var ids: [UInt64] = []
        for step in 0..<5_000 {
            let number = Int.random(in: 0..<40, using: &random)
            let bytes = Int.random(in: 0..<1_500, using: &random)
            let head = try Self.head(number, bytes: bytes, body: bytes)
            let id = ids.randomElement(using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                var isWriting = false
                let new = table.insert(
                    head, body: Data(count: bytes), userInfo: nil, for: Self.request(number),
                    mayUseDisk: step % 3 > 0, isWriting: &isWriting)
                if let new { ids.append(new) }
                if let new, isWriting { writing.append((new, head)) }
            case 2:
                guard let (id, head) = writing.popLast() else { continue }
                let file = CacheEntry.File(name: "\(step)", size: bytes)
                table.written(id, head, step % 5 > 0 ? file : nil)
            case 3:
                if let id { table.use(id, body: Data(count: bytes)) }
            case 4:
                guard let id, let old = table.entry(id)?.head else { continue }
                let new = try Self.head(number, bytes: bytes, body: old.bodySize)
                if table.update(id, head: new) { writing.append((id, new)) }
            default:
                if let id { table.remove(id) }
            }
            let entries = ids.compactMap { table.entry($0) }
            let inMemory = entries.filter(\.isInMemory).map(\.head.wholeCost)
            let apart = entries.filter { !$0.isInMemory }.map(\.head.headCost)
            #expect(table.memoryUsage == inMemory.reduce(0, +))
            #expect(table.headUsage == apart.reduce(0, +))
        }
        table.removeAll()
        #expect(table.memoryUsage == 0 && table.headUsage == 0 && table.diskUsage == 0)
    }
}
