import CurlConnection
import TestSupport

/// A recorder that leaves some questions open for the test to answer.
///
/// ## Concurrency
/// Call from: any thread. Lock: those of what was heard and of what was asked.
final class Decider: Recorder, URLConnectionDecisionDelegate, @unchecked Sendable {
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
    func isAsked(_ question: Question) -> Bool {
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

    // MARK: URLConnectionDecisionDelegate

    func connection(
        _ connection: URLConnection, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, decision: Decision<URLRequest?>
    ) {
        let next = self.connection(connection, willSend: request, redirectResponse: response)
        ask(.redirect, answer: { decision.answer(next) }) {
            $0.redirect = decision
            $0.proposal = next
        }
    }

    func connection(
        _ connection: URLConnection, didReceive response: URLResponse,
        decision: Decision<URLConnection.ResponseDisposition>
    ) {
        self.connection(connection, didReceive: response)
        ask(.response, answer: { decision.answer(.allow) }) { $0.response = decision }
    }

    func connection(
        _ connection: URLConnection, needNewBodyStream request: URLRequest,
        decision: Decision<InputStream?>
    ) {
        let stream = self.connection(connection, needNewBodyStream: request)
        ask(.stream, answer: { decision.answer(stream) }) { $0.stream = decision }
    }

    func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse,
        decision: Decision<CachedURLResponse?>
    ) {
        ask(.cache, answer: { decision.answer(cachedResponse) }) {
            $0.cache = decision
            $0.offer = cachedResponse
        }
    }

    private func ask(
        _ question: Question, answer: () -> Void, keep: (inout Asked) -> Void
    ) {
        if !late.contains(question) { answer() }
        seen.change { asked in
            asked.questions.append(question)
            if late.contains(question) { keep(&asked) }
        }
    }
}
