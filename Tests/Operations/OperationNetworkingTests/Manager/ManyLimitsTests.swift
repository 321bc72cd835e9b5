import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// `LIMITED_REQUESTS=100000` is the long form.
@Suite("Many requests over limits by origin and group", .timeLimit(.minutes(30)))
struct ManyLimitsTests {
    private let world = TestWorld()
    private let manager = OperationManager()
    private let count = Int(ProcessInfo.processInfo.environment["LIMITED_REQUESTS"] ?? "") ?? 2_000

    @Test func `no server ever counts one too many, and every operation that waits has a reason`()
        async throws
    {
        let other = LoopbackServer.started()
        defer { other.stop() }
        for server in [world.server, other] {
            // So that those which are let through are there at once.
            server.add("/soon") { _ in ScriptedResponse.text("ok").after(.sleep(seconds: 0.001)) }
        }
        manager.maxConcurrentOperationCount = 64
        manager.maximumOperationsPerOrigin = 7
        manager.setMaxConcurrentOperationCount(5, ofGroup: "a")
        manager.setMaxConcurrentOperationCount(3, ofGroup: "b")
        let running = Locked<[String: Int]>([:])
        let most = Locked<[String: Int]>([:])
        let ends = Log<Int>()
        for number in 0..<count {
            let server = number.isMultiple(of: 2) ? world.server : other
            let group = ["a", "b", nil][number % 3]
            let operation = CountedOperation(request: URLRequest(url: server.url("/soon")))
            operation.queuePriority = [.low, .normal, .veryHigh][number % 5 % 3]
            operation.count = { change in
                guard let group else { return }
                let now = running.withLock { counts in
                    counts[group, default: 0] += change
                    return counts[group] ?? 0
                }
                most.withLock { $0[group] = max($0[group] ?? 0, now) }
            }
            operation.completionBlock = { ends.add(number) }
            manager.enqueue(operation, group: group)
        }
        var (waiting, unexplained) = (0, 0)
        while ends.all.count < count * 9 / 10 {
            for entry in manager.snapshot() {
                if entry.reason != nil {
                    waiting += 1
                } else if !entry.operation.isExecuting, !entry.operation.isFinished {
                    unexplained += 1
                }
            }
            #expect(await ends.reaches(min(count * 9 / 10, ends.all.count + count / 10)))
        }
        #expect(await ends.reaches(count))
        let seen = most.withLock { $0 }
        let peaks = [world.server, other].map(\.statistics.peakInFlight)
        print(
            "limits: \(count) requests, most of each group \(seen), of each origin \(peaks),",
            "\(waiting) waits looked at, \(unexplained) without a reason")
        #expect(seen["a"] ?? 0 <= 5 && seen["b"] ?? 0 <= 3)
        #expect(peaks.allSatisfy { $0 <= 7 })
        #expect(waiting > 0 && unexplained == 0)
        #expect(Set(ends.all).count == count)
    }

    /// The clock goes on by one with each end, so that an age is a number of operations on any machine.
    @Test func `in a queue that is never empty the lowest class starts within its age`() async {
        let turned = TurnableClock()
        let age = 4 * 20
        manager.clock = turned.clock
        manager.priorityAgeingInterval = 20
        manager.maximumOperationsPerOrigin = 4
        let ended = Locked(0)
        let ends = Signal()
        let waits = Log<Int>()
        // Each that ends is followed by another of the highest class, so that some always wait; each
        // fiftieth is of the lowest.
        let backlog = 30
        @Sendable func add(_ number: Int) {
            guard number < count else { return }
            let isLow = number.isMultiple(of: 50)
            let operation = CountedOperation(request: world.request("/ok"))
            operation.queuePriority = isLow ? .veryLow : .veryHigh
            let began = turned.clock.nanoseconds
            operation.count = { [weak operation] change in
                // When it got its place; others may end before it starts.
                guard change > 0, isLow, let since = operation?.currentAdmission?.since else {
                    return
                }
                waits.add(Int((since - began) / 1_000_000_000))
            }
            operation.completionBlock = {
                let now = ended.withLock {
                    $0 += 1
                    return $0
                }
                turned.turn(by: 1)
                add(now + backlog - 1)
                ends.fire()
            }
            operation.completionQueue = Self.oneByOne
            manager.enqueue(operation)
        }
        (0..<backlog).forEach(add)
        // In steps, since each wait has its patience.
        for step in 1...20 { await ends.wait(for: count * step / 20) }
        let sorted = waits.all.sorted()
        let last = sorted[sorted.count * 99 / 100]
        print(
            "age: \(sorted.count) of the lowest class, 99th \(last), most \(sorted.last ?? 0), age \(age)"
        )
        // Of few the 99th percentile is the one that waited longest. It is let in when
        // one of the four that run ends.
        #expect(last <= (sorted.count < 1_000 ? age + 8 : age))
        #expect(sorted.last ?? 0 <= age + backlog)
        // They did wait for the others.
        #expect(sorted[sorted.count / 2] > age / 4)
    }

    private static let oneByOne = DispatchQueue(label: "of the test")
}

/// Says when it runs, and that it has ended before it has.
private final class CountedOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; the closure is set before it is enqueued.
    var count: @Sendable (Int) -> Void = { _ in }

    override func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        count(1)
        return super.connection(connection, willSend: request, redirectResponse: redirectResponse)
    }

    override func connectionDidFinishLoading(_ connection: URLConnection) {
        count(-1)
        super.connectionDidFinishLoading(connection)
    }
}
