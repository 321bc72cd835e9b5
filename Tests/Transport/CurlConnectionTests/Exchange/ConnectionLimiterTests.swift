import Scheduling
import TestSupport

@testable import CurlConnection

@Suite("Who may use a connection", .timeLimit(.minutes(5)))
struct ConnectionLimiterTests {
    /// A limiter, and what was granted late.
    private final class Limited {
        private let limiter = ConnectionLimiter()
        private let limits: ConnectionLimits
        private(set) var admitted: [String] = []
        private var slots: [String: ConnectionLimiter.Slot] = [:]

        init(perHost: Int, total: Int = 100) {
            limits = ConnectionLimits(perHost: perHost, total: total)
        }

        func come(_ name: String, to origin: String = "a") -> Bool {
            let (slot, isGiven) = limiter.slot(at: origin, limits: limits) { [unowned self] in
                admitted.append(name)
            }
            slots[name] = slot
            return isGiven
        }

        func leave(_ name: String) {
            slots[name].map(limiter.leave)
        }

        func noteMultiplexing(at name: String) {
            slots[name].map(limiter.noteMultiplexing)
        }
    }

    @Test
    func `a session's exchanges neither count for another's nor wait behind them`() {
        let limiter = ConnectionLimiter()
        let (one, two) = (Box(0), Box(0))
        var admitted: [String] = []
        func come(_ name: String, _ owner: Box<Int>?) -> (ConnectionLimiter.Slot, isGiven: Bool) {
            let limits = ConnectionLimits(
                perHost: 1, total: 3, owner: owner.map { ObjectIdentifier($0) })
            return limiter.slot(at: "a", limits: limits) { admitted.append(name) }
        }
        let first = come("one's first", one)
        #expect(first.isGiven)
        #expect(!come("one's second", one).isGiven)
        let other = come("two's first", two)
        #expect(other.isGiven)
        #expect(come("one without a session", nil).isGiven)
        // The limit for all counts all.
        #expect(!come("two's second", two).isGiven)
        limiter.leave(first.0)
        #expect(admitted == ["one's second"])
        limiter.leave(other.0)
        #expect(admitted == ["one's second", "two's second"])
    }

    @Test
    func `an origin that multiplexes takes many at once, and those who wait at once`() {
        let limited = Limited(perHost: 1)
        for name in ["1", "2", "3"] { _ = limited.come(name) }
        limited.noteMultiplexing(at: "1")
        #expect(limited.admitted == ["2", "3"])
        #expect(limited.come("4"))
    }

    @Test
    func `an origin that leaves nobody behind is forgotten, one that multiplexes sooner or later`()
    {
        let limiter = ConnectionLimiter()
        for number in 0..<20_000 {
            let (slot, isGiven) = limiter.slot(at: "\(number)", limits: .init()) {}
            #expect(isGiven)
            limiter.noteMultiplexing(at: slot)
            limiter.leave(slot)
        }
        #expect(limiter.originCount <= 1_000)
        // And the latest are remembered
        let limits = ConnectionLimits(perHost: 1, total: 100)
        #expect(limiter.slot(at: "19999", limits: limits) {}.isGiven)
        #expect(limiter.slot(at: "19999", limits: limits) {}.isGiven)
    }

    @Test func `one that goes releases what waits for it`() {
        final class Kept {}
        weak var kept: Kept?
        do {
            let limiter = ConnectionLimiter()
            let limits = ConnectionLimits(perHost: 1, total: 100)
            let first = limiter.slot(at: "a", limits: limits) {}
            let new = Kept()
            kept = new
            let second = limiter.slot(at: "a", limits: limits) { _ = new }
            #expect(first.isGiven && !second.isGiven && kept != nil)
        }
        #expect(kept == nil)
    }

    @Test
    func `a higher priority gets the next place of its origin; of one class who came first`() {
        let limiter = ConnectionLimiter()
        var admitted: [String] = []
        func come(_ name: String, _ priority: TransferPriority) -> ConnectionLimiter.Slot {
            let limits = ConnectionLimits(perHost: 1, total: 100, priority: priority)
            return limiter.slot(at: "a", limits: limits) { admitted.append(name) }.0
        }
        let first = come("first", .veryLow)
        let waiting = [
            come("low", .veryLow), come("one", .normal), come("gone", .veryHigh),
            come("two", .normal), come("high", .high),
        ]
        limiter.leave(waiting[2])
        limiter.leave(first)
        for index in [4, 1, 3, 0] { limiter.leave(waiting[index]) }
        #expect(admitted == ["high", "one", "two", "low"])
    }

    @Test
    func `the limit for all goes to the oldest head, whatever rose to it meanwhile`() {
        let limiter = ConnectionLimiter()
        var admitted: [String] = []
        func come(
            _ name: String, to origin: String, _ priority: TransferPriority, perHost: Int = 6
        ) -> ConnectionLimiter.Slot {
            let limits = ConnectionLimits(perHost: perHost, total: 1, priority: priority)
            return limiter.slot(at: origin, limits: limits) { admitted.append(name) }.0
        }
        let first = come("first", to: "a", .normal)
        let old = come("a low", to: "a", .low)
        let high = come("a high", to: "a", .high)
        let other = come("b", to: "b", .normal)
        limiter.leave(first)
        limiter.leave(high)
        limiter.leave(old)
        limiter.leave(other)
        #expect(admitted.first == "a high")
        #expect(Set(admitted) == ["a high", "a low", "b"])
        #expect(limiter.originCount == 0)
    }

    /// Seconds that a thousand exchanges take while so many origins are known and wait.
    private func time(origins: Int) -> TimeInterval {
        let limiter = ConnectionLimiter()
        let limits = ConnectionLimits(perHost: 6, total: 1)
        for number in 0..<origins {
            let known = limiter.slot(at: "\(number)", limits: .init(perHost: 6, total: .max)) {}
            limiter.noteMultiplexing(at: known.0)
            limiter.leave(known.0)
        }
        let first = limiter.slot(at: "first", limits: limits) {}.0
        let waiting = (0..<origins).map { limiter.slot(at: "\($0)", limits: limits) {}.0 }
        let start = Date()
        limiter.leave(first)
        for slot in waiting.prefix(1_000) { limiter.leave(slot) }
        let seconds = -start.timeIntervalSinceNow
        for slot in waiting.dropFirst(1_000) { limiter.leave(slot) }
        #expect(limiter.originCount <= 1_000)
        return seconds
    }

    @Test
    func `an exchange that ends costs the same with twenty thousand origins as with two thousand`()
    {
        let few = (0..<3).map { _ in time(origins: 2_000) }.min() ?? 0
        let many = (0..<3).map { _ in time(origins: 20_000) }.min() ?? 0
        #expect(many < few * 4 + 0.005)
    }

    @Test
    func `who gives up behind one that waits for ever takes no memory`() {
        var queue = WaitingQueue<Box<Bool>> { $0.value == true }
        queue.append(Box(false))
        var kept: [Weak] = []
        for _ in 0..<10_000 {
            let slot = Box(false)
            kept.append(Weak(slot))
            queue.append(slot)
            slot.value = true
            queue.noteLeaving()
        }
        #expect(kept.count { $0.value != nil } < 100)
        #expect(queue.removeFirst()?.value == false)
        #expect(queue.isEmpty)
        #expect(queue.first() == nil)
    }

    private struct Weak {
        weak var value: Box<Bool>?
        init(_ value: Box<Bool>) { self.value = value }
    }

    @Test
    func `different limits for all: each goes by its own, the oldest of those it lets in first`() {
        let limiter = ConnectionLimiter()
        var admitted: [String] = []
        func come(_ name: String, _ total: Int) -> ConnectionLimiter.Slot {
            limiter.slot(at: name, limits: .init(perHost: 6, total: total)) {
                admitted.append(name)
            }.0
        }
        let first = come("1", 2)
        let second = come("2", 2)
        _ = come("3", 1)
        _ = come("4", 2)
        _ = come("5", 2)
        limiter.leave(first)
        #expect(admitted == ["4"])
        limiter.leave(second)
        #expect(admitted == ["4", "5"])
    }
}

extension ConnectionLimiter {
    /// A slot whose block is set where it is needed.
    fileprivate func slot(
        at origin: String, limits: ConnectionLimits, whenGiven: @escaping () -> Void
    ) -> (Slot, isGiven: Bool) {
        let (slot, isGiven) = slot(at: origin, limits: limits)
        if !isGiven { slot.waiter = whenGiven }
        return (slot, isGiven)
    }
}
