import TestSupport

@testable import Scheduling

@Suite("A queue by priority and age", .timeLimit(.minutes(1)))
struct AgeingPriorityQueueTests {
    private final class Guest {
        let name: String
        let since: UInt64
        var hasLeft = false

        init(_ name: String, since: UInt64) {
            self.name = name
            self.since = since
        }
    }

    private func next(
        _ queue: inout AgeingPriorityQueue<Guest>, at now: UInt64, ageing: UInt64
    ) -> String? {
        guard let guest = queue.first(at: { now }, ageing: ageing) else { return nil }
        return guest.name
    }

    @Test func `the lowest priority goes before all that come four spans later`() {
        var queue = AgeingPriorityQueue<Guest>(since: \.since) { $0.hasLeft }
        let low = Guest("low", since: 0)
        queue.append(low, .veryLow)
        queue.append(Guest("high", since: 39), .veryHigh)
        #expect(next(&queue, at: 39, ageing: 10) == "high")
        #expect(next(&queue, at: 40, ageing: 10) == "low")
        #expect(next(&queue, at: 1_000, ageing: 0) == "high")
        low.hasLeft = true
        queue.noteLeaving(.veryLow)
        #expect(next(&queue, at: 40, ageing: 10) == "high")
        queue.removeFirst(.veryHigh)
        #expect(queue.isEmpty)
        #expect(next(&queue, at: 40, ageing: 10) == nil)
    }

    @Test func `an element that is appended late is in the order of its age`() {
        var queue = AgeingPriorityQueue<Guest>(since: \.since) { $0.hasLeft }
        for (name, since) in [("second", 2), ("fourth", 4), ("first", 1), ("third", 3)] {
            queue.append(Guest(name, since: UInt64(since)), .high)
        }
        for name in ["first", "second", "third", "fourth"] {
            #expect(next(&queue, at: 5, ageing: 0) == name)
            queue.removeFirst(.high)
        }
    }
}
