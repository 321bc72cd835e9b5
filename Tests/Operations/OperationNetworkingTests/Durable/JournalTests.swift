import TestSupport

@testable import OperationNetworking

@Suite("A durable queue's journal", .timeLimit(.minutes(5)))
struct JournalTests {
    private let files = TemporaryFolder()
    private var folder: URL { files.file("queue") }
    private var path: String { folder.path + "/journal" }

    private func entry(_ path: String) throws -> StoredEntry {
        var request = URLRequest(url: try #require(URL(string: "http://h.test/\(path)")))
        request.httpMethod = "POST"
        request.httpBody = Data("body of \(path)".utf8)
        let id = UUID()
        return StoredEntry(
            id: id, request: RequestArchive(request), idempotencyKey: id.uuidString, key: "k",
            added: Date(timeIntervalSince1970: 1_700_000_000), expires: nil)
    }

    /// A journal of three entries, of which the second has ended, and where its records end.
    private func written() throws -> (bytes: [UInt8], ends: [Int], ids: [UUID]) {
        let journal = try Journal(folder: folder.path, acceptsDamage: false)
        let entries = try ["a", "b", "c"].map(entry)
        var ends = [try size()]
        let records = entries.map { JournalRecord.added($0) } + [.ended(entries[1].id)]
        for record in records {
            try journal.write([record])
            ends.append(try size())
        }
        journal.close()
        return (try Array(Data(contentsOf: URL(fileURLWithPath: path))), ends, entries.map(\.id))
    }

    private func size() throws -> Int {
        try #require(
            try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func scan(_ bytes: [UInt8]) throws -> JournalScan {
        try bytes.withUnsafeBytes { try JournalScan($0) }
    }

    @Test func `a file that is cut at any byte has the records that are whole`() throws {
        let (bytes, ends, _) = try written()
        #expect(ends[0] == JournalFormat.headLength)
        for length in JournalFormat.headLength...bytes.count {
            let scan = try scan(Array(bytes[..<length]))
            let whole = ends.dropFirst().count { $0 <= length }
            #expect(scan.payloads.count == whole, "\(length)")
            #expect(scan.damages.isEmpty, "\(length)")
            #expect(scan.end == ends[whole], "\(length)")
        }
        // No crash leaves less than a head, which is renamed into its place.
        for length in 0..<JournalFormat.headLength {
            #expect(try !scan(Array(bytes[..<length])).damages.isEmpty, "\(length)")
        }
    }

    @Test func `zeros behind the last record were never accepted`() throws {
        let (bytes, ends, _) = try written()
        for count in [1, 15, 16, 5_000] {
            let scan = try scan(bytes + [UInt8](repeating: 0, count: count))
            #expect(scan.damages.isEmpty && scan.payloads.count == 4 && scan.end == ends[4])
        }
    }

    @Test func `a byte that is flipped anywhere is told, and costs its record alone`() throws {
        let (bytes, ends, _) = try written()
        let whole = try scan(bytes).payloads.map(\.payload)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 1 << UInt8(index % 8)
            let scan = try scan(damaged)
            #expect(scan.damages.count == 1, "\(index)")
            #expect(scan.damages.first?.contains(index) == true, "\(index)")
            var left = whole
            if index >= ends[0] { left.remove(at: ends.dropLast().lastIndex { $0 <= index } ?? 0) }
            #expect(scan.payloads.map(\.payload) == left, "\(index)")
        }
    }

    @Test func `a body that holds a record's bytes is no record`() throws {
        let (bytes, ends, _) = try written()
        let format = JournalFormat()
        let forged = try format.record(Array("{}".utf8), at: ends[1] + 16)
        var damaged = bytes
        damaged.replaceSubrange(ends[1] + 16..<ends[1] + 16 + forged.count, with: forged)
        let scan = try scan(damaged)
        #expect(scan.payloads.count == 3)
        #expect(scan.damages == [ends[1]..<ends[2]])
    }

    @Test func `a length that is not there costs no memory, and is told`() throws {
        let (bytes, ends, _) = try written()
        for length: [UInt8] in [[255, 255, 255, 255], [255, 255, 255, 127], [0, 0, 4, 0]] {
            var damaged = bytes
            damaged.replaceSubrange(ends[0] + 4..<ends[0] + 8, with: length)
            let scan = try scan(damaged)
            #expect(scan.damages == [ends[0]..<ends[1]])
            #expect(scan.payloads.count == 3)
        }
    }

    @Test func `damage is an error that says where, and the rest can be had`() throws {
        let (bytes, ends, ids) = try written()
        var damaged = bytes
        damaged[ends[0] + 40] ^= 1
        try Data(damaged).write(to: URL(fileURLWithPath: path))
        let error = #expect(throws: DurableQueueError.self) {
            try Journal(folder: folder.path, acceptsDamage: false)
        }
        let place = DurableQueueError.Damage(offset: ends[0], length: ends[1] - ends[0])
        #expect(error == .damaged(path: path, [place]))
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == damaged)
        let journal = try Journal(folder: folder.path, acceptsDamage: true)
        #expect(journal.table.ordered.map(\.entry.id) == [ids[2]])
        let kept = try Data(contentsOf: URL(fileURLWithPath: path + ".damaged"))
        #expect(Array(kept) == damaged)
        journal.close()
        let again = try Journal(folder: folder.path, acceptsDamage: false)
        #expect(again.table.ordered.map(\.entry.id) == [ids[2]])
    }

    @Test func `a torn record is cut off, and the next is written in its place`() throws {
        let (bytes, ends, ids) = try written()
        try Data(bytes[..<(ends[3] - 1)]).write(to: URL(fileURLWithPath: path))
        let journal = try Journal(folder: folder.path, acceptsDamage: false)
        #expect(try size() == ends[2])
        #expect(journal.table.ordered.map(\.entry.id) == Array(ids[..<2]))
        let next = try entry("d")
        try journal.write([.added(next)])
        journal.close()
        let again = try Journal(folder: folder.path, acceptsDamage: false)
        #expect(again.table.ordered.map(\.entry.id) == ids[..<2] + [next.id])
    }

    @Test func `one queue has a folder at a time, and its files are the owner's`() throws {
        let journal = try Journal(folder: folder.path, acceptsDamage: false)
        #expect(throws: DurableQueueError.inUse(path: folder.path)) {
            try Journal(folder: folder.path, acceptsDamage: false)
        }
        for (name, mode) in [("", 0o700), ("/journal", 0o600), ("/lock", 0o600)] {
            let facts = try FileManager.default.attributesOfItem(atPath: folder.path + name)
            #expect(facts[.posixPermissions] as? Int == mode, "\(name)")
        }
        journal.close()
        _ = try Journal(folder: folder.path, acceptsDamage: false)
    }

    @Test func `what has ended is left out of a new file, which keeps the order`() throws {
        let journal = try Journal(folder: folder.path, acceptsDamage: false)
        var kept: [UUID] = []
        for _ in 0..<10 {
            let entries = try (0..<200).map { try entry("\($0)") }
            try journal.write(entries.map { .added($0) })
            try journal.write(entries.dropFirst().map { .ended($0.id) })
            kept.append(entries[0].id)
        }
        #expect(try size() < 1 << 19)
        #expect(journal.table.ordered.map(\.entry.id) == kept)
        journal.close()
        let again = try Journal(folder: folder.path, acceptsDamage: false)
        #expect(again.table.ordered.map(\.entry.id) == kept)
    }

    @Test func `a journal of another version is not touched`() throws {
        let (bytes, _, _) = try written()
        // Both copies, with checks that fit.
        var head = Array(bytes[..<28])
        head[8] = 2
        let digest = try sha256(head).prefix(8)
        let new = (head + digest) + (head + digest) + bytes[72...]
        try Data(new).write(to: URL(fileURLWithPath: path))
        for acceptsDamage in [false, true] {
            #expect(
                throws: DurableQueueError.unreadable(path: path, reason: "Its version is 2.")
            ) {
                try Journal(folder: folder.path, acceptsDamage: acceptsDamage)
            }
        }
        #expect(try Array(Data(contentsOf: URL(fileURLWithPath: path))) == new)
    }

    private func sha256(_ bytes: [UInt8]) throws -> [UInt8] {
        let text = try hash(Data(bytes))
        return stride(from: 0, to: text.count, by: 2).compactMap {
            UInt8(text.dropFirst($0).prefix(2), radix: 16)
        }
    }
}
