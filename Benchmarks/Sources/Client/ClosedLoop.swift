import CMeasure
import Foundation

/// Keeps a number of requests under way: each that ends begins the next.
///
/// ## Concurrency
/// Call from: one thread; replies come on any. Lock: one around the variables.
final class ClosedLoop: @unchecked Sendable {
    // @unchecked because the variables are guarded by `lock`.
    private let rival: any Rival
    private let atOnce: Int
    private let lock = NSLock()
    private let isOver = DispatchSemaphore(value: 0)
    private var underWay = 0
    private var latencies: [UInt32] = []
    private var failures = 0
    private var bytes = 0
    private var until: UInt64 = 0
    private var end: UInt64 = 0

    init(_ rival: any Rival, atOnce: Int) {
        self.rival = rival
        self.atOnce = atOnce
        latencies.reserveCapacity(1 << 16)
    }

    func run(_ assignment: Assignment, into outcome: inout Outcome) {
        go(for: assignment.warmUp)
        latencies.removeAll(keepingCapacity: true)
        failures = 0
        bytes = 0
        let watch = Stopwatch()
        go(for: assignment.seconds)
        watch.stop(into: &outcome, at: end)
        outcome.requests = latencies.count
        outcome.failures = failures
        outcome.bytes = bytes
        outcome.takeLatencies(latencies)
        if assignment.isJSON {
            outcome.isEqual = hasEqualResult()
        }
    }

    private func go(for seconds: Double) {
        lock.withLock {
            until = measure_now() + UInt64(seconds * 1e9)
            underWay = atOnce
        }
        for _ in 0..<atOnce {
            one()
        }
        isOver.wait()
    }

    private func one() {
        let begin = measure_now()
        rival.get { reply in self.ended(begin, reply) }
    }

    private func ended(_ begin: UInt64, _ reply: Reply) {
        let now = measure_now()
        let (goesOn, isLast) = lock.withLock {
            latencies.append(UInt32(clamping: now - begin))
            if !reply.isGood { failures += 1 }
            bytes += reply.byteCount
            if now < until {
                return (true, false)
            }
            end = now
            underWay -= 1
            return (false, underWay == 0)
        }
        if goesOn {
            one()
        } else if isLast {
            isOver.signal()
        }
    }

    /// Whether the rival makes of a body what `JSONSerialization` makes of it.
    private func hasEqualResult() -> Bool {
        let answer = Awaited<Bool>()
        rival.get { reply in
            guard let body = reply.body, let made = reply.object as? NSObject,
                let expected = try? JSONSerialization.jsonObject(with: body) as? NSObject
            else { return answer.give(false) }
            answer.give(made.isEqual(expected))
        }
        return answer.wait() ?? false
    }
}
