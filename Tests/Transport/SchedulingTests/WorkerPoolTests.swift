import HTTPSemantics
import TestSupport

@testable import Scheduling

extension WorkerPool {
    /// Runs a block, where there are threads.
    fileprivate func run(_ block: @escaping @Sendable () -> Void) {
        let isTaken = perform(block)
        #expect(isTaken)
    }
}

@Suite("Threads that work", .serialized, .timeLimit(.minutes(5)))
struct WorkerPoolTests {
    /// How many work now, and worked at most.
    private final class Workers: Sendable {
        private let counts = Locked((now: 0, most: 0))

        var most: Int { counts.withLock { $0.most } }

        func enter() {
            counts.withLock { counts in
                counts.now += 1
                counts.most = max(counts.most, counts.now)
            }
        }

        func leave() { counts.withLock { $0.now -= 1 } }
    }

    /// Lets other threads, if there are, overtake this one.
    private static func giveWay() {
        for _ in 0..<4 { sched_yield() }
    }

    private func rule(_ width: Int, most: Int? = 64, patience: TimeInterval = 60) -> WorkerRule {
        var rule = WorkerRule(name: "worker", limit: width)
        (rule.most, rule.patience) = (most, patience)
        return rule
    }

    private func comes(_ condition: () -> Bool) -> Bool {
        let end = Date() + 20
        while !condition(), Date() < end { sched_yield() }
        return condition()
    }

    // MARK: How many, in which order

    @Test(arguments: [1, 3])
    func `no more work at once than the width, while each is soon done`(width: Int) {
        let pool = WorkerPool(rule(width))
        let (workers, done) = (Workers(), DispatchGroup())
        for _ in 0..<1_000 {
            done.enter()
            pool.run {
                workers.enter()
                Self.giveWay()
                workers.leave()
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect((1...width).contains(workers.most))
        #expect(pool.threads <= width)
    }

    @Test(arguments: [1, 3])
    func `threads that bring their own work count as the pool's do`(width: Int) {
        let pool = WorkerPool(rule(width))
        let (workers, done) = (Workers(), DispatchGroup())
        @Sendable func work() {
            workers.enter()
            Self.giveWay()
            workers.leave()
            done.leave()
        }
        for _ in 0..<8 {
            for _ in 0..<100 { done.enter() }
            Thread.detachNewThread { for _ in 0..<50 { pool.performHere(work) } }
            Thread.detachNewThread { for _ in 0..<50 { pool.run(work) } }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect((1...width).contains(workers.most))
    }

    @Test func `a thread's work runs on it, in its turn`() {
        let pool = WorkerPool(rule(1))
        let (order, done) = (Locked<[String]>([]), DispatchGroup())
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        func add(_ name: String, _ wait: DispatchSemaphore? = nil) {
            done.enter()
            pool.run {
                entered.signal()
                wait?.wait()
                order.withLock { $0.append(name) }
                done.leave()
            }
        }
        add("first", gate)
        entered.wait()
        add("second")
        for number in 3...4 {
            done.enter()
            Thread.detachNewThread {
                let own = pthread_self()
                pool.performHere {
                    #expect(pthread_equal(own, pthread_self()) != 0)
                    order.withLock { $0.append("thread \(number)") }
                }
                done.leave()
            }
            #expect(comes { pool.waiting == number - 1 })
        }
        add("last")
        gate.signal()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(order.withLock { $0 } == ["first", "second", "thread 3", "thread 4", "last"])
    }

    @Test func `with one thread, blocks run in the order they came`() {
        let pool = WorkerPool(rule(1))
        let (order, done) = (Locked<[Int]>([]), DispatchGroup())
        for number in 0..<500 {
            done.enter()
            pool.run {
                Self.giveWay()
                order.withLock { $0.append(number) }
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(order.withLock { $0 } == Array(0..<500))
    }

    // MARK: Growth

    @Test(arguments: [1, 3])
    func `who waits takes its slot from the others, and then no longer`(width: Int) {
        let pool = WorkerPool(rule(width, patience: 0.1))
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        for number in 0..<width {
            done.enter()
            let wait: @Sendable () -> Void = {
                gate.wait()
                done.leave()
            }
            if number == 0 {
                Thread.detachNewThread { pool.performHere(wait) }
            } else {
                pool.run(wait)
            }
        }
        #expect(comes { pool.working == width })
        // Many more than there are intervals of patience in the time for it.
        let others = DispatchGroup()
        for _ in 0..<2_000 {
            others.enter()
            pool.run { others.leave() }
        }
        #expect(others.wait(timeout: .now() + 20) == .success)
        for _ in 0..<width { gate.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(comes { pool.allowed == width })
    }

    @Test(arguments: [false, true])
    func `who waits for one behind comes to an end`(onThread: Bool) {
        let pool = WorkerPool(rule(2, patience: 0.25))
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchGroup())
        func add(_ block: @escaping @Sendable () -> Void) {
            done.enter()
            let work: @Sendable () -> Void = {
                block()
                done.leave()
            }
            if onThread {
                Thread.detachNewThread { pool.performHere(work) }
            } else {
                pool.run(work)
            }
        }
        for _ in 0..<5 { add { gate.wait() } }
        #expect(comes { pool.working + pool.waiting == 5 })
        add { for _ in 0..<5 { gate.signal() } }
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func `each interval in which none ends lets one more work, up to the most`() {
        let hands = TurnableClock()
        let pool = WorkerPool(rule(2, most: 5, patience: 1), clock: hands.clock)
        let (first, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let done = DispatchGroup()
        for number in 0..<9 {
            done.enter()
            pool.run {
                (number < 2 ? first : gate).wait()
                done.leave()
            }
        }
        var working: [Int] = []
        for _ in 0..<6 {
            working.append(pool.working)
            hands.turn(by: 1)
        }
        #expect(working == [2, 3, 4, 5, 5, 5])
        // One that stood in the others' way has ended.
        first.signal()
        #expect(comes { pool.working == 4 })
        #expect(pool.allowed == 4 && pool.waiting == 4)
        hands.turn(by: 1)
        #expect(pool.working == 4)
        hands.turn(by: 1)
        #expect(pool.working == 5)
        first.signal()
        for _ in 0..<7 { gate.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(comes { pool.working == 0 })
        #expect(pool.allowed == 2)
    }

    @Test func `while blocks of others fill Dispatch's default pool, a block is run`() {
        let pool = WorkerPool(rule(1))
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<64 { DispatchQueue.global().async { gate.wait() } }
        pool.run { done.signal() }
        #expect(done.wait(timeout: .now() + 20) == .success)
        for _ in 0..<64 { gate.signal() }
    }

    // MARK: Its threads

    @Test func `a thread has the rule's name, and ends when it had nothing to do for a while`() {
        var rule = rule(2)
        rule.idle = 0.05
        let pool = WorkerPool(rule)
        let (names, inside) = (Locked<[String?]>([]), DispatchSemaphore(value: 0))
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            for _ in 0..<2 {
                let isTaken = pool.perform {
                    names.withLock { $0.append(Thread.current.name) }
                    inside.signal()
                    gate.wait()
                }
                #expect(isTaken)
            }
            for _ in 0..<2 { inside.wait() }
            #expect(pool.threads == 2)
            for _ in 0..<2 { gate.signal() }
            #expect(comes { pool.threads == 0 })
        }
        #expect(names.withLock { $0 } == Array(repeating: "worker", count: 4))
    }

    @Test func `a thread that ends at the moment work comes loses none`() {
        var rule = rule(2)
        rule.idle = 0
        let (pool, done) = (WorkerPool(rule), DispatchGroup())
        for _ in 0..<2_000 {
            done.enter()
            pool.run { done.leave() }
            if pool.waiting > 8 { sched_yield() }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func `writing to a pipe without a reader is an error on its threads`() {
        let isBlocked = Locked<Bool?>(nil)
        let done = DispatchSemaphore(value: 0)
        WorkerPool(rule(1)).run {
            var signals = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &signals)
            isBlocked.withLock { $0 = sigismember(&signals, SIGPIPE) == 1 }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + 20) == .success)
        #expect(isBlocked.withLock { $0 } == true)
    }

    @Test func `what a block held is gone when it has run, though its thread works on`() {
        let pool = WorkerPool(rule(1))
        let (gone, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        pool.run { [held = Held(gone)] in held.touch() }
        pool.run { gate.wait() }
        #expect(gone.wait(timeout: .now() + 20) == .success)
        gate.signal()
    }

    @Test func `and though its thread waits for work`() {
        let pool = WorkerPool(rule(1))
        let gone = DispatchSemaphore(value: 0)
        pool.run { [held = Held(gone)] in held.touch() }
        #expect(gone.wait(timeout: .now() + 20) == .success)
        #expect(pool.threads == 1)
    }

    private final class Held: Sendable {
        private let gone: DispatchSemaphore

        init(_ gone: DispatchSemaphore) {
            self.gone = gone
        }

        deinit { gone.signal() }

        func touch() {}
    }

    // MARK: No thread to be had

    @Test func `without any thread to be had a caller hears of it, and its block is not run`() {
        let pool = WorkerPool(
            rule(2),
            startingBy: { _ throws(ThreadUnavailable) in throw ThreadUnavailable(EAGAIN) })
        let seen = Locked<[pthread_t]>([])
        for _ in 0..<3 {
            let isTaken = pool.perform { seen.withLock { $0.append(pthread_self()) } }
            #expect(!isTaken)
        }
        #expect(seen.withLock { $0.isEmpty })
        pool.performHere { seen.withLock { $0.append(pthread_self()) } }
        #expect(seen.withLock { $0.count } == 1)
        #expect(pool.working == 0 && pool.waiting == 0)
    }

    @Test func `or its blocks wait until there is one`() {
        let (hands, isShort) = (TurnableClock(), Locked(true))
        let pool = WorkerPool(
            rule(2, patience: 1), clock: hands.clock,
            startingBy: { body throws(ThreadUnavailable) in
                if isShort.withLock({ $0 }) { throw ThreadUnavailable(EAGAIN) }
                try SystemThread.start(body)
            })
        let done = DispatchSemaphore(value: 0)
        pool.enqueue((0..<3).map { _ in { done.signal() } })
        hands.turn(by: 1)
        #expect(pool.waiting == 3 && pool.allowed == 2)
        // Who can do without a thread does not wait for one.
        pool.performHere {}
        let isTaken = pool.perform {}
        #expect(!isTaken)
        isShort.withLock { $0 = false }
        hands.turn(by: 1)
        for _ in 0..<3 { #expect(done.wait(timeout: .now() + 20) == .success) }
    }

    @Test func `where one works the others wait for it, or for a thread`() {
        let hands = TurnableClock()
        let left = Locked(1)
        let pool = WorkerPool(
            rule(3, patience: 1), clock: hands.clock,
            startingBy: { body throws(ThreadUnavailable) in
                let isRefused = left.withLock { left in
                    left -= 1
                    return left < 0
                }
                if isRefused { throw ThreadUnavailable(EAGAIN) }
                try SystemThread.start(body)
            })
        let (inside, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<3 {
            pool.run {
                inside.signal()
                gate.wait()
            }
        }
        inside.wait()
        #expect(pool.working == 1 && pool.waiting == 2)
        gate.signal()
        inside.wait()
        #expect(pool.waiting == 1)
        left.withLock { $0 = 1 }
        hands.turn(by: 1)
        inside.wait()
        #expect(pool.working == 2 && pool.waiting == 0)
        // Nobody was allowed more than the rule does.
        #expect(pool.allowed == 3)
        for _ in 0..<2 { gate.signal() }
        #expect(comes { pool.working == 0 })
        hands.turn(by: 10)
    }
}
