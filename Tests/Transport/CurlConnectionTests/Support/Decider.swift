import CurlConnection
import TestSupport

/// A recorder that leaves some questions open for the test to answer.
///
/// ## Concurrency
/// Call from: any thread. Lock: those of what was heard and of what was asked.
final class Decider: Recorder, @unchecked Sendable {
    // @unchecked because all that changes has its own lock, and the connection is set before the start.
    enum Question: String, CaseIterable, Sendable {
        case redirect, response, stream, cache
    }

    /// What was asked, the last of each kind.
    struct Asked {
        var redirect: Decision<URLRequest?>?
        var proposal: URLRequest?
        var response: Decision<URLConnection.ResponseDisposition>?
        var stream: Decision<InputStream?>?
        var cache: Decision<CachedURLResponse?>?
        var offer: CachedURLResponse?
        var questions: [Question] = []
    }

    private let late: Set<Question>
    private let seen = Watched(Asked())

    init(late: Question...) {
        self.late = Set(late)
    }

    var asked: Asked { seen.now }
    var recorder: Recorder { self }

    /// Waits until a question is put.
    func isCalled(_ question: Question) -> Bool {
        seen.blockUntil { $0.questions.contains(question) }
    }

    /// Answers what is open so that the load goes on, from a thread of its own.
    func goOn() {
        let asked = seen.change { asked in
            defer { release(&asked) }
            return asked
        }
        let thread = Thread {
            asked.redirect?.answer(asked.proposal)
            asked.response?.answer(.allow)
            asked.stream?.answer(PiecesStream([Data("again".utf8)]))
            asked.cache?.answer(asked.offer)
        }
        thread.start()
    }

    /// Lets go of what is open, without an answer.
    func release() {
        let asked = seen.change { asked in
            defer { release(&asked) }
            return asked
        }
        withExtendedLifetime(asked) {}
    }

    private func release(_ asked: inout Asked) {
        let questions = asked.questions
        asked = Asked()
        asked.questions = questions
    }

    // MARK: URLConnectionDelegate

    override func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) -> URLConnection.Answer<URLRequest?> {
        let next = self.connection(connection, willSend: request, redirectResponse: response)
        return ask(.redirect, or: next) {
            $0.redirect = $1
            $0.proposal = next
        }
    }

    override func connection(
        _ connection: URLConnection, dispositionAfter response: URLResponse
    ) -> URLConnection.Answer<URLConnection.ResponseDisposition> {
        self.connection(connection, didReceive: response)
        return ask(.response, or: .allow) { $0.response = $1 }
    }

    override func connection(
        _ connection: URLConnection, newBodyStreamFor request: URLRequest
    ) -> URLConnection.Answer<InputStream?> {
        let stream = self.connection(connection, needNewBodyStream: request)
        return ask(.stream, or: stream) { $0.stream = $1 }
    }

    override func connection(
        _ connection: URLConnection, willStore cachedResponse: CachedURLResponse
    ) -> URLConnection.Answer<CachedURLResponse?> {
        ask(.cache, or: cachedResponse) {
            $0.cache = $1
            $0.offer = cachedResponse
        }
    }

    /// Every second answer at once is given by a decision, inside the call.
    private func ask<Value>(
        _ question: Question, or value: Value, keep: (inout Asked, Decision<Value>) -> Void
    ) -> URLConnection.Answer<Value> {
        let isLate = late.contains(question)
        let decision = Decision<Value>()
        let count = seen.change { asked in
            asked.questions.append(question)
            if isLate { keep(&asked, decision) }
            return asked.questions.count
        }
        if !isLate {
            guard count % 2 == 0 else { return .now(value) }
            decision.answer(value)
        }
        return .later(decision)
    }
}
