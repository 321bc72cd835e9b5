import HTTPSemantics
import TestSupport

@testable import Scheduling

@Suite("Queues of jobs on threads that work", .timeLimit(.minutes(5)))
struct WorkerQueueTests {
    private static let limit = WorkerRule.files.limit
    private static let leftLimit = WorkerRule.files.leftLimit

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

    private func wait(for queue: WorkerQueue) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        queue.perform { isDone.signal() }
        return isDone.wait(timeout: .now() + 30) == .success
    }

    private static let nothing: SystemThread.Starter = { _ throws(ThreadUnavailable) in
        throw ThreadUnavailable(EAGAIN)
    }

    @Test func `the jobs of a queue run in their order, one at a time`() {
        let pool = WorkerPool(.files)
        let queues = (0..<40).map { _ in (queue: WorkerQueue(pool), seen: Locked<[Int]>([])) }
        for number in 0..<200 {
            for (queue, seen) in queues {
                queue.perform { seen.withLock { $0.append(number) } }
            }
        }
        for (queue, seen) in queues {
            #expect(wait(for: queue))
            #expect(seen.withLock { $0 } == Array(0..<200))
        }
    }

    @Test func `disks that do not answer take a bounded number of threads`() {
        let (pool, gate) = (WorkerPool(.files), Gate())
        defer { gate.open() }
        let queues = (0..<100).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        #expect(gate.wait(for: Self.limit))
        #expect(gate.inside == Self.limit && pool.threads == Self.limit)
        gate.open()
        #expect(queues.allSatisfy { wait(for: $0) })
    }

    // MARK: Jobs that nobody waits for

    @Test func `a job that nobody waits for keeps no other waiting`() {
        let (pool, gate) = (WorkerPool(.files), Gate())
        defer { gate.open() }
        let queues = (0..<Self.limit).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        #expect(gate.wait(for: Self.limit))
        let isDone = DispatchSemaphore(value: 0)
        WorkerQueue(pool).perform { isDone.signal() }
        queues.first?.leave()
        #expect(isDone.wait(timeout: .now() + 30) == .success)
        // And the place of each thread that was left is free
        queues.forEach { $0.leave() }
        let more = (0..<Self.limit).map { _ in WorkerQueue(pool) }
        for queue in more { queue.perform { gate.enter() } }
        #expect(gate.wait(for: 2 * Self.limit))
    }

    @Test func `nor does one that was left before it ran`() {
        let (pool, gate) = (WorkerPool(.files), Gate())
        defer { gate.open() }
        let queues = (0..<2 * Self.limit).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        #expect(gate.wait(for: Self.limit))
        queues.forEach { $0.leave() }
        #expect(gate.wait(for: 2 * Self.limit))
        #expect(wait(for: WorkerQueue(pool)))
    }

    @Test func `nor does one behind it in its queue`() {
        let (pool, first, second) = (WorkerPool(.files), Gate(), Gate())
        defer { second.open() }
        let queues = (0..<Self.limit).map { _ in WorkerQueue(pool) }
        for queue in queues {
            queue.perform { first.enter() }
            queue.perform { second.enter() }
        }
        #expect(first.wait(for: Self.limit))
        queues.forEach { $0.leave() }
        first.open()
        #expect(second.wait(for: Self.limit))
        #expect(wait(for: WorkerQueue(pool)))
    }

    @Test func `jobs wait for a free thread when more are left than may stay beside the others`() {
        let (pool, gate) = (WorkerPool(.files), Gate())
        let queues = (0..<Self.leftLimit + Self.limit + 8).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        queues.forEach { $0.leave() }
        #expect(gate.wait(for: Self.leftLimit + Self.limit))
        let others = (0..<8).map { _ in WorkerQueue(pool) }
        let isDone = DispatchSemaphore(value: 0)
        for queue in others { queue.perform { isDone.signal() } }
        #expect(gate.inside == Self.leftLimit + Self.limit)
        gate.open()
        for _ in others { #expect(isDone.wait(timeout: .now() + 30) == .success) }
        #expect(queues.allSatisfy { wait(for: $0) })
    }

    @Test func `a job that takes long counts as one that nobody waits for`() {
        let hands = TurnableClock()
        var rule = WorkerRule(name: "slow", limit: 2)
        (rule.leftLimit, rule.slow, rule.patience) = (3, 1_000_000_000, 0.25)
        let (pool, gate) = (WorkerPool(rule, clock: hands.clock), Gate())
        let queues = (0..<9).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        #expect(gate.wait(for: 2))
        hands.turn(by: 1)
        #expect(pool.working == 2)
        hands.turn(by: 0.25)
        #expect(gate.wait(for: 4))
        hands.turn(by: 5)
        // Two that count, and three that may be left.
        #expect(gate.wait(for: 5))
        #expect(pool.working == 5 && pool.waiting == 4)
        gate.open()
        #expect(queues.allSatisfy { wait(for: $0) })
        hands.turn(by: 10)
    }

    @Test func `a job that is taken back is not run, and what it held is gone at once`() {
        let pool = WorkerPool(WorkerRule(name: "one", limit: 1))
        let (gate, order) = (Gate(), Locked<[Int]>([]))
        let first = WorkerQueue(pool)
        first.perform { gate.enter() }
        #expect(gate.wait(for: 1))
        let queues = (0..<200).map { _ in WorkerQueue(pool) }
        for (number, queue) in queues.enumerated() {
            queue.perform { [held = Held(order)] in
                held.touch()
                order.withLock { $0.append(number) }
            }
        }
        for (number, queue) in queues.enumerated() where number % 10 != 0 { queue.cancel() }
        #expect(order.withLock { $0 } == Array(repeating: -1, count: 180))
        // What is gone takes no more memory than what waits.
        #expect(pool.waiting <= 2 * 20 + 32)
        gate.open()
        #expect(wait(for: WorkerQueue(pool)))
        let ran = order.withLock { $0 }.filter { $0 >= 0 }
        #expect(ran == (0..<20).map { $0 * 10 })
        #expect(pool.waiting == 0)
    }

    private final class Held: Sendable {
        private let order: Locked<[Int]>

        init(_ order: Locked<[Int]>) {
            self.order = order
        }

        deinit { order.withLock { $0.append(-1) } }

        func touch() {}
    }

    // MARK: No thread to be had

    @Test func `a job that is left while the caller makes it is no thread of the pool`() {
        let counts = Locked((refusals: 1, started: 0))
        let pool = WorkerPool(
            .files,
            startingBy: { body throws(ThreadUnavailable) in
                let isRefused = counts.withLock {
                    $0.refusals -= 1
                    $0.started += $0.refusals < 0 ? 1 : 0
                    return $0.refusals >= 0
                }
                if isRefused { throw ThreadUnavailable(EAGAIN) }
                try SystemThread.start(body)
            })
        let queue = WorkerQueue(pool)
        queue.perform { queue.leave() }
        let gate = Gate()
        defer { gate.open() }
        let queues = (0..<100).map { _ in WorkerQueue(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        #expect(gate.wait(for: Self.limit))
        #expect(counts.withLock { $0.started } == Self.limit)
    }

    @Test func `without any thread to be had the caller makes the call`() {
        let pool = WorkerPool(.files, startingBy: Self.nothing)
        let seen = Locked<[pthread_t]>([])
        let queue = WorkerQueue(pool)
        for _ in 0..<3 { queue.perform { seen.withLock { $0.append(pthread_self()) } } }
        let own = pthread_self()
        #expect(seen.withLock { $0.count { pthread_equal($0, own) != 0 } } == 3)
    }

    @Test func `or hears of it, and nothing is run`() {
        let pool = WorkerPool(.lookUps, startingBy: Self.nothing)
        let order = Locked<[Int]>([])
        let queue = WorkerQueue(pool)
        for _ in 0..<2 {
            let isTaken = queue.performElsewhere { [held = Held(order)] in held.touch() }
            #expect(!isTaken)
        }
        #expect(order.withLock { $0 } == [-1, -1])
        #expect(pool.waiting == 0 && pool.working == 0)
    }

    // MARK: Queues with a thread of their own

    private func kept(_ pool: WorkerPool) throws -> WorkerQueue {
        let queue = try WorkerQueue(keepingThreadOf: pool)
        return try #require(queue)
    }

    private func expectFull(_ pool: WorkerPool) throws {
        let queue = try WorkerQueue(keepingThreadOf: pool)
        #expect(queue === nil)
    }

    @Test func `where the system has no thread the error names it, and takes no slot`() throws {
        let isShort = Locked(true)
        let pool = WorkerPool(
            .streams,
            startingBy: { body throws(ThreadUnavailable) in
                if isShort.withLock({ $0 }) { throw ThreadUnavailable(EAGAIN) }
                try SystemThread.start(body)
            })
        for _ in 0..<2 * WorkerRule.streams.limit {
            let reason = #expect(throws: ThreadUnavailable.self) { try kept(pool) }
            #expect(reason?.number == EAGAIN)
        }
        isShort.withLock { $0 = false }
        let queues = try (0..<WorkerRule.streams.limit).map { _ in try kept(pool) }
        #expect(queues.allSatisfy { wait(for: $0) })
        try expectFull(pool)
        withExtendedLifetime(queues) {}
    }

    @Test func `a queue's thread is free for another when it is gone and its jobs have run`() throws
    {
        let pool = WorkerPool(WorkerRule(name: "one", limit: 1))
        let (gate, order) = (Gate(), Locked<[Int]>([]))
        var queue: WorkerQueue? = try kept(pool)
        queue?.perform { gate.enter() }
        queue?.perform { order.withLock { $0.append(1) } }
        #expect(gate.wait(for: 1))
        queue = nil
        try expectFull(pool)
        gate.open()
        let end = Date() + 20
        while pool.working > 0, Date() < end { sched_yield() }
        #expect(order.withLock { $0 } == [1])
        let next = try kept(pool)
        #expect(wait(for: next))
        #expect(pool.threads == 1)
    }

    @Test func `a job may hold its queue, and with it the thread`() throws {
        let pool = WorkerPool(WorkerRule(name: "one", limit: 1))
        var queue: WorkerQueue? = try kept(pool)
        queue?.perform { [queue] in withExtendedLifetime(queue) {} }
        queue = nil
        let end = Date() + 20
        while pool.working > 0, Date() < end { sched_yield() }
        #expect(pool.working == 0)
    }

    @Test func `calls that nobody waits for any more keep no other queue from a thread`() throws {
        let (pool, gate) = (WorkerPool(.streams), Gate())
        defer { gate.open() }
        let (limit, leftLimit) = (WorkerRule.streams.limit, WorkerRule.streams.leftLimit)
        var queues = try (0..<limit).map { _ in try kept(pool) }
        for queue in queues { queue.perform { gate.enter() } }
        // While somebody waits for them
        try expectFull(pool)
        queues.forEach { $0.leave() }
        // Released, they are still inside
        queues = try (0..<limit).map { _ in try kept(pool) }
        try expectFull(pool)
        // And those that may be left are bounded
        var count = limit
        while count <= limit + leftLimit {
            for queue in queues {
                queue.perform { gate.enter() }
                queue.leave()
            }
            count += queues.count
            queues = (0..<limit).compactMap { _ in try? WorkerQueue(keepingThreadOf: pool) }
            if queues.isEmpty { break }
        }
        #expect(count == limit + leftLimit)
    }
}
