import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import eras

/// `KILLS=200 KILLED_MIB=1024` is the long form: so many kills, spread over one download of that size.
@Suite("A fetch that is killed", .timeLimit(.minutes(20)))
struct KilledFetchTests {
    private static let kills = number("KILLS") ?? 4
    private static let length = number("KILLED_MIB").map { Int64($0) << 20 } ?? 40_000_000
    private static let right = Result { try generatedHash() }

    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }.map { max(1, $0) }
    }

    @Test(arguments: [1, 4])
    func `kill -9 loses at most a MiB, and the file is right at last`(segments: Int) async throws {
        let world = TestWorld()
        let rate = 60_000_000 / segments
        let url = world.address("/rate/\(Self.length)?bps=\(rate)&seed=8")
        let file = URL(fileURLWithPath: "\(world.directory)/\(Self.length)")
        let arguments = [
            "fetch", "-q", "--json", "--segments", "\(segments)", "--min-split-size", "1M", "-o",
            world.directory, url,
        ]
        let right = try Self.right.get()
        // All kills together reach the end once; but of less than a MiB nothing may be left.
        let most = max(2 * Self.length / Int64(Self.kills), 8 << 20)
        for number in 0..<Self.kills {
            let before = Self.recorded(file).reduce(0) { $0 + $1.count }
            let sent = world.server.statistics.bytesSent
            let moment = Int64.random(in: 0...most)
            let ending = try await Program.run(arguments) { process in
                if number % 8 == 7 {
                    // Any time after the start: what is there may be compared with its record yet.
                    try? await Task.sleep(for: .microseconds(.random(in: 0...900_000)))
                } else {
                    while process.isRunning, world.server.statistics.bytesSent - sent < moment {
                        try? await Task.sleep(for: .milliseconds(1))
                    }
                }
                if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            }
            // The kill may come when the file has its name and the process has not ended.
            if ending.code == 0 || FileManager.default.fileExists(atPath: file.path) {
                #expect(try Self.hash(of: file) == right)
                try FileManager.default.removeItem(at: file)
                continue
            }
            let recorded = Self.recorded(file).reduce(0) { $0 + $1.count }
            let lost = try Self.takeUnrecorded(file)
            #expect(lost <= 1 << 20, "\(lost) bytes beside \(recorded) that are recorded")
            #expect(recorded >= before, "What was recorded once is lost.")
        }
        let last = try await Program.run(arguments)
        #expect(last.code == 0, "\(last.errors)")
        #expect(last.output.contains(right))
        #expect(world.names == ["\(Self.length)"])
    }

    /// The ranges of the part that the record names; none where there is no part.
    private static func recorded(_ file: URL) -> [Range<Int>] {
        guard FileManager.default.fileExists(atPath: file.path + ".part"),
            let record = DownloadRecord(of: file)
        else { return [] }
        let ranges = record.ranges ?? []
        let first = min(record.offset, ranges.first?.start ?? .max)
        return [0..<Int(first)] + ranges.map { Int($0.start)..<Int($0.end) }
    }

    /// How many bytes are written and not recorded; bytes are hardly ever eight zeros. They become zeros, so
    /// that the next count is of the next run's bytes.
    private static func takeUnrecorded(_ file: URL) throws -> Int {
        let part = URL(fileURLWithPath: file.path + ".part")
        guard let handle = try? FileHandle(forUpdating: part) else { return 0 }
        defer { try? handle.close() }
        let size = Int(try handle.seekToEnd())
        let known = [0..<0] + recorded(file) + [size..<size]
        var count = 0
        for (one, next) in zip(known, known.dropFirst()) where one.upperBound < next.lowerBound {
            for range in Self.data(of: handle, in: one.upperBound..<next.lowerBound) {
                try handle.seek(toOffset: UInt64(range.lowerBound))
                let bytes = try handle.read(upToCount: range.count) ?? Data()
                count += bytes.withUnsafeBytes { bytes in
                    let words = stride(from: 0, to: bytes.count - 7, by: 8)
                    return bytes.count % 8
                        + words.reduce(0) { count, offset in
                            let word = bytes.loadUnaligned(
                                fromByteOffset: offset, as: UInt64.self)
                            return word == 0 ? count : count + 8
                        }
                }
                try handle.seek(toOffset: UInt64(range.lowerBound))
                try handle.write(contentsOf: Data(count: bytes.count))
            }
        }
        return count
    }

    /// What is no hole in a range of a file, so that a part with holes is not read whole.
    private static func data(of handle: FileHandle, in range: Range<Int>) -> [Range<Int>] {
        // Linux's SEEK_DATA and SEEK_HOLE, which its C library shows to GNU programs alone.
        let (toData, toHole): (Int32, Int32) = (3, 4)
        var pieces: [Range<Int>] = []
        var position = range.lowerBound
        while position < range.upperBound {
            let start = Int(lseek(handle.fileDescriptor, off_t(position), toData))
            guard start >= 0, start < range.upperBound else { break }
            let end = Int(lseek(handle.fileDescriptor, off_t(start), toHole))
            position = end > start ? min(end, range.upperBound) : range.upperBound
            pieces.append(start..<position)
        }
        return pieces
    }

    /// Piece by piece, since a GiB is much at once.
    private static func hash(of file: URL) throws -> String {
        let handle = try FileHandle(forReadingFrom: file)
        defer { try? handle.close() }
        let hash = try SHA256()
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            piece.withUnsafeBytes { hash.update($0) }
        }
        return try hash.digest()
    }

    /// The hash of what the server sends.
    private static func generatedHash() throws -> String {
        let hash = try SHA256()
        for start in stride(from: 0, to: length, by: 1 << 20) {
            GeneratedBytes.bytes(seed: 8, range: start..<min(start + (1 << 20), length))
                .withUnsafeBytes { hash.update($0) }
        }
        return try hash.digest()
    }
}
