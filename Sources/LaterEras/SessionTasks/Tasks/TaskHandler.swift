package import CurlConnection
package import Foundation
package import FoundationNetworking

/// Handles what happens to a task: one object, set when the task is made.
///
/// ## Concurrency
/// Called on: the session's delegate queue, one call at a time, in URLSession's order.
package protocol TaskHandler: AnyObject, Sendable {
    func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession)

    /// The answer may be given later, from any thread; only the first counts, and none after the
    /// task's end.
    func handle(_ question: TaskQuestion, of task: SessionTask, in session: TaskSession)
}

extension TaskHandler {
    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {}

    package func handle(_ question: TaskQuestion, of task: SessionTask, in session: TaskSession) {
        question.answerByDefault(for: task)
    }
}

/// What happens to a task, in the order of URLSession's calls. An expected total is -1 where it is unknown.
package enum TaskEvent: Sendable {
    /// Bytes of the body went out.
    case sent(Int64, total: Int64, of: Int64)
    /// The response of a data task, where its disposition is not asked for.
    case response(URLResponse)
    /// A download continues a part of so many bytes.
    case resumed(at: Int64, of: Int64)
    /// A piece of a data task's body.
    case data(Data)
    /// A piece of a download was written.
    case wrote(Int64, total: Int64, of: Int64)
    /// The download replaces the data task, which has no more events. Its handler is the same.
    case becameDownload(SessionDownloadTask)
    /// The whole file. The handler moves it inside the call, or it is removed.
    case file(URL)
    case metrics(RequestMetrics)
    /// The last one.
    case ended((any Error)?)
}

/// What a task's handler is asked.
package enum TaskQuestion: Sendable {
    /// Nil takes the redirect itself for the response.
    case redirect(HTTPURLResponse, URLRequest, @Sendable (URLRequest?) -> Void)
    case challenge(URLAuthenticationChallenge, ChallengeCompletion)
    /// A streamed body is to be sent, for the first time or again.
    case body(@Sendable (InputStream?) -> Void)
    /// A data task's response has come.
    case disposition(URLResponse, @Sendable (URLSession.ResponseDisposition) -> Void)
    /// What may be stored of a complete response; nil stores nothing.
    case store(CachedURLResponse, @Sendable (CachedURLResponse?) -> Void)

    /// As URLSession does for a delegate without the method.
    package func answerByDefault(for task: SessionTask) {
        switch self {
        case .redirect(_, let request, let answer): answer(request)
        case .challenge(_, let answer): answer(.performDefaultHandling, nil)
        case .body(let answer):
            do {
                answer(try task.stream?.next())
            } catch {
                // Without an answer nothing is sent; with a nil stream an empty body would be.
                task.fail(with: error)
            }
        case .disposition(_, let answer): answer(.allow)
        case .store(let response, let answer): answer(response)
        }
    }
}

/// Called with the answer to a challenge.
package typealias ChallengeCompletion =
    @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

/// Kinds of events and questions.
package struct TaskInterest: OptionSet, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let all = TaskInterest(rawValue: .max)

    package static let redirect = TaskInterest(rawValue: 1 << 0)
    package static let challenge = TaskInterest(rawValue: 1 << 1)
    package static let body = TaskInterest(rawValue: 1 << 2)
    package static let disposition = TaskInterest(rawValue: 1 << 3)
    package static let store = TaskInterest(rawValue: 1 << 4)
    package static let sent = TaskInterest(rawValue: 1 << 5)
    package static let response = TaskInterest(rawValue: 1 << 6)
    package static let resumed = TaskInterest(rawValue: 1 << 7)
    package static let data = TaskInterest(rawValue: 1 << 8)
    package static let wrote = TaskInterest(rawValue: 1 << 9)
    package static let becameDownload = TaskInterest(rawValue: 1 << 10)
    package static let file = TaskInterest(rawValue: 1 << 11)
    package static let metrics = TaskInterest(rawValue: 1 << 12)
    package static let ended = TaskInterest(rawValue: 1 << 13)
}

extension TaskEvent {
    package var kind: TaskInterest {
        switch self {
        case .sent: .sent
        case .response: .response
        case .resumed: .resumed
        case .data: .data
        case .wrote: .wrote
        case .becameDownload: .becameDownload
        case .file: .file
        case .metrics: .metrics
        case .ended: .ended
        }
    }
}

extension URLAuthenticationChallenge {
    /// Whether URLSession asks the session before the task.
    package var isForSession: Bool {
        if protectionSpace.peerTrust != nil || protectionSpace is ClientCertificateSpace {
            return true
        }
        return [NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodNTLM]
            .contains(protectionSpace.authenticationMethod)
    }
}
