import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Where serializers work", .serialized, .timeLimit(.minutes(5)))
struct ProcessingPoolTests {
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

    @Test(arguments: [1, 3])
    func `no more work at once than the width, while each is soon done`(width: Int) {
        let pool = ProcessingPool(width: width, patience: .seconds(60))
        let (workers, done) = (Workers(), DispatchGroup())
        for _ in 0..<1_000 {
            done.enter()
            pool.perform {
                workers.enter()
                Self.giveWay()
                workers.leave()
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect((1...width).contains(workers.most))
    }

    @Test(arguments: [1, 3])
    func `threads that bring their own work count as lanes do`(width: Int) {
        let pool = ProcessingPool(width: width, patience: .seconds(60))
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
            Thread.detachNewThread { for _ in 0..<50 { pool.perform(work) } }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect((1...width).contains(workers.most))
    }

    @Test func `a thread's work runs on it, in its place in the line`() {
        let pool = ProcessingPool(width: 1, patience: .seconds(60))
        let (order, done) = (Locked<[String]>([]), DispatchGroup())
        let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        func add(_ name: String, _ wait: DispatchSemaphore? = nil) {
            done.enter()
            pool.perform {
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
            let end = Date() + 20
            while pool.waiting < number - 1, Date() < end { sched_yield() }
        }
        add("last")
        gate.signal()
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(order.withLock { $0 } == ["first", "second", "thread 3", "thread 4", "last"])
    }

    @Test(arguments: [1, 3])
    func `who waits takes its place from the others, and then no longer`(width: Int) {
        let pool = ProcessingPool(width: width, patience: .milliseconds(100))
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
                pool.perform(wait)
            }
        }
        let end = Date() + 20
        while pool.working < width, Date() < end { sched_yield() }
        // Many more than there are intervals of patience in the time for it.
        let others = DispatchGroup()
        for _ in 0..<2_000 {
            others.enter()
            pool.perform { others.leave() }
        }
        #expect(others.wait(timeout: .now() + 20) == .success)
        for _ in 0..<width { gate.signal() }
        #expect(done.wait(timeout: .now() + 60) == .success)
        while pool.allowed > width, Date() < end + 20 { sched_yield() }
        #expect(pool.allowed == width)
    }

    @Test func `with one lane, blocks run in the order they came`() {
        let pool = ProcessingPool(width: 1, patience: .seconds(60))
        let (order, done) = (Locked<[Int]>([]), DispatchGroup())
        for number in 0..<500 {
            done.enter()
            pool.perform {
                Self.giveWay()
                order.withLock { $0.append(number) }
                done.leave()
            }
        }
        #expect(done.wait(timeout: .now() + 60) == .success)
        #expect(order.withLock { $0 } == Array(0..<500))
    }

    @Test(arguments: [false, true])
    func `who waits for one behind comes to an end`(onThread: Bool) {
        let pool = ProcessingPool(width: 2)
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
                pool.perform(work)
            }
        }
        for _ in 0..<5 { add { gate.wait() } }
        let end = Date() + 20
        while pool.working + pool.waiting < 5, Date() < end { sched_yield() }
        add { for _ in 0..<5 { gate.signal() } }
        #expect(done.wait(timeout: .now() + 60) == .success)
    }

    @Test func `while blocks of others fill Dispatch's default pool, a block is run`() {
        let pool = ProcessingPool(width: 1)
        let (gate, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for _ in 0..<64 { DispatchQueue.global().async { gate.wait() } }
        pool.perform { done.signal() }
        #expect(done.wait(timeout: .now() + 20) == .success)
        for _ in 0..<64 { gate.signal() }
    }

    @Test func `what a block held is gone when it has run, though its lane works on`() {
        let pool = ProcessingPool(width: 1)
        let (gone, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        pool.perform { [held = Held(gone)] in held.touch() }
        pool.perform { gate.wait() }
        #expect(gone.wait(timeout: .now() + 20) == .success)
        gate.signal()
    }

    private final class Held: Sendable {
        private let gone: DispatchSemaphore

        init(_ gone: DispatchSemaphore) {
            self.gone = gone
        }

        deinit { gone.signal() }

        func touch() {}
    }
}
