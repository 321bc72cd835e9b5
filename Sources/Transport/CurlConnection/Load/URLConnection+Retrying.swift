import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// How often a load has sent its request, and what was decided about it.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct Retrying {
    /// The number of the try under way.
    private(set) var attempt = 1
    /// Whether a response was delivered, after which nothing is sent again.
    var isOver = false
    private var hasKey = false
    /// Why the request is sent again, where that was no response.
    var failure: URLError?
    /// Whether the budget, and nothing else, ended the tries.
    private(set) var isBudgetUsed = false

    /// The first request, with an idempotency key where the policy adds one.
    mutating func begin(_ request: URLRequest, by policy: RetryPolicy?) -> URLRequest {
        guard let policy else { return request }
        policy.budget?.add()
        guard let field = policy.idempotencyKeyField,
            !policy.mayRepeat(request.httpMethod ?? "GET", hasKey: false)
        else { return request }
        hasKey = true
        guard request.value(forHTTPHeaderField: field) == nil else { return request }
        var request = request
        request.setValue(UUID().uuidString, forHTTPHeaderField: field)
        return request
    }

    /// Decides about a try that failed.
    mutating func decide(
        _ cause: FailedAttempt.Cause, of request: URLRequest, by policy: RetryPolicy,
        rest: TimeInterval?, at now: Date
    ) -> RetryDecision {
        let failed = FailedAttempt(
            number: attempt, method: request.httpMethod ?? "GET", hasKey: hasKey, cause: cause,
            rest: rest)
        let outcome = policy.decide(failed, now: now)
        if case .waits = outcome { attempt += 1 }
        isBudgetUsed = outcome == .stops(.budgetUsed)
        let shown: RetryDecision.Cause =
            switch cause {
            case .status(let status, _): .status(status)
            case .error(let code): .error(code)
            }
        return RetryDecision(attempt: failed.number, cause: shown, outcome: outcome)
    }
}

// A try that failed before its response was delivered.
extension URLConnection {
    /// The next try after a response; nil where the response is delivered.
    func retry(after head: ResponseHead) -> LoadStep? {
        guard let policy = configuration.retryPolicy, head.statusCode >= 400 else { return nil }
        retrying.failure = nil
        return retry(
            .status(head.statusCode, retryAfter: head.value(of: "Retry-After")), by: policy)
    }

    /// The next try after a failure; nil where the load fails with it.
    func retry(after error: URLError) -> LoadStep? {
        guard let policy = configuration.retryPolicy, !retrying.isOver else { return nil }
        retrying.failure = error
        return retry(.error(error.code), by: policy)
    }

    private func retry(_ cause: FailedAttempt.Cause, by policy: RetryPolicy) -> LoadStep? {
        let clock = configuration.clock
        let rest = deadline.map { deadline in
            let now = clock.nanoseconds
            return deadline > now ? Double(deadline - now) / 1e9 : 0
        }
        let decision = retrying.decide(
            cause, of: currentRequest, by: policy,
            rest: rest, at: clock.date)
        measurement.metrics.note(decision)
        delegate?.connection(self, didDecideAboutRetry: decision)
        guard !isOver, case .waits(let seconds) = decision.outcome else { return nil }
        return .sendAgain(after: seconds)
    }

    /// There is no new stream for the body of another try.
    func failWithoutBody() {
        guard retrying.attempt > 1, let error = retrying.failure else { return fail(noNewBody) }
        measurement.metrics.note(
            RetryDecision(
                attempt: retrying.attempt - 1, cause: .error(error.code), outcome: .stops(.bodyUsed)
            ))
        fail(error)
    }

    /// Sends the request again in a while. Meanwhile the load has no place among the connections.
    func sendAgain(after seconds: TimeInterval) {
        guard let transport = readyTransport() else { return }
        // The server may name any number.
        let seconds = max(0, min(seconds, 1e8))
        transfer = nil
        guard apply(.retry) else { return }
        delegate?.connection(self, waitsFor: .retry(at: configuration.clock.date + seconds))
        guard state == .retrying else { return }
        let nanoseconds = UInt64((seconds * 1e9).rounded())
        // Strong, because nobody else may hold this connection meanwhile.
        nextTry = transport.later(at: configuration.clock.nanoseconds + nanoseconds) {
            self.sendAgainNow()
        }
    }

    private func sendAgainNow() {
        guard state == .retrying else { return }
        guard !suspension.isOn else { return hold { self.sendAgainNow() } }
        delegate?.connection(self, waitsFor: nil)
        // The delegate may have cancelled.
        guard !isOver else { return }
        load(currentRequest)
    }
}
