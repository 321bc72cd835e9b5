import TestSupport

@testable import Scheduling

@Suite("Lines by priority and age", .timeLimit(.minutes(1)))
struct PriorityLineTests {
    private final class Guest {
        let name: String
        let since: UInt64
        var hasLeft = false

        init(_ name: String, since: UInt64) {
            self.name = name
            self.since = since
        }
    }

    private func next(_ line: inout PriorityLine<Guest>, at now: UInt64, ageing: UInt64) -> String?
    {
        guard let guest = line.first(at: { now }, ageing: ageing) else { return nil }
        return guest.name
    }

    @Test func `the lowest class is served before all that come four spans later`() {
        var line = PriorityLine<Guest>(since: \.since) { $0.hasLeft }
        let low = Guest("low", since: 0)
        line.append(low, .veryLow)
        line.append(Guest("high", since: 39), .veryHigh)
        #expect(next(&line, at: 39, ageing: 10) == "high")
        #expect(next(&line, at: 40, ageing: 10) == "low")
        #expect(next(&line, at: 1_000, ageing: 0) == "high")
        low.hasLeft = true
        line.noteLeaving(.veryLow)
        #expect(next(&line, at: 40, ageing: 10) == "high")
        line.removeFirst(.veryHigh)
        #expect(line.isEmpty)
        #expect(next(&line, at: 40, ageing: 10) == nil)
    }
}
