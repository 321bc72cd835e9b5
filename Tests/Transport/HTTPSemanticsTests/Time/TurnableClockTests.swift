import TestSupport

@testable import HTTPSemantics

@Suite("A clock that is turned", .timeLimit(.minutes(1)))
struct TurnableClockTests {
    private let clock = TurnableClock(at: Date(timeIntervalSince1970: 1_000))
    private let rung = Log<String>()

    private func set(_ name: String, after seconds: TimeInterval) -> ClockAlarm {
        clock.clock.wakeUp(after: seconds) { [rung] in rung.add(name) }
    }

    @Test func `it stands still until it is advanced`() {
        let before = clock.clock.now
        #expect(clock.clock.now == before && clock.date.timeIntervalSince1970 == 1_000)
        clock.turn(by: 60)
        #expect(before.duration(to: clock.clock.now) == .seconds(60))
        #expect(clock.clock.now.duration(to: before) == .seconds(-60))
        #expect(clock.clock.date.timeIntervalSince1970 == 1_060)
        clock.turn(by: -1)
        clock.turn(by: .nan)
        #expect(before.duration(to: clock.clock.now) == .seconds(60))
    }

    @Test func `alarms ring in the order of their moments, inside the turn, at their time`() {
        let times = Log<TimeInterval>()
        for seconds in [3.0, 1, 2, 2, 9] {
            clock.clock.wakeUp(after: seconds) { [clock] in
                times.add(clock.date.timeIntervalSince1970 - 1_000)
            }
        }
        #expect(clock.alarms == [1, 2, 2, 3, 9])
        clock.turn(by: 0.999_999_999)
        #expect(times.all.isEmpty)
        clock.turn(by: 4)
        #expect(times.all == [1, 2, 2, 3])
        #expect(clock.turnToNext() && times.all == [1, 2, 2, 3, 9])
        #expect(!clock.turnToNext())
    }

    @Test func `what an alarm sets rings in the same turn, where its moment is within`() {
        clock.clock.wakeUp(after: 1) { [clock, rung] in
            rung.add("first")
            clock.clock.wakeUp(after: 1) { rung.add("second") }
            clock.clock.wakeUp(after: 5) { rung.add("third") }
        }
        clock.turn(by: 3)
        #expect(rung.all == ["first", "second"])
        clock.turn(by: 3)
        #expect(rung.all == ["first", "second", "third"])
    }

    @Test func `a cancel in time keeps an alarm from ringing, a later one says so`() {
        let (one, other) = (set("one", after: 1), set("other", after: 1))
        #expect(one.isSet && one.cancel() && !one.isSet && !one.cancel())
        #expect(clock.alarms == [1])
        clock.turn(by: 2)
        #expect(rung.all == ["other"])
        #expect(!other.isSet && !other.cancel())
    }

    @Test func `an alarm inside another's block can be cancelled there`() {
        let late = set("late", after: 2)
        clock.clock.wakeUp(after: 1) { late.cancel() }
        clock.turn(by: 5)
        #expect(rung.all.isEmpty)
    }

    @Test func `an alarm that is not retained rings, on its queue`() async {
        let queue = DispatchQueue(label: "own")
        let hasFired = Signal()
        clock.clock.wakeUp(after: 1, on: queue) {
            dispatchPrecondition(condition: .onQueue(queue))
            hasFired.fire()
        }
        clock.turn(by: 1)
        await hasFired.wait()
    }

    @Test(arguments: [0, -5, -.infinity] as [TimeInterval])
    func `what is due already rings soon, and not inside the call`(seconds: TimeInterval) async {
        let lock = NSLock()
        let hasFired = Signal()
        _ = lock.withLock {
            clock.clock.wakeUp(after: seconds) {
                // Inside the call this would wait for itself.
                lock.withLock { hasFired.fire() }
            }
        }
        await hasFired.wait()
    }

    @Test(arguments: [1e9, .infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func `what cannot be counted is never`(seconds: TimeInterval) {
        let alarm = set("never", after: seconds)
        clock.turn(by: 1e8)
        #expect(rung.all.isEmpty && alarm.isSet && alarm.cancel())
        #expect(clock.clock.deadline(in: seconds) == nil)
        #expect(clock.clock.deadline(in: 0) == nil)
    }

    @Test func `the calendar can be set without any delay changing`() {
        _ = set("a", after: 10)
        clock.date = Date(timeIntervalSince1970: 0)
        #expect(clock.alarms == [10])
        clock.turn(by: 10)
        #expect(clock.date.timeIntervalSince1970 == 10 && rung.all == ["a"])
    }

    @Test func `a test waits until an alarm is scheduled`() async {
        let clock = clock
        async let waits = onNewThread { clock.waitForAlarms(2) }
        _ = set("a", after: 1)
        _ = set("b", after: 1)
        #expect(await waits)
        #expect(!clock.waitForAlarms(3, within: 0.01))
    }

    @Test func `eight threads set, cancel and turn, and each alarm rings once or was cancelled`()
        async
    {
        let clock = clock
        let counts = Locked((rung: 0, cancelled: 0))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        let alarm = clock.clock.wakeUp(after: Double(turn % 7) + 0.5) {
                            counts.withLock { $0.rung += 1 }
                        }
                        if turn % 3 == number % 3, alarm.cancel() {
                            counts.withLock { $0.cancelled += 1 }
                        }
                        clock.turn(by: 0.25)
                    }
                }
            }
        }
        clock.turn(by: 100)
        #expect(clock.alarms.isEmpty)
        // What another thread's turn made due before it was set rings on a queue of its own, soon.
        while counts.withLock({ $0.rung + $0.cancelled < 1_600 }) { await Task.yield() }
        await onNewThread { ClockAlarm.shared.sync {} }
        #expect(counts.withLock { $0.rung + $0.cancelled } == 1_600)
    }

    // MARK: Swift's clock

    @Test func `a task sleeps by it until it is turned`() async throws {
        let clock = clock
        let sleeps = Task {
            try await Task.sleep(for: .seconds(3_600), clock: clock.clock)
            return clock.date.timeIntervalSince1970
        }
        #expect(await onNewThread { clock.waitForAlarms() })
        clock.turn(by: 3_600)
        #expect(try await sleeps.value == 4_600)
    }

    @Test func `a cancelled task wakes at once, and leaves no alarm`() async throws {
        let clock = clock
        let sleeps = Task { try await clock.clock.sleep(for: .seconds(3_600)) }
        #expect(await onNewThread { clock.waitForAlarms() })
        sleeps.cancel()
        await #expect(throws: CancellationError.self) { try await sleeps.value }
        #expect(clock.alarms.isEmpty)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.clock.sleep(for: .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(clock.alarms.isEmpty)
    }

    @Test func `moments stay in what can be counted`() {
        let first = NetworkClock.Instant(nanoseconds: 5)
        #expect(first.advanced(by: .seconds(-1)).nanoseconds == 0)
        #expect(first.advanced(by: .seconds(Int64.max)).nanoseconds == UInt64(Int64.max) + 5)
        let last = NetworkClock.Instant(nanoseconds: .max)
        #expect(last.advanced(by: .seconds(1)) == last)
        #expect(first.duration(to: last) == .nanoseconds(Int64.max))
    }
}

@Suite("The system's clock", .timeLimit(.minutes(1)))
struct SystemClockTests {
    @Test func `it is the default, one for all, and goes by itself`() async {
        #expect(NetworkClock.system == NetworkClock.system)
        #expect(NetworkClock.system != TurnableClock().clock)
        let before = NetworkClock.system.now
        let hasFired = Signal()
        NetworkClock.system.wakeUp(after: 0.01) { hasFired.fire() }
        await hasFired.wait()
        #expect(before.duration(to: NetworkClock.system.now) >= .milliseconds(10))
        #expect(abs(NetworkClock.system.date.timeIntervalSinceNow) < 5)
    }

    @Test func `an alarm without a queue rings while Dispatch's default pool is full`() async {
        let gate = DispatchSemaphore(value: 0)
        let count = 2 * ProcessInfo.processInfo.activeProcessorCount
        for _ in 0..<count { DispatchQueue.global().async { gate.wait() } }
        let hasFired = Watched(false)
        NetworkClock.system.wakeUp(after: 0.01) { hasFired.change { $0 = true } }
        #expect(await onNewThread { hasFired.blockUntil { $0 } })
        for _ in 0..<count { gate.signal() }
    }

    @Test func `a cancelled alarm releases its block at once`() {
        let gone = Signal()
        var sentinel: Sentinel? = Sentinel(gone)
        let alarm = NetworkClock.system.wakeUp(after: 3_600) { [sentinel] in sentinel?.touch() }
        sentinel = nil
        #expect(gone.count == 0)
        #expect(alarm.cancel())
        #expect(gone.count == 1)
    }
}
