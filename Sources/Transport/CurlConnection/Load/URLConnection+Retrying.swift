import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// How often a load has sent its request, and what was decided about it.
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
    /// Whether policy and interceptor were asked about the response under way.
    var isJudged = false
    /// How many times the interceptor had the request sent again.
    private(set) var interceptions = 0

    /// Whether the interceptor is asked about a failure.
    var mayBeIntercepted: Bool { !isOver && interceptions < 5 }

    mutating func intercepted(_ cause: RetryDecision.Cause) -> RetryDecision {
        interceptions += 1
        isBudgetUsed = false
        defer { attempt += 1 }
        return RetryDecision(attempt: attempt, cause: cause, outcome: .waits(seconds: 0))
    }

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
        _ cause: RetryDecision.Cause, _ retryAfter: String?, of request: URLRequest,
        by policy: RetryPolicy, rest: TimeInterval?, at now: Date
    ) -> RetryDecision {
        // What the interceptor had sent again is no attempt of the policy's.
        let failed = FailedAttempt(
            number: attempt - interceptions, method: request.httpMethod ?? "GET", hasKey: hasKey,
            cause: cause, retryAfter: retryAfter, rest: rest)
        let outcome = policy.decide(failed, now: now)
        let number = attempt
        if case .waits = outcome { attempt += 1 }
        isBudgetUsed = outcome == .stops(.budgetUsed)
        return RetryDecision(attempt: number, cause: cause, outcome: outcome)
    }
}

// A try that failed before its response was delivered.
extension URLConnection {
    /// The next try after a response; nil where the response is delivered.
    func retry(after head: ResponseHead, _ response: LazyHTTPResponse) -> LoadStep? {
        guard head.statusCode >= 400, !retrying.isJudged else { return nil }
        retrying.isJudged = true
        retrying.failure = nil
        return retry(after: .status(head.statusCode), head.value(of: "Retry-After")) {
            self.configuration.interceptor != nil
                && self.isSentAgain(after: response.httpURLResponse, nil)
        }
    }

    /// The next try after a failure; nil where the load fails with it.
    func retry(after error: URLError) -> LoadStep? {
        guard !retrying.isOver else { return nil }
        retrying.failure = error
        return retry(after: .error(error.code)) { self.isSentAgain(after: nil, error) }
    }

    /// Asks the policy, and where that says no, the interceptor. The delegate is notified of the interceptor's decision
    /// if that says yes, else of the policy's.
    private func retry(
        after cause: RetryDecision.Cause, _ retryAfter: String? = nil, isSentAgain: () -> Bool
    ) -> LoadStep? {
        let decision = configuration.retryPolicy.map { decided(by: $0, about: cause, retryAfter) }
        if let decision, case .waits(let seconds) = decision.outcome {
            return notes(decision) ? .sendAgain(after: seconds) : nil
        }
        if isSentAgain() {
            return notes(retrying.intercepted(cause)) ? .sendAgain(after: 0) : nil
        }
        if let decision { _ = notes(decision) }
        return nil
    }

    private func decided(
        by policy: RetryPolicy, about cause: RetryDecision.Cause, _ retryAfter: String?
    ) -> RetryDecision {
        let clock = configuration.clock
        let rest = deadline.map { deadline in
            let now = clock.nanoseconds
            return deadline > now ? Double(deadline - now) / 1e9 : 0
        }
        return retrying.decide(
            cause, retryAfter, of: currentRequest, by: policy, rest: rest, at: clock.date)
    }

    /// - Returns: false where the delegate has cancelled the load.
    private func notes(_ decision: RetryDecision) -> Bool {
        guard !isOver else { return false }
        measurement.metrics.note(decision)
        delegate?.connection(self, didDecideAboutRetry: decision)
        return !isOver
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

    /// Sends the request again in a while. Meanwhile the load uses no connection.
    func sendAgain(after seconds: TimeInterval) {
        guard takes(.step) else { return hold { self.sendAgain(after: seconds) } }
        guard let transport = readyTransport() else { return }
        // The server may name any number.
        let seconds = max(0, min(seconds, 1e8))
        transfer = nil
        guard apply(.retry) else { return }
        notify(waitsFor: .retry(at: configuration.clock.date + seconds))
        guard state == .retrying else { return }
        let nanoseconds = UInt64((seconds * 1e9).rounded())
        // The job holds the connection.
        nextTry = transport.later(at: configuration.clock.nanoseconds + nanoseconds) {
            self.sendAgainNow()
        }
    }

    private func sendAgainNow() {
        guard state == .retrying else { return }
        guard takes(.step) else { return hold { self.sendAgainNow() } }
        notify(waitsFor: nil)
        // The delegate may have cancelled.
        guard !isOver else { return }
        loadAdapted(currentRequest)
    }
}

// The caller's interceptor.

extension URLConnection {
    /// Loads a request as the interceptor changes it, in a task of its own.
    func loadAdapted(_ request: URLRequest) {
        guard let interceptor = interceptor(for: request) else { return load(request) }
        let decision = Decision<Result<URLRequest, any Error>>()
        let adapt: @Sendable () async -> Void = {
            decision.answer(await Self.adapted(request, by: interceptor))
        }
        interception = Task(operation: adapt)
        // The task keeps the decision until it has answered.
        wait(for: decision) { answer in
            self.interception = nil
            switch answer {
            case .success(let request)?:
                guard self.interceptor(for: request) != nil else {
                    return self.fail(self.leftOrigin)
                }
                self.currentRequest = request
                self.load(request)
            case .failure(let error)?:
                self.fail(error)
            case nil: break
            }
        }
    }

    /// The load's `trustRequirements` are for the first origin.
    private var leftOrigin: URLError {
        URLError(
            .badURL, url: originalRequest.url,
            text: "An interceptor's request must go to the origin that it was for.")
    }

    private static func adapted(
        _ request: URLRequest, by interceptor: any RequestInterceptor
    ) async -> Result<URLRequest, any Error> {
        do {
            return .success(try await interceptor.adapt(request))
        } catch {
            return .failure(error)
        }
    }

    /// Whether the interceptor has a request sent again that no policy does.
    func isSentAgain(after response: HTTPURLResponse?, _ error: URLError?) -> Bool {
        guard !isOver, !isPastDeadline, retrying.mayBeIntercepted,
            let interceptor = interceptor(for: currentRequest)
        else { return false }
        let failure = RequestFailure(
            currentRequest, response: response, error: error,
            retryCount: retrying.interceptions)
        return interceptor.shouldRetry(failure) && !isOver
    }

    private func interceptor(for request: URLRequest) -> (any RequestInterceptor)? {
        guard let interceptor = configuration.interceptor,
            Origin.isSame(request.url, originalRequest.url)
        else { return nil }
        return interceptor
    }
}
