import ParitySupport
import TestSupport
@testable import RequestEra

/// A retrier that notes what it is asked and how it answers.
final class TraceRetrier: RequestRetrier {
    /// Answers the call of that number, from 1.
    typealias Answer = @Sendable (Int, @escaping RequestRetryCompletion) -> String?

    private let log: TraceLog
    private let calls = Locked(0)
    private let answer: Answer
    /// Called before the answer.
    private let first: @Sendable (SessionManager, Request) -> Void

    init(
        _ log: TraceLog, first: @escaping @Sendable (SessionManager, Request) -> Void = { _, _ in },
        _ answer: @escaping Answer
    ) {
        self.log = log
        self.first = first
        self.answer = answer
    }

    /// Yes so often, then no.
    static func yes(_ log: TraceLog, times: Int, after delay: TimeInterval = 0) -> TraceRetrier {
        TraceRetrier(log) { call, completion in
            let isYes = call <= times
            completion(isYes, isYes ? delay : 0)
            return isYes ? "retry after \(delay)" : "no"
        }
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        var members: [String: GoldenValue] = [
            "error": short(error), "hasTask": .bool(request.task != nil),
            "request": .string(log.name(request)), "retryCount": .int(Int(request.retryCount)),
            "dataCount": request is DownloadRequest ? "n/a" : count(request.delegate.data),
        ]
        // The answer is noted first: what it brings may come from another thread.
        let held = Locked<[(Bool, TimeInterval)]>([])
        let isAnswered = Locked(false)
        members["answer"] =
            answer(call) { isYes, delay in
                if isAnswered.withLock({ $0 }) { return completion(isYes, delay) }
                held.withLock { $0.append((isYes, delay)) }
            }.map { .string($0) } ?? .absent
        log.add("retrier", members)
        first(manager, request)
        isAnswered.withLock { $0 = true }
        for (isYes, delay) in held.withLock({ $0 }) { completion(isYes, delay) }
    }
}

/// An adapter that notes what it is given.
final class TraceAdapter: RequestAdapter {
    private let log: TraceLog
    private let calls = Locked(0)
    private let adapt: @Sendable (Int, URLRequest) throws -> URLRequest

    init(
        _ log: TraceLog, _ adapt: @escaping @Sendable (Int, URLRequest) throws -> URLRequest
    ) {
        self.log = log
        self.adapt = adapt
    }

    /// Throws at each of these calls.
    static func throwing(_ log: TraceLog, at calls: ClosedRange<Int>, numbered: Bool = false)
        -> TraceAdapter
    {
        TraceAdapter(log) { call, request in
            if calls.contains(call) {
                throw PlainError(tag: numbered ? "adapter\(call)" : "adapter")
            }
            return request
        }
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        let call = calls.withLock { calls in
            calls += 1
            return calls
        }
        let headers = (urlRequest.allHTTPHeaderFields ?? [:]).mapValues { GoldenValue.string($0) }
        log.add(
            "adapter",
            [
                "call": .int(call), "path": .string(urlRequest.url?.path ?? ""),
                "method": .string(urlRequest.httpMethod ?? ""), "headers": .object(headers),
                "body": urlRequest.httpBody.map { .string(String(decoding: $0, as: UTF8.self)) }
                    ?? .absent,
            ])
        return try adapt(call, urlRequest)
    }
}
