import TestSupport

@testable import HTTPSemantics

@Suite("When a request is sent again", .timeLimit(.minutes(1)))
struct RetryPolicyTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func outcome(
        _ policy: RetryPolicy, number: Int = 1, method: String = "GET", hasKey: Bool = false,
        _ cause: RetryDecision.Cause = .status(503), retryAfter: String? = nil,
        rest: TimeInterval? = nil, random: Double = 1
    ) -> RetryDecision.Outcome {
        policy.decide(
            FailedAttempt(
                number: number, method: method, hasKey: hasKey, cause: cause,
                retryAfter: retryAfter, rest: rest),
            now: now, random: random)
    }

    @Test func `each status is worth another try, or not, as the policy says`() {
        let policy = RetryPolicy(budget: nil)
        for status in 100...599 {
            let isWorth = [408, 429, 502, 503, 504].contains(status)
            let expected: RetryDecision.Outcome =
                isWorth ? .waits(seconds: 0.5) : .stops(.notRetryable)
            #expect(outcome(policy, .status(status)) == expected)
        }
    }

    @Test func `failures that may be over soon are worth another try`() {
        let policy = RetryPolicy(budget: nil)
        for code: URLError.Code in [.timedOut, .cannotConnectToHost, .networkConnectionLost] {
            #expect(outcome(policy, .error(code)) == .waits(seconds: 0.5))
        }
        for code: URLError.Code in [
            .cancelled, .serverCertificateUntrusted, .badURL, .httpTooManyRedirects,
            .secureConnectionFailed, .userAuthenticationRequired,
        ] {
            #expect(outcome(policy, .error(code)) == .stops(.notRetryable))
        }
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("put", true), ("DELETE", true), ("OPTIONS", true),
        ("TRACE", true), ("POST", false), ("PATCH", false), ("MERGE", false),
    ])
    func `a method that is not idempotent needs a key`(_ method: String, _ isIdempotent: Bool) {
        let policy = RetryPolicy(budget: nil)
        #expect(
            outcome(policy, method: method)
                == (isIdempotent ? .waits(seconds: 0.5) : .stops(.notIdempotent)))
        #expect(outcome(policy, method: method, hasKey: true) == .waits(seconds: 0.5))
    }

    @Test func `the wait is a random part of a span that doubles, up to the most`() {
        var policy = RetryPolicy(budget: nil)
        policy.maximumAttempts = 100
        let spans = [0.5, 1, 2, 4, 8, 16, 30, 30]
        for (index, span) in spans.enumerated() {
            for random in [0, 0.25, 1] {
                #expect(
                    outcome(policy, number: index + 1, random: random)
                        == .waits(seconds: span * random))
            }
        }
        #expect(outcome(policy, number: 99) == .waits(seconds: 30))
    }

    @Test func `it ends with the number of tries`() {
        var policy = RetryPolicy(budget: nil)
        #expect(outcome(policy, number: 3) != .stops(.attemptsUsed))
        #expect(outcome(policy, number: 4) == .stops(.attemptsUsed))
        policy.maximumAttempts = 0
        #expect(outcome(policy) == .stops(.attemptsUsed))
    }

    @Test(arguments: [
        ("3", 3.0), (" 0 ", 0.5), ("Fri, 15 Jan 2027 08:00:07 GMT", 7),
        ("Fri, 15 Jan 2027 07:59:00 GMT", 0.5), ("soon", 0.5), ("-3", 0.5), ("1.5", 0.5), ("", 0.5),
    ])
    func `Retry-After is the least, in either form; what is neither counts for nothing`(
        _ field: String, _ seconds: Double
    ) {
        #expect(
            outcome(RetryPolicy(budget: nil), .status(503), retryAfter: field)
                == .waits(seconds: seconds))
    }

    @Test(arguments: ["121", "99999999999999999999999", "Fri, 15 Jan 2027 09:00:00 GMT"])
    func `a Retry-After above the limit ends the attempts`(_ field: String) {
        #expect(
            outcome(RetryPolicy(budget: nil), .status(429), retryAfter: field)
                == .stops(.serverAsksForLonger))
    }

    @Test func `the limit of the whole load is kept`() {
        let policy = RetryPolicy(budget: nil)
        #expect(outcome(policy, rest: 0.6) == .waits(seconds: 0.5))
        #expect(outcome(policy, rest: 0.5) == .stops(.deadline))
        #expect(
            outcome(policy, .status(503), retryAfter: "10", rest: 9) == .stops(.deadline))
    }

    @Test func `one budget bounds all, and a no costs it nothing`() {
        let budget = RetryBudget(ratio: 0.5, reserve: 2)
        let (policy, copy) = (RetryPolicy(budget: budget), RetryPolicy(budget: budget))
        #expect(outcome(policy, .status(404)) == .stops(.notRetryable))
        #expect(outcome(policy, rest: 0) == .stops(.deadline))
        #expect(budget.available == 2)
        #expect(outcome(policy) == .waits(seconds: 0.5))
        #expect(outcome(copy) == .waits(seconds: 0.5))
        #expect(outcome(policy) == .stops(.budgetUsed))
        budget.add()
        #expect(outcome(policy) == .stops(.budgetUsed))
        budget.add()
        #expect(outcome(policy) == .waits(seconds: 0.5))
        // However many succeed, what they allow is bounded.
        for _ in 0..<100_000 { budget.add() }
        #expect(budget.available <= 2 + 0.5 * 10_000)
    }

    @Test func `a decision reads as one line`() {
        let first = RetryDecision(attempt: 1, cause: .status(503), outcome: .waits(seconds: 0.4121))
        #expect("\(first)" == "try 1: status 503; waits 0.412 s")
        let last = RetryDecision(
            attempt: 2, cause: .error(.timedOut), outcome: .stops(.attemptsUsed))
        #expect("\(last)" == "try 2: error -1001; stops: attemptsUsed")
    }
}
