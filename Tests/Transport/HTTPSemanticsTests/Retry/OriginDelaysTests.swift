import HTTPSemantics
import TestSupport

@Suite("Origins that are delayed by Retry-After", .timeLimit(.minutes(1)))
struct OriginDelaysTests {
    private let turned = TurnableClock()

    @Test func `a delay is that of its origin, and the longer one counts`() throws {
        let delays = OriginDelays(turned.clock)
        let one = URL(string: "http://H.test:80/a")
        let other = URL(string: "http://h.test:8080/a")
        delays.add(10, for: one)
        delays.add(3, for: one)
        delays.add(5, for: URL(string: "file:///a"))
        #expect(delays.delay(of: URL(string: "http://h.test/b")) == 10)
        #expect(delays.delay(of: other) == 0 && delays.delay(of: nil) == 0)
        turned.turn(by: 4)
        delays.add(-1, for: other)
        delays.add(0, for: other)
        delays.add(.infinity, for: other)
        #expect(delays.delay(of: other) == 0)
        #expect(delays.delay(of: one) == 6)
        turned.turn(by: 6)
        #expect(delays.delay(of: one) == 0)
    }

    @Test func `the least pause before a try is kept, and a longer wish of the server too`() {
        var policy = RetryPolicy(budget: nil)
        policy.delay = 0
        policy.minimumDelay = 7
        for (field, seconds) in [(nil, 7), ("3", 7), ("30", 30)] as [(String?, Double)] {
            let attempt = FailedAttempt(
                number: 1, method: "GET", hasKey: false,
                cause: .status(503), retryAfter: field, rest: nil)
            #expect(policy.decide(attempt, now: Date()) == .waits(seconds: seconds))
        }
    }
}
