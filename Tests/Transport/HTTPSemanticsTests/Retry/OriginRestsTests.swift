import HTTPSemantics
import TestSupport

@Suite("Origins that are delayed by Retry-After", .timeLimit(.minutes(1)))
struct OriginRestsTests {
    private let turned = TurnableClock()

    @Test func `a delay is that of its origin, and the longer one counts`() throws {
        let rests = OriginRests(turned.clock)
        let one = URL(string: "http://H.test:80/a")
        let other = URL(string: "http://h.test:8080/a")
        rests.add(10, for: one)
        rests.add(3, for: one)
        rests.add(5, for: URL(string: "file:///a"))
        #expect(rests.rest(of: URL(string: "http://h.test/b")) == 10)
        #expect(rests.rest(of: other) == 0 && rests.rest(of: nil) == 0)
        turned.turn(by: 4)
        rests.add(-1, for: other)
        rests.add(0, for: other)
        rests.add(.infinity, for: other)
        #expect(rests.rest(of: other) == 0)
        #expect(rests.rest(of: one) == 6)
        turned.turn(by: 6)
        #expect(rests.rest(of: one) == 0)
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
