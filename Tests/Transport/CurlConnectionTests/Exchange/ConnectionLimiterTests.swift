import Scheduling
import TestSupport

@testable import CurlConnection

@Suite("Who may use a connection", .timeLimit(.minutes(5)))
struct ConnectionLimiterTests {
    /// A line, and who was let in late.
    private final class Room {
        private let limiter = ConnectionLimiter()
        private let limits: ConnectionLimits
        private(set) var admitted: [String] = []
        private var tickets: [String: ConnectionLimiter.Ticket] = [:]

        init(perHost: Int, total: Int = 100) {
            limits = ConnectionLimits(perHost: perHost, total: total)
        }

        func come(_ name: String, to origin: String = "a") -> Bool {
            let (ticket, isGiven) = limiter.ticket(at: origin, limits: limits) { [unowned self] in
                admitted.append(name)
            }
            tickets[name] = ticket
            return isGiven
        }

        func leave(_ name: String) {
            tickets[name].map(limiter.leave)
        }

        func noteMultiplexing(at name: String) {
            tickets[name].map(limiter.noteMultiplexing)
        }
    }

    @Test
    func `as many as the limit says are let in at once, the next waits`() {
        let room = Room(perHost: 2)
        #expect(room.come("1"))
        #expect(room.come("2"))
        #expect(!room.come("3"))
        #expect(room.come("other", to: "b"))
        #expect(room.admitted.isEmpty)
    }

    @Test
    func `who waits is let in in the order of coming, one for each that leaves`() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3", "4"] { _ = room.come(name) }
        room.leave("1")
        #expect(room.admitted == ["2"])
        room.leave("2")
        room.leave("3")
        #expect(room.admitted == ["2", "3", "4"])
    }

    @Test
    func `a newcomer does not overtake who waits`() {
        let room = Room(perHost: 1)
        _ = room.come("1")
        _ = room.come("2")
        room.leave("1")
        #expect(!room.come("3"))
    }

    @Test
    func `a session's exchanges neither count for another's nor wait behind them`() {
        let limiter = ConnectionLimiter()
        let (one, two) = (Box(0), Box(0))
        var admitted: [String] = []
        func come(_ name: String, _ owner: Box<Int>?) -> (ConnectionLimiter.Ticket, isGiven: Bool) {
            let limits = ConnectionLimits(
                perHost: 1, total: 3, owner: owner.map { ObjectIdentifier($0) })
            return limiter.ticket(at: "a", limits: limits) { admitted.append(name) }
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
    func `who leaves the queue is passed over and takes no ticket`() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.leave("2")
        #expect(room.admitted.isEmpty)
        room.leave("1")
        #expect(room.admitted == ["3"])
        room.leave("3")
        #expect(room.come("4"))
        #expect(!room.come("5"))
    }

    @Test
    func `to leave twice gives back one ticket`() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.leave("1")
        room.leave("1")
        #expect(room.admitted == ["2"])
    }

    @Test
    func `the limit for all keeps others waiting too, and lets the oldest in first`() {
        let room = Room(perHost: 2, total: 2)
        _ = room.come("1", to: "a")
        _ = room.come("2", to: "a")
        #expect(!room.come("3", to: "b"))
        #expect(!room.come("4", to: "c"))
        #expect(!room.come("5", to: "b"))
        room.leave("1")
        #expect(room.admitted == ["3"])
        room.leave("2")
        #expect(room.admitted == ["3", "4"])
        room.leave("3")
        #expect(room.admitted == ["3", "4", "5"])
    }

    @Test
    func `an origin that multiplexes takes many at once, and those who wait at once`() {
        let room = Room(perHost: 1)
        for name in ["1", "2", "3"] { _ = room.come(name) }
        room.noteMultiplexing(at: "1")
        #expect(room.admitted == ["2", "3"])
        #expect(room.come("4"))
    }

    @Test
    func `ten thousand that wait and leave again cost no more than they have to`() {
        let room = Room(perHost: 6)
        for number in 0..<10_000 { _ = room.come("\(number)") }
        for number in 6..<9_999 { room.leave("\(number)") }
        room.leave("0")
        #expect(room.admitted == ["9999"])
    }

    @Test
    func `an origin that leaves nobody behind is forgotten, one that multiplexes sooner or later`()
    {
        let limiter = ConnectionLimiter()
        for number in 0..<20_000 {
            let (ticket, isGiven) = limiter.ticket(at: "\(number)", limits: .init()) {}
            #expect(isGiven)
            limiter.noteMultiplexing(at: ticket)
            limiter.leave(ticket)
        }
        #expect(limiter.originCount <= 1_000)
        // And the latest are remembered
        let limits = ConnectionLimits(perHost: 1, total: 100)
        #expect(limiter.ticket(at: "19999", limits: limits) {}.isGiven)
        #expect(limiter.ticket(at: "19999", limits: limits) {}.isGiven)
    }

    @Test func `one that goes releases what waits for it`() {
        final class Kept {}
        weak var kept: Kept?
        do {
            let limiter = ConnectionLimiter()
            let limits = ConnectionLimits(perHost: 1, total: 100)
            let first = limiter.ticket(at: "a", limits: limits) {}
            let new = Kept()
            kept = new
            let second = limiter.ticket(at: "a", limits: limits) { _ = new }
            #expect(first.isGiven && !second.isGiven && kept != nil)
        }
        #expect(kept == nil)
    }

    @Test
    func `a higher priority gets the next place of its origin; of one class who came first`() {
        let limiter = ConnectionLimiter()
        var admitted: [String] = []
        func come(_ name: String, _ priority: TransferPriority) -> ConnectionLimiter.Ticket {
            let limits = ConnectionLimits(perHost: 1, total: 100, priority: priority)
            return limiter.ticket(at: "a", limits: limits) { admitted.append(name) }.0
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
        ) -> ConnectionLimiter.Ticket {
            let limits = ConnectionLimits(perHost: perHost, total: 1, priority: priority)
            return limiter.ticket(at: origin, limits: limits) { admitted.append(name) }.0
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
            let known = limiter.ticket(at: "\(number)", limits: .init(perHost: 6, total: .max)) {}
            limiter.noteMultiplexing(at: known.0)
            limiter.leave(known.0)
        }
        let first = limiter.ticket(at: "first", limits: limits) {}.0
        let waiting = (0..<origins).map { limiter.ticket(at: "\($0)", limits: limits) {}.0 }
        let start = Date()
        limiter.leave(first)
        for ticket in waiting.prefix(1_000) { limiter.leave(ticket) }
        let seconds = -start.timeIntervalSinceNow
        for ticket in waiting.dropFirst(1_000) { limiter.leave(ticket) }
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
        var queue = WaitingLine<Box<Bool>> { $0.value == true }
        queue.append(Box(false))
        var kept: [Weak] = []
        for _ in 0..<10_000 {
            let ticket = Box(false)
            kept.append(Weak(ticket))
            queue.append(ticket)
            ticket.value = true
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
        func come(_ name: String, _ total: Int) -> ConnectionLimiter.Ticket {
            limiter.ticket(at: name, limits: .init(perHost: 6, total: total)) {
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
    /// A ticket whose block is set where it is needed.
    fileprivate func ticket(
        at origin: String, limits: ConnectionLimits, whenGiven: @escaping () -> Void
    ) -> (Ticket, isGiven: Bool) {
        let (ticket, isGiven) = ticket(at: origin, limits: limits)
        if !isGiven { ticket.waiter = whenGiven }
        return (ticket, isGiven)
    }
}
