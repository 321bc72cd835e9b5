import TestSupport

@testable import CurlConnection

@Suite("What a limit for the rate has a load wait for", .timeLimit(.minutes(1)))
struct RatePaceTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `each byte takes its time, after what is owed already`() {
        var pace = RatePace()
        #expect(pace.owedUntil == 0)
        pace.moved(500, at: 100, now: 10 * Self.second)
        #expect(pace.owedUntil == 15 * Self.second)
        pace.moved(100, at: 100, now: 12 * Self.second)
        #expect(pace.owedUntil == 16 * Self.second)
        // What was not used before is not made up for.
        pace.moved(100, at: 100, now: 100 * Self.second)
        #expect(pace.owedUntil == 101 * Self.second)
    }

    @Test func `no number is too large`() {
        var pace = RatePace()
        for _ in 0..<30 { pace.moved(.max, at: 0, now: .max / 2) }
        #expect(pace.owedUntil == .max)
        #expect(clamping(pace.owedUntil, plus: 1) == .max)
    }
}
