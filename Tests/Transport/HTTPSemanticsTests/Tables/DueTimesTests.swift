import HTTPSemantics
import TestSupport

@Suite("What is due when", .timeLimit(.minutes(1)))
struct DueTimesTests {
    private final class Steps {
        var count = 0
    }

    /// Counts how often it is compared.
    private struct Moment: Comparable {
        let number: Int
        let steps: Steps

        static func < (one: Self, other: Self) -> Bool {
            one.steps.count += 1
            return one.number < other.number
        }

        static func == (one: Self, other: Self) -> Bool { one.number == other.number }
    }

    @Test func `moments come in their order, and nothing before its own`() {
        var (numbers, times) = (SeededNumbers(seed: 41), DueTimes<Int, Int>())
        let moments = (0..<500).map { _ in Int.random(in: 0..<100, using: &numbers) }
        for moment in moments { times.add(moment, at: moment) }
        #expect(times.take(until: -1) == nil)
        #expect(times.next == moments.min())
        var taken: [Int] = []
        while let next = times.take(until: 49) { taken.append(next) }
        #expect(taken == moments.filter { $0 < 50 }.sorted())
        times.removeAll { $0 % 2 == 0 }
        taken = []
        while let next = times.take(until: .max) { taken.append(next) }
        #expect(taken == moments.filter { $0 >= 50 && $0 % 2 == 1 }.sorted())
        #expect(times.count == 0 && times.next == nil)
    }

    @Test func `of equal moments the first that was added comes first`() {
        var times = DueTimes<Int, Int>()
        for index in 0..<300 { times.add(index, at: index % 3) }
        times.removeAll { $0 % 10 == 0 }
        var taken: [Int] = []
        while let next = times.take(until: 2) { taken.append(next) }
        let rest = (0..<300).filter { $0 % 10 != 0 }
        #expect(taken == rest.sorted { ($0 % 3, $0) < ($1 % 3, $1) })
    }

    @Test func `ten thousand that come one after another cost few steps each`() {
        let (steps, count) = (Steps(), 10_000)
        var times = DueTimes<Moment, Int>()
        for index in 0..<count {
            times.add(index, at: Moment(number: index * 7_919 % count, steps: steps))
        }
        for due in 0..<count {
            #expect(times.take(until: Moment(number: due, steps: steps)) != nil)
        }
        #expect(times.count == 0)
        // Twice the height of the heap for each, there and back.
        #expect(steps.count < count * 4 * 14)
    }
}
