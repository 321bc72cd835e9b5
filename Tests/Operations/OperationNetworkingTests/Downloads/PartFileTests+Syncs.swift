import CLinux
import TestSupport

@testable import CurlConnection
@testable import OperationNetworking

// What a power cut, or the end of the process, leaves of a record.
extension PartFileTests {
    /// For a record of more than a page.
    private var long: String { "http://h.test/" + String(repeating: "a", count: 5_000) }

    private func bytes(_ place: DownloadPlace) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: place.record))
    }

    /// Adds bytes until they and their record are on the disk.
    private func addSynced(to part: PartFile) throws {
        let synced = Signal()
        part.calls = signalling(synced)
        while part.sync == nil { try add(1 << 18, to: part) }
        #expect(synced.blocks(until: 1) && part.sync?.result == 0)
    }

    @Test func `what is on the disk for certain is recorded once it is`() throws {
        try withPart { part, place in
            let synced = Signal()
            part.calls = signalling(synced)
            try add(1 << 24, to: part)
            #expect(DownloadRecord(place)?.syncedOffset == nil)
            #expect(synced.blocks(until: 1) && part.sync?.result == 0)
            try add(1 << 19, to: part)
            let record = try #require(DownloadRecord(place))
            #expect(record.offset == 1 << 24 + 1 << 19 && record.syncedOffset == 1 << 24)
            #expect(record.first.ends.count == 2 && part.sync == nil)
        }
    }

    /// A power cut leaves any part of what was written since the last write-through.
    @Test func `of a record of many pages the one that the disk has is not written over`() throws {
        try withPart(long) { part, place in
            let synced = Signal()
            part.calls = signalling(synced)
            for round in 1...3 {
                while part.sync == nil { try add(1 << 18, to: part) }
                #expect(synced.blocks(until: round))
                let old = try bytes(place)
                let offset = try #require(RecordFile.record(in: old)?.offset)
                #expect(offset == part.stored)
                for _ in 0..<9 {
                    try add(1 << 18, to: part)
                    let new = try bytes(place)
                    // Of each page that was changed since, the disk may have a part.
                    let torn = Data(zip(old, new).map { $0 == $1 ? $0 : 0 })
                    #expect(RecordFile.record(in: torn)?.offset == offset)
                }
            }
        }
    }

    @Test func `while a write-through is under way a write that is cut leaves the record before`()
        throws
    {
        try withPart(long) { part, place in
            try addSynced(to: part)
            let answer = DispatchSemaphore(value: 0)
            defer { answer.signal() }
            part.calls = slowDisk(answer)
            try add(1 << 18, to: part)
            #expect(part.sync == nil)
            while part.sync == nil { try add(1 << 18, to: part) }
            for _ in 0..<5 {
                let (before, offset) = (try bytes(place), part.stored)
                try add(1 << 18, to: part)
                let after = try bytes(place)
                let changed = after.indices.filter { after[$0] != before[$0] }
                let middle = try #require(changed.first) + changed.count / 2
                let cut = after.prefix(middle) + before.suffix(from: middle)
                #expect(RecordFile.record(in: cut)?.offset == offset)
            }
        }
    }

    @Test func `a record that could not be written through is not the one that stays`() throws {
        try withPart(long) { part, place in
            try addSynced(to: part)
            let (old, offset) = (try bytes(place), part.stored)
            try add(1 << 18, to: part)
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            defer { ends.forEach { close($0) } }
            // A pipe cannot be written through.
            let record = try #require(part.record)
            let ended = Signal()
            let sync = try #require(
                PartSync(
                    record, part.stored, of: part.descriptor, ends[0], by: signalling(ended)))
            #expect(ended.blocks(until: 1) && sync.result == 0)
            part.recordFile?.syncBegins()
            part.sync = sync
            for _ in 0..<9 { try add(1 << 18, to: part) }
            #expect(part.synced > offset)
            let torn = Data(zip(old, try bytes(place)).map { $0 == $1 ? $0 : 0 })
            #expect(RecordFile.record(in: torn)?.offset == offset)
        }
    }

    @Test func `a record of two parts that replaces a synced one is written over in turn`() throws {
        try withPart { part, place in
            try addSynced(to: part)
            try add(1 << 19, to: part)
            let old = cfile_status_at(place.record)
            part.record?.validator = String(repeating: "v", count: 2_500)
            try add(1 << 19, to: part)
            let new = cfile_status_at(place.record)
            #expect(new.inode != old.inode && new.size == 2 * 4_096)
            for _ in 0..<3 {
                let (before, offset) = (try bytes(place), part.stored)
                try add(1 << 19, to: part)
                let after = try bytes(place)
                let changed = after.indices.filter { after[$0] != before[$0] }
                let middle = try #require(changed.first) + changed.count / 2
                let cut = after.prefix(middle) + before.suffix(from: middle)
                #expect(RecordFile.record(in: cut)?.offset == offset)
            }
        }
    }

    @Test(arguments: [false, true])
    func `a record of another size is on the disk before it replaces one that is`(
        isRefused: Bool
    ) throws {
        try withPart { part, place in
            try addSynced(to: part)
            try add(1 << 19, to: part)
            #expect(DownloadRecord(place)?.syncedOffset == part.synced)
            let files = Log<UInt64>()
            part.calls.fsync = {
                files.add(UInt64(cfile_status_of($0).inode))
                errno = EIO
                return isRefused ? -1 : 0
            }
            part.record?.validator = String(repeating: "v", count: 5_000)
            let offset = part.stored
            do {
                try add(1 << 19, to: part)
                #expect(!isRefused)
                #expect(files.all == [UInt64(cfile_status_at(place.record).inode)])
            } catch {
                #expect(isRefused && DownloadRecord(place)?.offset == offset)
            }
        }
    }
}
