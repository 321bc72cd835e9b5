import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// `DOWNLOADS=1000` is the long form.
@Suite("Servers that send other ranges than were asked for", .timeLimit(.minutes(10)))
struct OddRangeTests {
    private static let count =
        ProcessInfo.processInfo.environment["DOWNLOADS"].flatMap { Int($0) } ?? 60
    private static let length: Int64 = 100_000

    /// A response whose bytes are those of the file at the offsets that its head names, whatever it leaves out, adds
    /// or breaks off.
    private static func response(
        to request: RecordedRequest, _ numbers: inout SeededNumbers
    ) -> ScriptedResponse {
        var range: Range<Int64> = 0..<length
        let isPart = request.headers["Range"] != nil
        if let ends = request.headers["Range"]?.dropFirst(6).split(separator: "-") {
            let end = ends.count > 1 ? Int64(ends[1]).map { $0 + 1 } : nil
            range = min(Int64(ends[0]) ?? 0, length)..<min(end ?? length, length)
        }
        var headers = [("ETag", "\"odd\""), ("Accept-Ranges", "bytes")]
        var status = isPart ? 206 : 200
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0 where isPart: (range, status) = (0..<length, 200)
        case 1 where isPart && range.count > 1:
            range =
                range
                .lowerBound..<Int64.random(
                    in: range.lowerBound + 1...range.upperBound, using: &numbers)
        case 2 where isPart: range = range.lowerBound..<length
        case 3 where isPart: range = max(0, range.lowerBound - 100)..<range.upperBound
        case 4: return .text("busy", status: 503)
        default: break
        }
        if status == 206 {
            guard !range.isEmpty else {
                return .text("", status: 416, headers: [("Content-Range", "bytes */\(length)")])
            }
            // Nobody can tell a short rest from all of it where its total is not named.
            let isOpen = range.upperBound == length && Int.random(in: 0..<4, using: &numbers) == 0
            let total = isOpen ? "*" : "\(length)"
            headers.append(
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"))
        }
        let isCut = Int.random(in: 0..<4, using: &numbers) == 0
        let sent =
            isCut
            ? range
                .lowerBound..<Int64.random(in: range.lowerBound...range.upperBound, using: &numbers)
            : range
        switch Int.random(in: 0..<3, using: &numbers) {
        case 0:
            headers.append(("Transfer-Encoding", "chunked"))
            let size = String(sent.count, radix: 16)
            // Where it is cut, an end that looks right comes too early, but for a body of no known length.
            let end = isCut && status == 200 ? "\r\n" : "\r\n0\r\n\r\n"
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(status, headers) + Data("\(size)\r\n".utf8)),
                .generated(seed: 9, range: sent), .bytes(Data(end.utf8)), .close,
            ])
        default:
            headers.append(("Content-Length", "\(range.count)"))
            let head = ScriptedResponse.head(status, headers)
            return ScriptedResponse([.bytes(head), .generated(seed: 9, range: sent), .close])
        }
    }

    @Test(arguments: [1, 4])
    func `a download is right or fails, never something else`(segments: Int) async throws {
        let world = TestWorld()
        let numbers = Watched(SeededNumbers(seed: UInt64(segments)))
        world.server.add("/odd") { request in
            numbers.change { Self.response(to: request, &$0) }
        }
        var whole = 0
        for index in 0..<Self.count {
            var options = DownloadOptions.tries(8)
            options.segments = segments
            options.minimumSegmentLength = 10_000
            options.watchTime = 0
            do {
                let file = try await world.download("/odd", as: "\(index)", options)
                #expect(file.length == Self.length, "\(index)")
                #expect(world.contents("\(index)") == generated(9, Self.length), "\(index)")
                whole += 1
            } catch {
                #expect(world.contents("\(index)") == nil, "\(index)")
            }
        }
        #expect(whole > Self.count / 4)
    }
}
