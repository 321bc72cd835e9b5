import CurlConnection
import OperationNetworking
import TestSupport

@testable import DurableQueue

/// `DURABLE_KILLS=1000` is the long form.
@Suite("A durable queue that is killed", .timeLimit(.minutes(60)))
struct KilledQueueTests {
    private static let kills =
        ProcessInfo.processInfo.environment["DURABLE_KILLS"].flatMap { Int($0) } ?? 8

    /// What the server has seen.
    private struct Seen {
        /// The idempotency keys of each number.
        var keys: [Int: Set<String>] = [:]
        var answered: Set<Int> = []
        /// The highest number of each key that it is ordered by.
        var highest: [Substring: Int] = [:]
        var requests = 0
        var outOfOrder: [Int] = []
        var shortBodies: [Int] = []

        mutating func take(_ request: RecordedRequest) -> ScriptedResponse {
            let parts = request.path.split(separator: "/")
            guard parts.count == 3, let number = Int(parts[2]) else { return .status(400) }
            requests += 1
            keys[number, default: []].insert(request.headers["Idempotency-Key"] ?? "-")
            if number < highest[parts[1], default: -1] { outOfOrder.append(number) }
            highest[parts[1]] = max(highest[parts[1], default: -1], number)
            let length = number % 10 == 3 ? 60_000 : 300
            if request.body != Data(repeating: 7, count: length) { shortBodies.append(number) }
            // Some answers are lost, some are no.
            switch requests % 7 {
            case 2: return .status(503)
            case 5: return ScriptedResponse([.close])
            default: break
            }
            answered.insert(number)
            return .text("in")
        }
    }

    @Test func `of what was accepted nothing is lost, and order and keys are kept`() async throws {
        let world = TestWorld.durable()
        let seen = Watched(Seen())
        world.server.add("/in/", isPrefix: true) { request in seen.change { $0.take(request) } }
        let (added, failed) = (Log<Int>(), Log<String>())
        var numbers = SystemRandomNumberGenerator()
        var start = 0
        for _ in 0..<Self.kills {
            let child = DurableChild(
                work: .add, folder: world.queueFolder, server: world.server.baseURL, start: start)
            // Some die while they open the journal, some after so many entries and a moment.
            let goal = Int.random(in: 0...40, using: &numbers)
            let pause = UInt32.random(in: 0...4_000, using: &numbers)
            let count = Watched(0)
            let isEarly = Int.random(in: 0..<8, using: &numbers) == 0
            let (running, ended) = try child.begin { line, process in
                let words = line.split(separator: " ")
                if words.first == "added", let number = words.last.flatMap({ Int($0) }) {
                    added.add(number)
                } else if words.first == "failed" {
                    failed.add(line)
                }
                let lines = count.change { count in
                    count += 1
                    return count
                }
                guard lines == goal + 1, !isEarly else { return }
                usleep(pause)
                kill(process.processIdentifier, SIGKILL)
            }
            if isEarly {
                usleep(100 * UInt32.random(in: 0...4_000, using: &numbers))
                kill(running.processIdentifier, SIGKILL)
            }
            #expect(await ended.wait())
            #expect(isEarly || count.now > 0, "The child did not open the queue.")
            // Each number is added once, also one that was accepted and not told.
            start = max(added.all.max() ?? 0, start) + 100
        }
        let last = DurableChild(
            work: .drain, folder: world.queueFolder, server: world.server.baseURL)
        let lines = Log<String>()
        let (_, ended) = try last.begin { line, _ in lines.add(line) }
        #expect(await ended.wait())
        #expect(lines.all.last == "empty")
        let result = seen.now
        let lost = Set(added.all).subtracting(result.answered)
        #expect(lost.isEmpty, "\(lost.sorted().prefix(10))")
        #expect(result.outOfOrder.isEmpty, "\(result.outOfOrder.prefix(10))")
        let odd = result.keys.filter { $0.value.count != 1 || $0.value.contains("-") }
        #expect(odd.isEmpty, "\(odd.sorted { $0.key < $1.key }.prefix(3))")
        #expect(Set(result.keys.values.compactMap(\.first)).count == result.keys.count)
        #expect(result.shortBodies.isEmpty && failed.all.isEmpty, "\(failed.all.prefix(3))")
        print(
            "kills \(Self.kills) accepted \(added.all.count) sent \(result.keys.count)",
            "requests \(result.requests) lost \(lost.count)")
    }

    @Test func `what a full disk refuses is not there, and the rest is`() async throws {
        let world = TestWorld.durable()
        let seen = Log<Int>()
        world.server.add("/in/", isPrefix: true) { request in
            if let number = request.path.split(separator: "/").last.flatMap({ Int($0) }) {
                seen.add(number)
            }
            return .text("in")
        }
        let lines = Log<String>()
        let full = DurableChild(
            work: .fill, folder: world.queueFolder, server: world.server.baseURL)
        let (_, filled) = try full.begin { line, _ in lines.add(line) }
        #expect(await filled.wait())
        #expect(lines.all.contains("refused"))
        let added = lines.all.filter { $0.hasPrefix("added ") }.compactMap { Int($0.dropFirst(6)) }
        #expect(added.count > 100 && added.last == 10_000)
        let drain = DurableChild(
            work: .drain, folder: world.queueFolder, server: world.server.baseURL)
        let (_, drained) = try drain.begin { line, _ in lines.add(line) }
        #expect(await drained.wait())
        #expect(seen.all.sorted() == added.sorted())
    }
}
