import Scheduling
import TestSupport

@Suite("A limiter's slots", .timeLimit(.minutes(1)))
struct LimiterTests {
    private typealias Slots = Limiter<String, String>

    private var limiter = Slots(.rank, ageing: 10)

    private mutating func ask(
        _ name: String, _ keys: [String], _ priority: TransferPriority = .normal,
        atMost: Int = .max, weight: Int = 1, at now: UInt64 = 0
    ) -> Slots.Slot {
        let needs = keys.map {
            Slots.Need(limiter.resource(of: $0), atMost: atMost, weight: weight)
        }
        return limiter.ask(
            Slots.Needs(
                needs[0], needs.count > 1 ? needs[1] : nil, needs.count > 2 ? needs[2] : nil),
            priority, name, at: now)
    }

    private mutating func leave(_ slot: Slots.Slot, at now: UInt64 = 0) -> [String] {
        limiter.leave(slot, at: now).compactMap(\.waiter)
    }

    private func isLimit(_ reason: Slots.Reason?, of key: String) -> Bool {
        if case .limit(key) = reason { return true }
        return false
    }

    @Test mutating func `a slot is held at once where nothing blocks it, else it waits`() {
        let first = ask("first", ["a", "b"], atMost: 1)
        let second = ask("second", ["c", "b"], atMost: 1)
        let third = ask("third", ["c"], atMost: 1)
        #expect(first.isHeld && !second.isHeld && third.isHeld)
        #expect(limiter.reason(of: first) == nil)
        #expect(isLimit(limiter.reason(of: second), of: "c"))
        #expect(leave(third).isEmpty)
        #expect(isLimit(limiter.reason(of: second), of: "b"))
        #expect(leave(first) == ["second"])
        #expect(leave(second).isEmpty)
        #expect(limiter.resourceCount == 0)
    }

    @Test mutating func `to leave twice gives one slot back, and to leave the queue takes none`() {
        let first = ask("first", ["a"], atMost: 1)
        let gone = ask("gone", ["a"], atMost: 1)
        let next = ask("next", ["a"], atMost: 1)
        _ = ask("last", ["a"], atMost: 1)
        #expect(leave(gone).isEmpty && gone.state == .left && gone.waiter == nil)
        #expect(leave(first) == ["next"])
        #expect(leave(first).isEmpty && leave(gone).isEmpty)
        #expect(leave(next) == ["last"])
    }

    @Test mutating func `a slot of no weight is granted at a resume though the limit is used up`() {
        let user = ask("user", ["a"], atMost: 1)
        _ = limiter.setSuspended(true, limiter.resource(of: "a"), at: 0)
        let other = ask("other", ["a", "b"], atMost: 1)
        let weightless = ask("weightless", ["a", "c"], weight: 0)
        #expect(!other.isHeld && !weightless.isHeld)
        let granted = limiter.setSuspended(false, limiter.resource(of: "a"), at: 0)
        #expect(granted.compactMap(\.waiter) == ["weightless"])
        #expect(leave(user) == ["other"])
        #expect(leave(other).isEmpty && leave(weightless).isEmpty)
        #expect(limiter.resourceCount == 0)
    }

    @Test mutating func `none overtakes in a queue, also with a wider limit of its own`() {
        let first = ask("first", ["a"], atMost: 1)
        let narrow = ask("narrow", ["a"], atMost: 1)
        #expect(!ask("wide", ["a"], atMost: 5).isHeld)
        #expect(leave(narrow) == ["wide"])
        #expect(ask("later", ["a"], atMost: 5).isHeld)
        #expect(leave(first).isEmpty)
    }

    @Test mutating func `by age the queue of the slot goes on, then the oldest head`() {
        limiter = Slots(.age, ageing: 10)
        let first = ask("first", ["a", "all"], atMost: 2)
        let second = ask("second", ["b", "all"], atMost: 2)
        let others = [
            ask("oldest", ["c", "all"], atMost: 2), ask("of a", ["a", "all"], atMost: 2),
            ask("high", ["c", "all"], .high, atMost: 2),
        ]
        #expect(leave(first) == ["of a"])
        // The queue's head is the high one, and the other queue is empty.
        #expect(leave(second) == ["high"])
        #expect(leave(others[2]) == ["oldest"])
    }

    @Test mutating func `the default limit holds for resources without one of their own`() {
        #expect(limiter.setDefaultLimit(at: 0) { $0 == "other" ? nil : 1 }.isEmpty)
        #expect(limiter.setLimit(2, of: "own", at: 0).isEmpty)
        let held = ["a", "own", "own", "other", "other"].map { ask("held", [$0]) }
        let waiting = ["a", "own"].map { ask($0, [$0]) }
        #expect(held.allSatisfy(\.isHeld) && !waiting.contains(where: \.isHeld))
        #expect(limiter.setDefaultLimit(at: 0) { _ in nil }.compactMap(\.waiter) == ["a"])
        #expect(limiter.setLimit(nil, of: "own", at: 0).compactMap(\.waiter) == ["own"])
    }

    @Test mutating func `up to a minimum the slots' own limits do not count`() {
        let first = ask("first", ["a"], atMost: 1)
        for number in 0..<3 { _ = ask("\(number)", ["a"], atMost: 1) }
        #expect(limiter.setMinimum(3, atFirstOf: first, at: 0).compactMap(\.waiter) == ["0", "1"])
        #expect(leave(first) == ["2"])
    }

    @Test mutating func `what is taken at once counts, past the limit`() {
        let first = ask("first", ["a"], atMost: 1)
        let resource = limiter.resource(of: "a")
        let begun = limiter.take(Slots.Needs(Slots.Need(resource)), at: 0)
        let next = ask("next", ["a"], atMost: 1)
        #expect(begun.isHeld && !next.isHeld && leave(first).isEmpty)
        #expect(leave(begun) == ["next"])
    }

    @Test mutating func `all that wait for a resource are dismissed, the others stay`() {
        #expect(limiter.setLimit(1, of: "all", at: 0).isEmpty)
        let first = ask("first", ["all"])
        let slots = [ask("a", ["all", "a"]), ask("b", ["all", "b"]), ask("a too", ["all", "a"])]
        let dismissed = limiter.dismiss(at: 0) { $0.key == "a" }
        #expect(Set(dismissed) == ["a", "a too"])
        #expect(slots.map(\.state) == [.left, .waiting, .left] && leave(slots[0]).isEmpty)
        #expect(leave(first) == ["b"] && leave(slots[1]).isEmpty)
        #expect(limiter.resourceCount == 1)
    }

    @Test mutating func `a wait counts as longer by the time for which a slot is held`() {
        limiter = Slots(.rank, ageing: 10, measuresUse: true)
        #expect(limiter.setLimit(1, of: "a", at: 0).isEmpty)
        let first = ask("first", ["a"], at: 0)
        _ = ask("low", ["a"], .low, at: 0)
        _ = ask("normal", ["a"], .normal, at: 3)
        // Now the low one has waited for less than the ageing, and at its grant for more.
        #expect(leave(first, at: 4) == ["low"])
    }
}
