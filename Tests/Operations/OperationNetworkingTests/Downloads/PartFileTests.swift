import CLinux
import Scheduling
import TestSupport

@testable import CurlConnection
@testable import OperationNetworking

@Suite("A part and its record", .timeLimit(.minutes(2)))
struct PartFileTests {
    private let folder = TemporaryFolder()

    func withPart(
        _ address: String = "http://h.test/file", _ body: (PartFile, DownloadPlace) throws -> Void
    ) throws {
        let place = DownloadPlace(path: folder.file("file").path)
        let part = PartFile(place, address: address)
        let record = DownloadRecord(
            address: address, validator: "\"1\"", length: nil, offset: 0, sha256: "")
        try part.startOver(record, length: nil)
        try body(part, place)
    }

    /// A disk that signals once a write-through has ended.
    func signalling(_ ended: Signal, _ calls: DiskCalls = DiskCalls()) -> DiskCalls {
        var calls = calls
        calls.close = { descriptor in
            defer { ended.fire() }
            return close(descriptor)
        }
        return calls
    }

    func add(_ count: Int, to part: PartFile) throws {
        try Data(repeating: 7, count: count).withUnsafeBytes {
            try part.append($0, to: part.map.first.id) { false }
        }
    }

    @Test func `the record is written over, and has the size of a page`() throws {
        try withPart { part, place in
            try add(1 << 19, to: part)
            let first = cfile_status_at(place.record)
            #expect(first.size == 4_096 && DownloadRecord(place)?.offset == 1 << 19)
            for _ in 0..<3 { try add(1 << 19, to: part) }
            #expect(cfile_status_at(place.record).inode == first.inode)
            #expect(DownloadRecord(place)?.offset == 1 << 21)
            // Nothing is written for less.
            try add(1 << 18, to: part)
            #expect(DownloadRecord(place)?.offset == 1 << 21)
            part.close()
            #expect(DownloadRecord(place)?.offset == 1 << 21 + 1 << 18)
        }
    }

    @Test func `a record of more than a page, and one that was removed, are written anew`() throws {
        let long = "http://h.test/" + String(repeating: "a", count: 5_000)
        try withPart(long) { part, place in
            for count in 1...3 {
                try add(1 << 19, to: part)
                #expect(DownloadRecord(place)?.offset == Int64(count) << 19)
                #expect(cfile_status_at(place.record).size > 4_096)
            }
        }
        try withPart { part, place in
            try add(1 << 19, to: part)
            unlink(place.record)
            try add(1 << 19, to: part)
            #expect(DownloadRecord(place)?.offset == 1 << 20)
        }
    }

    @Test func `a record that fits a page again is whole`() throws {
        try withPart { part, place in
            part.record?.validator = String(repeating: "v", count: 5_000)
            try add(1 << 19, to: part)
            #expect(cfile_status_at(place.record).size > 4_096)
            part.record?.validator = "\"1\""
            try add(1 << 19, to: part)
            #expect(DownloadRecord(place)?.offset == 1 << 20)
            #expect(cfile_status_at(place.record).size == 4_096)
        }
    }

    @Test func `a record that was cut while it was written leaves the one before`() throws {
        try withPart { part, place in
            try add(1 << 19, to: part)
            var offset: Int64 = 1 << 19
            for _ in 0..<3 {
                let before = try Data(contentsOf: URL(fileURLWithPath: place.record))
                try add(1 << 19, to: part)
                let after = try Data(contentsOf: URL(fileURLWithPath: place.record))
                let changed = after.indices.filter { after[$0] != before[$0] }
                let (first, last) = (try #require(changed.first), try #require(changed.last))
                // Each write leaves one half as it was.
                #expect(first >= 2_048 || last < 2_048)
                for end in first...last {
                    let cut = after.prefix(end) + before.suffix(from: end)
                    let isCut = RecordFile.record(in: cut)?.offset == offset
                    #expect(isCut, "cut at \(end)")
                }
                #expect(RecordFile.record(in: after)?.offset == offset + 1 << 19)
                offset += 1 << 19
            }
        }
    }

    @Test func `a record with any byte changed is none, or the one before`() throws {
        try withPart { part, place in
            for _ in 0..<2 { try add(1 << 19, to: part) }
            let whole = try Data(contentsOf: URL(fileURLWithPath: place.record))
            for index in whole.indices {
                var bytes = whole
                bytes[index] ^= 1
                let expected: Int64 = index < 2_048 ? 1 << 20 : 1 << 19
                #expect(RecordFile.record(in: bytes)?.offset == expected, "\(index)")
            }
            #expect(RecordFile.record(in: Data()) == nil)
        }
    }

    @Test func `a record that an earlier version left is read`() throws {
        let record = DownloadRecord(
            address: "http://h.test/", validator: "\"1\"", length: 9, offset: 4, sha256: "ab")
        let text = try JSONEncoder().encode(record) + Data(repeating: 0x20, count: 2_000)
        #expect(RecordFile.record(in: text) == record)
    }

    @Test func `a part that another program has cut is no read error of the disk`() throws {
        try withPart { part, place in
            try part.startOver(part.record, length: 2_000)
            let new = part.map.takeNext(free: 1, minimum: 1_000)
            let second = try #require(new)
            let bytes = Data(repeating: 7, count: 1_000)
            for id in [second.id, part.map.first.id] {
                try bytes.withUnsafeBytes { try part.append($0, to: id) { false } }
            }
            #expect(truncate(place.part, 1_500) == 0)
            errno = EIO
            #expect(
                throws: DownloadError.disk(action: "read", path: place.part, code: ESTALE)
            ) { try part.extendHash(.max) { false } }
        }
    }

    @Test func `a record is written by one call, also one of many ranges`() throws {
        let long = "http://h.test/" + String(repeating: "a", count: 5_000)
        try withPart(long) { part, place in
            try add(1 << 19, to: part)
            let first = cfile_status_at(place.record)
            for _ in 0..<4 { try add(1 << 18, to: part) }
            #expect(cfile_status_at(place.record).inode == first.inode)
            // Its end could cut a write of many pages, so it is written twice as often.
            #expect(DownloadRecord(place)?.offset == 3 << 19)
            try add(1 << 18, to: part)
            #expect(DownloadRecord(place)?.offset == 7 << 18)
        }
    }

    /// A sync whose disk has refused: a pipe cannot be written through.
    private func refusedSync(_ part: PartFile) throws -> PartSync {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let record = try #require(part.record)
        let ended = Signal()
        let sync = try #require(
            PartSync(record, part.stored, of: ends[0], -1, by: signalling(ended)))
        #expect(ended.blocks(until: 1) && sync.result == EINVAL)
        return sync
    }

    @Test func `an error of the disk that comes while more is written forgets the part`() throws {
        try withPart { part, place in
            try add(1 << 19, to: part)
            part.sync = try refusedSync(part)
            #expect(throws: DownloadError.self) { try add(1 << 19, to: part) }
            #expect(DownloadRecord(place) == nil && part.record == nil)
            part.close()
            #expect(DownloadRecord(place) == nil)
        }
    }

    @Test func `an error of the disk that came before the end gives the file no name`() throws {
        try withPart { part, place in
            try add(1 << 19, to: part)
            part.sync = try refusedSync(part)
            #expect(throws: DownloadError.self) {
                _ = try part.publish(expected: nil, existing: nil, mayReplace: false)
            }
            #expect(access(place.path, F_OK) != 0)
            #expect(DownloadRecord(place) == nil)
        }
    }

    @Test func `an error that is found when all bytes are recorded forgets the part at its close`()
        throws
    {
        try withPart { part, place in
            try add(1 << 19, to: part)
            #expect(part.stored == part.recorded)
            part.sync = try refusedSync(part)
            part.close()
            #expect(DownloadRecord(place)?.offset ?? 0 == 0)
        }
    }

    @Test func `an error of the last write-through forgets the part`() throws {
        try withPart { part, place in
            part.calls.fsync = { _ in
                errno = EIO
                return -1
            }
            try add(1 << 19, to: part)
            #expect(DownloadRecord(place)?.offset == 1 << 19)
            #expect(throws: DownloadError.disk(action: "write", path: place.part, code: EIO)) {
                _ = try part.publish(expected: nil, existing: nil, mayReplace: false)
            }
            #expect(access(place.path, F_OK) != 0)
            #expect(DownloadRecord(place)?.offset ?? 0 == 0)
        }
    }

    /// A disk that refuses, once it answers.
    func slowDisk(_ answer: DispatchSemaphore) -> DiskCalls {
        var calls = DiskCalls()
        calls.fsync = { _ in
            answer.wait()
            answer.signal()
            errno = EIO
            return -1
        }
        return calls
    }

    /// Leaves a part whose write-through is under way.
    ///
    /// - Returns: signals its end.
    private func leaveUnsynced(_ part: PartFile, _ answer: DispatchSemaphore) throws -> Signal {
        try add(1 << 19, to: part)
        let record = try #require(part.record)
        let ended = Signal()
        let calls = signalling(ended, slowDisk(answer))
        let sync = try #require(PartSync(record, part.stored, of: part.descriptor, -1, by: calls))
        part.sync = sync
        part.close()
        return ended
    }

    @Test func `an error that comes after the end of the download forgets its part`() throws {
        try withPart { part, place in
            let answer = DispatchSemaphore(value: 0)
            defer { answer.signal() }
            let ended = try leaveUnsynced(part, answer)
            #expect(DownloadRecord(place)?.offset == 1 << 19)
            answer.signal()
            #expect(ended.blocks(until: 1) && Self.openings(of: place.part) == 0)
            #expect(DownloadRecord(place)?.offset ?? 0 == 0)
            // The part is a download's still, and is free.
            let next = PartFile(place, address: part.address)
            try next.startOver(part.record, length: nil)
        }
    }

    @Test func `an error that comes once another download has the part leaves the record to that`()
        throws
    {
        try withPart { part, place in
            let answer = DispatchSemaphore(value: 0)
            defer { answer.signal() }
            let ended = try leaveUnsynced(part, answer)
            let next = PartFile(place, address: part.address)
            try next.open(anyAddress: false) { false }
            #expect(next.stored == 1 << 19)
            // Until the other download's descriptor alone is there.
            #expect(Self.openings(of: place.part) == 2)
            answer.signal()
            #expect(ended.blocks(until: 1) && Self.openings(of: place.part) == 1)
            #expect(DownloadRecord(place)?.offset == 1 << 19)
        }
    }

    /// How many descriptors of this process name a file.
    private static func openings(of path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        let file = cfile_status_at(path)
        return names.count { name in
            let status = cfile_status_at("/proc/self/fd/\(name)")
            return status.failure == 0 && status.device == file.device && status.inode == file.inode
        }
    }

    @Test func `write-throughs that hang keep no other file waiting`() throws {
        try withPart { part, _ in
            let (pool, inside) = (WorkerPool(.files), DispatchSemaphore(value: 0))
            let answer = DispatchSemaphore(value: 0)
            defer { answer.signal() }
            let slow = slowDisk(answer)
            var calls = slow
            calls.fsync = {
                inside.signal()
                return slow.fsync($0)
            }
            let record = try #require(part.record)
            for _ in 0..<WorkerRule.files.limit {
                _ = try #require(PartSync(record, 0, of: part.descriptor, -1, by: calls, on: pool))
            }
            for _ in 0..<WorkerRule.files.limit {
                try #require(inside.wait(timeout: .now() + 30) == .success)
            }
            let isFree = DispatchSemaphore(value: 0)
            let isTaken = pool.perform { isFree.signal() }
            #expect(isTaken)
            #expect(isFree.wait(timeout: .now() + 30) == .success)
        }
    }

    @Test func `a file that takes the name of a part stays where the part has a wrong hash`()
        throws
    {
        try withPart { part, place in
            try add(1 << 19, to: part)
            let other = Data("mine".utf8)
            try other.write(to: URL(fileURLWithPath: place.part), options: .atomic)
            #expect(throws: DownloadError.self) {
                _ = try part.publish(expected: "", existing: nil, mayReplace: false)
            }
            #expect(FileManager.default.contents(atPath: place.part) == other)
        }
    }

    // MARK: Bytes on their way

    @Test func `a buffer that refused bytes says when it has room again`() {
        let queue = DispatchQueue(label: "disk")
        let calls = Log<Bool>()
        let buffer = PartBuffer(queue) { _ in }
        buffer.whenSpaceAvailable { calls.add(true) }
        let bytes = [UInt8](repeating: 1, count: 1 << 18)
        func take(_ count: Int) -> Int? { bytes[..<count].withUnsafeBufferPointer(buffer.take) }
        // While the disk is busy it is filled, and has room as soon as its bytes are being written.
        queue.suspend()
        #expect(take(1 << 17) == 1 << 17 && buffer.hasSpace)
        #expect(take(1 << 18) == 1 << 17 && !buffer.hasSpace)
        #expect(calls.all.isEmpty)
        queue.resume()
        queue.sync {}
        #expect(calls.all.count == 1 && buffer.hasSpace)
        // Nobody waits.
        #expect(take(1) == 1)
        queue.sync {}
        #expect(calls.all.count == 1)
    }

    @Test func `it says so too where its limit is raised, and where it fails`() {
        let queue = DispatchQueue(label: "disk")
        let calls = Log<Bool>()
        let buffer = PartBuffer(queue) { _ in throw DownloadError.disk("write", "file") }
        buffer.whenSpaceAvailable { calls.add(true) }
        #expect(buffer.limit(to: 0) && !buffer.hasSpace)
        #expect(buffer.limit(to: 10) && calls.all.count == 1)
        queue.suspend()
        let taken = [UInt8](repeating: 1, count: 20).withUnsafeBufferPointer(buffer.take)
        #expect(taken == 10 && !buffer.hasSpace)
        queue.resume()
        queue.sync {}
        #expect(calls.all.count == 2 && buffer.failure != nil)
    }
}
