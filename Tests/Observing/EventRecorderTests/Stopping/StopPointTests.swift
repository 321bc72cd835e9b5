import Foundation
import Synchronization
import Testing

@testable import EventRecorder

@Suite("Stop points", .serialized, .timeLimit(.minutes(2)))
struct StopPointTests {
    /// Counts, and says so to the recorder before and after.
    private final class Counter: Sendable {
        let number = EventRecorder.nextNumber()
        private let count = Atomic<Int>(0)

        var value: Int { count.load(ordering: .acquiring) }

        func begin() { EventRecorder.begin(.note, subject: number, text: EventText("add")) }
        func end() { EventRecorder.end(.note, subject: number, text: EventText("add")) }

        /// Not in one step, so that two threads can lose one.
        func add() {
            begin()
            let old = value
            end()
            count.store(old + 1, ordering: .releasing)
        }
    }

    private func onNewThread(_ name: String, _ block: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            EventRecorder.nameThread(name)
            block()
        }
    }

    @Test
    func `a thread is stopped at a subject's site while others continue, until it is released`()
        throws
    {
        let points = try StopPoints()
        let (counter, other) = (Counter(), Counter())
        points.name(counter.number, "counter")
        let stop = points.stop(at: StopSite(.note, .end, of: counter.number))
        onNewThread("held") { counter.add() }
        #expect(stop.isReached())
        #expect(stop.held.map(\.description) == ["held: note end of counter, add"])
        onNewThread("free") { other.add() }
        #expect(points.isPassed(StopSite(.note, .end, of: other.number, on: "free")))
        #expect(counter.value == 0)
        stop.letGo()
        while counter.value == 0 { sched_yield() }
        // No thread is stopped there any more.
        counter.add()
        let recording = points.end()
        #expect(counter.value == 2)
        #expect(recording.events.count { $0.kind == .note } == 6)
    }

    @Test func `two threads between a look and a change lose one count, each time`() throws {
        for _ in 0..<20 {
            let points = try StopPoints()
            let counter = Counter()
            let stop = points.stop(at: StopSite(.note, .end, of: counter.number))
            let ended = DispatchSemaphore(value: 0)
            for name in ["one", "two"] {
                onNewThread(name) {
                    counter.add()
                    ended.signal()
                }
            }
            #expect(stop.isReached(count: 2))
            stop.letGo()
            for _ in 0..<2 { ended.wait() }
            points.end()
            #expect(counter.value == 1)
        }
    }

    @Test func `one at a time goes, the first that came`() throws {
        let points = try StopPoints()
        let counter = Counter()
        let stop = points.stop(at: StopSite(.note, .begin, of: counter.number))
        onNewThread("one") { counter.add() }
        #expect(stop.isReached())
        onNewThread("two") { counter.add() }
        #expect(stop.isReached(count: 2))
        stop.letOneGo()
        #expect(points.isPassed(StopSite(.note, .end, of: counter.number, on: "one")))
        #expect(stop.held.map(\.thread) == ["two"])
        stop.letOneGo()
        #expect(points.isPassed(StopSite(.note, .end, of: counter.number, on: "two")))
        points.end()
    }

    @Test func `the end of the recording releases all threads, whoever ends it`() throws {
        for endsItself in [true, false] {
            let points = try StopPoints()
            let counter = Counter()
            let stop = points.stop(at: StopSite(.note, .begin, of: counter.number))
            let ended = DispatchSemaphore(value: 0)
            onNewThread("held") {
                counter.add()
                ended.signal()
            }
            #expect(stop.isReached())
            if endsItself { points.end() } else { _ = EventRecorder.stop() }
            ended.wait()
            #expect(counter.value == 1)
            // And what comes later passes.
            counter.add()
        }
    }

    @Test func `of two threads with equal names and steps one goes, and the other stays held`()
        throws
    {
        let points = try StopPoints()
        let counter = Counter()
        let stop = points.stop(at: StopSite(.note, .begin, of: counter.number))
        for _ in 0..<2 { onNewThread("twin") { counter.add() } }
        #expect(stop.isReached(count: 2))
        stop.letOneGo()
        #expect(points.isPassed(StopSite(.note, .end, of: counter.number)))
        #expect(stop.held.map(\.thread) == ["twin"])
        points.end()
    }

    @Test func `points that are released without an end release their threads and stop recording`()
        throws
    {
        var points: StopPoints? = try StopPoints()
        weak let released = points
        let counter = Counter()
        let stop = try #require(points?.stop(at: StopSite(.note, .begin, of: counter.number)))
        let ended = DispatchSemaphore(value: 0)
        onNewThread("held") {
            counter.add()
            ended.signal()
        }
        #expect(stop.isReached())
        points = nil
        #expect(ended.wait(timeout: .now() + 60) == .success)
        #expect(released == nil)
        #expect(EventRecorder.stop().events.isEmpty)
    }

    @Test func `no listener is called while nothing is recorded, nor after it was removed`() throws
    {
        #expect(!EventRecorder.isRecording)
        let heard = Atomic<Int>(0)
        let listener = EventListeners.add { _ in heard.add(1, ordering: .relaxed) }
        EventRecorder.instant(.note)
        #expect(heard.load(ordering: .relaxed) == 0)
        try EventRecorder.start()
        EventRecorder.instant(.note)
        EventRecorder.span(.note) {}
        #expect(heard.load(ordering: .relaxed) == 3)
        EventListeners.remove(listener)
        EventRecorder.instant(.note)
        #expect(heard.load(ordering: .relaxed) == 3)
        #expect(EventRecorder.stop().events.count == 4)
    }

    @Test func `a second one is refused, and leaves the first as it is`() throws {
        let points = try StopPoints()
        #expect(throws: EventRecorderError.alreadyRecording) { _ = try StopPoints() }
        EventRecorder.instant(.note)
        #expect(points.passed.count == 1)
        points.end()
    }

    // MARK: Orders

    private func race(
        _ run: (StopPoints, [StopSite], [String: @Sendable () -> Void]) -> StopPoints.Run
    ) throws -> (run: StopPoints.Run, count: Int) {
        let points = try StopPoints()
        defer { points.end() }
        let counter = Counter()
        points.name(counter.number, "counter")
        let add: @Sendable () -> Void = {
            counter.add()
            counter.add()
        }
        let result = run(
            points, [StopSite(.note, of: counter.number)], ["a": add, "b": add, "c": add])
        return (result, counter.value)
    }

    @Test func `the same seed makes the same order, others make others, and some lose counts`()
        throws
    {
        var orders: Set<[String]> = []
        var counts: Set<Int> = []
        for seed in 0..<12 as Range<UInt64> {
            let runs = try (0..<2).map { _ in
                try race { $0.run(seed: seed, at: $1, $2) }
            }
            #expect(runs.allSatisfy { $0.run.isComplete && $0.run.steps.count == 15 })
            #expect(runs[0].run.steps == runs[1].run.steps)
            #expect(runs[0].count == runs[1].count)
            orders.insert(runs[0].run.steps)
            counts.insert(runs[0].count)
        }
        #expect(orders.count == 12 && counts.count > 1)
    }

    @Test func `a printed order replays: the same steps, the same result`() throws {
        for seed in [3, 5, 8] as [UInt64] {
            let first = try race { $0.run(seed: seed, at: $1, $2) }
            for _ in 0..<5 {
                let again = try race { $0.run(replaying: first.run.steps, at: $1, $2) }
                #expect(again.run.isComplete && again.run.steps == first.run.steps)
                #expect(again.count == first.count)
            }
        }
    }

    @Test func `a list written by hand is an order too`() throws {
        let one = ["a: note begin of counter, add", "a: note end of counter, add"]
        let other = one.map { $0.replacing("a: ", with: "b: ") }
        // Both look before either changes; behind the list all go on.
        let list = [one[0], other[0], other[1], one[1]]
        let run = try race { $0.run(replaying: list, at: $1, $2) }
        #expect(run.run.isComplete)
        #expect(run.run.steps.filter(list.contains).prefix(4) == list[...])
        #expect(run.count < 6)
    }

    @Test func `a list that cannot come true is given up, and says so`() throws {
        let points = try StopPoints()
        defer { points.end() }
        let counter = Counter()
        points.name(counter.number, "counter")
        let run = points.run(
            replaying: ["b: note begin of counter, add", "a: note begin of counter, add"],
            at: [StopSite(.note, of: counter.number)], ["a": { counter.add() }])
        #expect(!run.isComplete)
        #expect(
            run.steps.last == "(no thread can continue; a: note begin of counter, add)",
            "\(run.steps)")
        while counter.value == 0 { sched_yield() }
    }

    @Test func `one that is never seen to sleep takes no part, and the run says so`() throws {
        let points = try StopPoints()
        defer { points.end() }
        let run = points.run(seed: 1, at: [], with: ["nobody"], [:], within: 0.1)
        #expect(!run.isComplete && run.steps.count == 1)
    }

    /// A lock whose sites are the recorder's, as an operation's lock has them.
    private final class SeenLock: Sendable {
        let number = EventRecorder.nextNumber()
        private let lock = NSLock()

        func hold(_ body: () -> Void) {
            if !lock.try() { EventRecorder.span(.lockWait, subject: number) { lock.lock() } }
            EventRecorder.span(.lockHold, subject: number, body)
            lock.unlock()
        }
    }

    @Test func `a thread that needs another's lock waits for its turn, and for no outsider's`()
        throws
    {
        var orders: Set<[String]> = []
        for seed in 0..<20 as Range<UInt64> {
            let lists = try (0..<2).map { run in
                let points = try StopPoints()
                defer { points.end() }
                let lock = SeenLock()
                points.name(lock.number, "lock")
                let goes = Atomic<Bool>(true)
                if run == 1 {
                    onNewThread("outside") { while goes.load(ordering: .relaxed) { lock.hold {} } }
                }
                let block: @Sendable () -> Void = { lock.hold {} }
                let result = points.run(
                    seed: seed, at: [StopSite(.lockHold, of: lock.number)],
                    ["a": block, "b": block])
                goes.store(false, ordering: .relaxed)
                #expect(result.isComplete)
                return result.steps
            }
            #expect(lists[0] == lists[1], "seed \(seed)")
            orders.insert(lists[0])
        }
        #expect(orders.contains { $0.contains { $0.contains("lockWait begin of lock") } })
    }
}
