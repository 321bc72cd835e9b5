import TestSupport

@testable import CurlConnection

@Suite("Threads that wait for disks", .timeLimit(.minutes(5)))
struct DiskPoolTests {
    /// A stop for threads that walk into it.
    private final class Gate: Sendable {
        private let condition = NSCondition()
        private let state = Locked((inside: 0, isOpen: false))

        func enter() {
            condition.withLock {
                state.withLock { $0.inside += 1 }
                condition.broadcast()
                while !state.withLock({ $0.isOpen }) { condition.wait() }
            }
        }

        func open() {
            condition.withLock {
                state.withLock { $0.isOpen = true }
                condition.broadcast()
            }
        }

        func wait(for count: Int) -> Bool {
            let deadline = Date(timeIntervalSinceNow: 30)
            return condition.withLock {
                while state.withLock({ $0.inside }) < count {
                    guard condition.wait(until: deadline) else { return false }
                }
                return true
            }
        }

        var inside: Int { state.withLock { $0.inside } }
    }

    private func wait(for line: DiskLine) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        line.perform { isDone.signal() }
        return isDone.wait(timeout: .now() + 30) == .success
    }

    @Test func `the jobs of a line run in their order, one at a time`() {
        let pool = DiskPool()
        let lines = (0..<40).map { _ in (line: DiskLine(pool), seen: Locked<[Int]>([])) }
        for number in 0..<200 {
            for (line, seen) in lines {
                line.perform { seen.withLock { $0.append(number) } }
            }
        }
        for (line, seen) in lines {
            #expect(wait(for: line))
            #expect(seen.withLock { $0 } == Array(0..<200))
        }
    }

    @Test func `disks that do not answer take a bounded number of threads`() {
        let (pool, gate) = (DiskPool(), Gate())
        defer { gate.open() }
        let lines = (0..<100).map { _ in DiskLine(pool) }
        for line in lines { line.perform { gate.enter() } }
        #expect(gate.wait(for: DiskPool.limit))
        #expect(gate.inside == DiskPool.limit)
        gate.open()
        #expect(lines.allSatisfy { wait(for: $0) })
    }

    @Test func `a job that nobody waits for keeps no other waiting`() {
        let (pool, gate) = (DiskPool(), Gate())
        defer { gate.open() }
        let lines = (0..<DiskPool.limit).map { _ in DiskLine(pool) }
        for line in lines { line.perform { gate.enter() } }
        #expect(gate.wait(for: DiskPool.limit))
        let isDone = DispatchSemaphore(value: 0)
        DiskLine(pool).perform { isDone.signal() }
        lines.first?.leave()
        #expect(isDone.wait(timeout: .now() + 30) == .success)
        // And the place of each thread that was left is free
        lines.forEach { $0.leave() }
        let more = (0..<DiskPool.limit).map { _ in DiskLine(pool) }
        for line in more { line.perform { gate.enter() } }
        #expect(gate.wait(for: 2 * DiskPool.limit))
    }

    @Test func `nor does one that was left before it ran`() {
        let (pool, gate) = (DiskPool(), Gate())
        defer { gate.open() }
        let lines = (0..<2 * DiskPool.limit).map { _ in DiskLine(pool) }
        for line in lines { line.perform { gate.enter() } }
        #expect(gate.wait(for: DiskPool.limit))
        lines.forEach { $0.leave() }
        #expect(gate.wait(for: 2 * DiskPool.limit))
        #expect(wait(for: DiskLine(pool)))
    }

    @Test func `nor does one behind it in its line`() {
        let (pool, first, second) = (DiskPool(), Gate(), Gate())
        defer { second.open() }
        let lines = (0..<DiskPool.limit).map { _ in DiskLine(pool) }
        for line in lines {
            line.perform { first.enter() }
            line.perform { second.enter() }
        }
        #expect(first.wait(for: DiskPool.limit))
        lines.forEach { $0.leave() }
        first.open()
        #expect(second.wait(for: DiskPool.limit))
        #expect(wait(for: DiskLine(pool)))
    }

    @Test func `jobs wait for a free thread when more are left than may stay beside the others`() {
        let (pool, gate) = (DiskPool(), Gate())
        let lines = (0..<DiskPool.leftLimit + DiskPool.limit + 8).map { _ in DiskLine(pool) }
        for line in lines { line.perform { gate.enter() } }
        lines.forEach { $0.leave() }
        #expect(gate.wait(for: DiskPool.leftLimit + DiskPool.limit))
        let others = (0..<8).map { _ in DiskLine(pool) }
        let isDone = DispatchSemaphore(value: 0)
        for line in others { line.perform { isDone.signal() } }
        #expect(gate.inside == DiskPool.leftLimit + DiskPool.limit)
        gate.open()
        for _ in others { #expect(isDone.wait(timeout: .now() + 30) == .success) }
        #expect(lines.allSatisfy { wait(for: $0) })
    }

    @Test func `a job that is left while the caller makes it is no thread of the pool`() {
        let counts = Locked((refusals: 1, started: 0))
        let pool = DiskPool(startingBy: { body throws(ThreadUnavailable) in
            let isRefused = counts.withLock {
                $0.refusals -= 1
                $0.started += $0.refusals < 0 ? 1 : 0
                return $0.refusals >= 0
            }
            if isRefused { throw ThreadUnavailable(EAGAIN) }
            try SystemThread.start(body)
        })
        let line = DiskLine(pool)
        line.perform { line.leave() }
        let gate = Gate()
        defer { gate.open() }
        let lines = (0..<100).map { _ in DiskLine(pool) }
        for line in lines { line.perform { gate.enter() } }
        #expect(gate.wait(for: DiskPool.limit))
        #expect(counts.withLock { $0.started } == DiskPool.limit)
    }

    @Test func `without any thread to be had the caller makes the call`() {
        let pool = DiskPool(startingBy: { _ throws(ThreadUnavailable) in
            throw ThreadUnavailable(EAGAIN)
        })
        let seen = Locked<[pthread_t]>([])
        let line = DiskLine(pool)
        for _ in 0..<3 { line.perform { seen.withLock { $0.append(pthread_self()) } } }
        let own = pthread_self()
        #expect(seen.withLock { $0.count { pthread_equal($0, own) != 0 } } == 3)
    }
}
