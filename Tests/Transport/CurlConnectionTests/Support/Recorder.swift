import CurlConnection
import TestSupport

/// A delegate's methods.
enum Call: String, Sendable, CaseIterable {
    case willSend, willSendRedirect, challenge, newStream, sent, notConsumed, response, data
    case finish, fail
}

/// What a delegate heard so far.
struct Heard {
    var calls: [Call] = []
    var proposals: [URLRequest] = []
    var responses: [HTTPURLResponse] = []
    var redirects: [HTTPURLResponse] = []
    var failureCounts: [Int] = []
    var data = Data()
    var sentBytes: Int64 = 0
    var sentTotal: Int64 = 0
    var sentExpected: Int64 = 0
    var error: URLError?
    var wasOutsideItsThread = false
    /// Told once, before the last call.
    var metrics: [RequestMetrics] = []
    var wasMeasuredAfterEnd = false
    var decisions: [RetryDecision] = []

    /// The calls in order, each once in a row, without the questions for unconsumed bytes.
    var order: [Call] {
        var order: [Call] = []
        for call in calls where call != .notConsumed && call != order.last { order.append(call) }
        return order
    }
    var ends: Int { calls.count { $0 == .finish || $0 == .fail } }
    var hasEnded: Bool { ends > 0 }
    var text: String { String(decoding: data, as: UTF8.self) }
    var status: Int? { responses.last?.statusCode }
    var code: URLError.Code? { error?.code }

    func count(_ call: Call) -> Int { calls.count { $0 == call } }
}

/// A delegate that notes each call and answers as the test says.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of what was heard. The answers are set before the
/// start and called on the connection's thread.
class Recorder: URLConnectionDelegate, @unchecked Sendable {
    // @unchecked because what was heard has its own lock, and the rest is set before the start
    // and used on the connection's thread.
    private let seen = Watched(Heard())

    var onCall: ((Call, URLConnection) -> Void)?
    var onWillSend: ((URLRequest, URLResponse?) -> URLRequest?)?
    var onChallenge: ((URLAuthenticationChallenge) -> Void)?
    var onNewStream: (() -> InputStream?)?
    var onNotConsumed: (() -> Int)?
    var onMetrics: ((URLConnection) -> Void)?
    /// Set by `LoopThread.start`.
    var connection: URLConnection?
    var thread: Thread?

    var heard: Heard { seen.now }

    /// Waits until what was heard fulfils a condition; false when patience ended first.
    func wait(for holds: (Heard) -> Bool) -> Bool { seen.blockUntil(holds) }

    /// Waits for the last call and returns all that was heard.
    func atEnd() -> Heard {
        _ = wait { $0.hasEnded }
        return heard
    }

    private func note(
        _ call: Call, _ connection: URLConnection, _ change: (inout Heard) -> Void = { _ in }
    ) {
        seen.change { heardSoFar in
            heardSoFar.calls.append(call)
            if Thread.current !== thread { heardSoFar.wasOutsideItsThread = true }
            change(&heardSoFar)
        }
        onCall?(call, connection)
    }

    // MARK: URLConnectionDelegate

    func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        note(redirectResponse == nil ? .willSend : .willSendRedirect, connection) {
            $0.proposals.append(request)
            if let response = redirectResponse as? HTTPURLResponse { $0.redirects.append(response) }
        }
        guard let onWillSend else { return request }
        return onWillSend(request, redirectResponse)
    }

    // Declared, so that `Decider` overrides them.

    func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        .now(self.connection(connection, willSend: request, redirectResponse: response))
    }

    func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        self.connection(connection, didReceive: response)
        return .now(.allow)
    }

    func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        .now(self.connection(connection, needNewBodyStream: request))
    }

    func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> { .now(cachedResponse) }

    func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        note(.challenge, connection) { $0.failureCounts.append(challenge.previousFailureCount) }
        if let onChallenge {
            onChallenge(challenge)
        } else {
            challenge.sender?.performDefaultHandling(for: challenge)
        }
    }

    func connection(
        _ connection: URLConnection, needNewBodyStream request: URLRequest
    ) -> InputStream? {
        note(.newStream, connection)
        return onNewStream?()
    }

    func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note(.sent, connection) {
            $0.sentBytes += bytesWritten
            $0.sentTotal = totalBytesWritten
            $0.sentExpected = totalBytesExpectedToWrite
        }
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        note(.response, connection) {
            if let response = response as? HTTPURLResponse { $0.responses.append(response) }
        }
    }

    func connection(_ connection: URLConnection, didReceive data: Data) {
        note(.data, connection) { $0.data.append(data) }
    }

    func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        note(.notConsumed, connection)
        return onNotConsumed?() ?? 0
    }

    func connection(_ connection: URLConnection, didDecideAboutRetry decision: RetryDecision) {
        seen.change { $0.decisions.append(decision) }
    }

    func connection(
        _ connection: URLConnection, didFinishCollecting metrics: RequestMetrics
    ) {
        seen.change {
            $0.wasMeasuredAfterEnd = $0.hasEnded
            $0.metrics.append(metrics)
        }
        onMetrics?(connection)
    }

    func connectionDidFinishLoading(_ connection: URLConnection) {
        note(.finish, connection)
    }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        note(.fail, connection) { $0.error = error as? URLError }
    }
}
