import Foundation
import LoopbackServer
import OperationNetworking
import Testing

@testable import eras

/// `KILLS=1000` is the long form.
@Suite("A fetch that is killed", .timeLimit(.minutes(10)))
struct KilledFetchTests {
    private static let kills =
        ProcessInfo.processInfo.environment["KILLS"].flatMap { Int($0) } ?? 4
    private static let length: Int64 = 40_000_000

    @Test(arguments: [1, 4])
    func `kill -9 loses at most a MiB, and the file is right at last`(segments: Int) async throws {
        let room = try FetchRoom()
        let rate = 60_000_000 / segments
        let url = room.server.url("/rate/\(Self.length)?bps=\(rate)&seed=8").absoluteString
        let file = URL(fileURLWithPath: "\(room.directory)/\(Self.length)")
        let arguments = [
            "fetch", "-q", "--json", "--segments", "\(segments)", "--min-split-size", "1M", "-o",
            room.directory, url,
        ]
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<Self.kills {
            let before = Self.recorded(file).reduce(0) { $0 + $1.count }
            // Some time after there is a part.
            let pause = Duration.milliseconds(.random(in: 0...900, using: &numbers))
            let ending = try await Program.run(arguments) { process in
                while process.isRunning, Self.partSize(file) == 0 { await Task.yield() }
                try? await Task.sleep(for: pause)
                kill(process.processIdentifier, SIGKILL)
            }
            if ending.code == 0 {
                try FileManager.default.removeItem(at: file)
                continue
            }
            let recorded = Self.recorded(file).reduce(0) { $0 + $1.count }
            let size = try Self.written(file)
            #expect(size - recorded <= 1 << 20, "\(size) bytes, \(recorded) of them recorded")
            #expect(recorded >= before, "What was recorded once is lost.")
        }
        let last = try await Program.run(arguments)
        #expect(last.code == 0, "\(last.errors)")
        #expect(last.output.contains(try hash(generated(8, Self.length))))
        #expect(room.names == ["\(Self.length)"])
    }

    /// The ranges of the part that the record names.
    private static func recorded(_ file: URL) -> [Range<Int>] {
        guard let record = DownloadRecord(of: file) else { return [] }
        let ranges = record.ranges ?? []
        let first = min(record.offset, ranges.first?.start ?? .max)
        return [0..<Int(first)] + ranges.map { Int($0.start)..<Int($0.end) }
    }

    /// The bytes that were written, which are hardly ever eight zeros; what is not recorded becomes zero, so
    /// that the next count is of the next run's bytes.
    private static func written(_ file: URL) throws -> Int {
        let part = URL(fileURLWithPath: file.path + ".part")
        guard var bytes = try? Data(contentsOf: part) else { return 0 }
        let count = bytes.withUnsafeBytes { bytes in
            var count = bytes.count % 8
            for offset in stride(from: 0, to: bytes.count - 7, by: 8)
            where bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 { count += 8 }
            return count
        }
        let known = recorded(file)
        for (one, next) in zip(known, known.dropFirst() + [bytes.count..<bytes.count])
        where one.upperBound < next.lowerBound {
            bytes.resetBytes(in: one.upperBound..<next.lowerBound)
        }
        let handle = try FileHandle(forWritingTo: part)
        try handle.write(contentsOf: bytes)
        try handle.close()
        return count
    }

    /// How far the part reaches; there may be holes in it.
    private static func partSize(_ file: URL) -> Int {
        let path = file.path + ".part"
        return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
