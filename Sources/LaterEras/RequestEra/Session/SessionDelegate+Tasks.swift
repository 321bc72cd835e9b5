import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks
import Synchronization

// What the delegate does with what it hears unless a subclass does otherwise: first the closure, else the
// request.
extension SessionDelegate {
    /// Whether a closure or a subclass takes the place of what a request does with such events and questions.
    func hears(of kind: TaskInterest) -> Bool {
        !kind.isDisjoint(with: TaskInterest(rawValue: interest.load(ordering: .relaxed)))
    }

    var current: HeldClosures { closures.withLock { $0 } }
    var policies: ServerTrustPolicyManager? { state.withLock { $0.policies } }

    /// Whether a closure gives a stream for each attempt.
    var givesStreams: Bool {
        let closures = current.all
        return closures.taskNeedNewBodyStream != nil
            || closures.taskNeedNewBodyStreamWithCompletion != nil
    }

    // MARK: - Events

    func carryOut(
        _ event: TaskEvent, of task: SessionTask, _ session: @autoclosure () -> URLSession
    ) {
        let closures = current
        switch event {
        case .sent(let bytes, let total, let expected):
            if let closure = closures.all.taskDidSendBodyData {
                return closure(session(), task, bytes, total, expected)
            }
        case .data(let data):
            if let closure = closures.all.dataTaskDidReceiveData,
                let task = task as? SessionDataTask
            {
                return closure(session(), task, data)
            }
        case .becameDownload(let download):
            self[task]?.take(event, of: task)
            guard let task = task as? SessionDataTask else { return }
            closures.all.dataTaskDidBecomeDownloadTask?(session(), task, download)
            return
        case .file(let file):
            if let closure = closures.all.downloadTaskDidFinishDownloadingToURL,
                let task = task as? SessionDownloadTask
            {
                return closure(session(), task, file)
            }
        case .wrote(let bytes, let total, let expected):
            if let closure = closures.all.downloadTaskDidWriteData,
                let task = task as? SessionDownloadTask
            {
                return closure(session(), task, bytes, total, expected)
            }
        case .resumed(let offset, let expected):
            if let closure = closures.all.downloadTaskDidResumeAtOffset,
                let task = task as? SessionDownloadTask
            {
                return closure(session(), task, offset, expected)
            }
        case .ended(let error):
            if self[task] == nil { return postEnd(of: task, nil, error, session()) }
        case .response, .metrics: break
        }
        self[task]?.take(event, of: task)
    }

    // MARK: - Questions

    func answer(
        _ question: TaskQuestion, of task: SessionTask, _ session: @autoclosure () -> URLSession
    ) {
        let closures = current
        switch question {
        case .redirect(let response, let request, let answer):
            if let closure = closures.all.taskWillPerformHTTPRedirectionWithCompletion {
                return closure(session(), task, response, request, answer)
            }
            if let closure = closures.all.taskWillPerformHTTPRedirection {
                return answer(closure(session(), task, response, request))
            }
            answer(request)
        case .challenge(let challenge, let answer):
            if challenge.isForSession, closures.all.answersSessionChallenges {
                return answerSession(challenge, session(), answer)
            }
            answerTask(challenge, of: task, session(), answer)
        case .body(let answer):
            if let closure = closures.all.taskNeedNewBodyStreamWithCompletion {
                return closure(session(), task, answer)
            }
            if let closure = closures.all.taskNeedNewBodyStream {
                return answer(closure(session(), task))
            }
            // Nil fails the task: the stream was given before (AL-27).
            answer(self[task]?.delegate.nextBodyStream())
        case .disposition(let response, let answer):
            self[task]?.delegate.began()
            guard let task = task as? SessionDataTask else { return answer(.allow) }
            if let closure = closures.all.dataTaskDidReceiveResponseWithCompletion {
                return closure(session(), task, response, answer)
            }
            answer(closures.all.dataTaskDidReceiveResponse?(session(), task, response) ?? .allow)
        case .store(let proposed, let answer):
            guard let task = task as? SessionDataTask else { return answer(proposed) }
            if let closure = closures.all.dataTaskWillCacheResponseWithCompletion {
                return closure(session(), task, proposed, answer)
            }
            if let closure = closures.all.dataTaskWillCacheResponse {
                return answer(closure(session(), task, proposed))
            }
            answer(proposed)
        }
    }

    func answerSession(
        _ challenge: URLAuthenticationChallenge, _ session: URLSession,
        _ answer: @escaping ChallengeCompletion
    ) {
        let closures = current.all
        if let closure = closures.sessionDidReceiveChallengeWithCompletion {
            return closure(session, challenge, answer)
        }
        let given = closures.sessionDidReceiveChallenge?(session, challenge)
        answer(given?.0 ?? .performDefaultHandling, given?.1)
    }

    /// A closure's answer, or the request's: a policy's closure, or its credential, or one of the
    /// session's storage, at the first challenge only (AL-31). Its credential is for the origin of its
    /// URL: no redirect leads it elsewhere, and no proxy gets it.
    func answerTask(
        _ challenge: URLAuthenticationChallenge, of task: SessionTask,
        _ session: @autoclosure () -> URLSession, _ answer: @escaping ChallengeCompletion
    ) {
        let closures = current
        if let closure = closures.all.taskDidReceiveChallengeWithCompletion {
            return closure(session(), task, challenge, answer)
        }
        if let closure = closures.all.taskDidReceiveChallenge {
            let (disposition, credential) = closure(session(), task, challenge)
            return answer(disposition, credential)
        }
        let space = challenge.protectionSpace
        if let trust = space.peerTrust {
            // The connection judges by any other policy itself, each time.
            guard let policy = policies?.serverTrustPolicy(forHost: space.host),
                policy.isDecidedByClosure
            else { return answer(.performDefaultHandling, nil) }
            return policy.evaluate(trust, forHost: space.host)
                ? answer(.useCredential, PeerTrustCredential(peerTrust: trust))
                : answer(.cancelAuthenticationChallenge, nil)
        }
        guard challenge.previousFailureCount == 0 else {
            return answer(.rejectProtectionSpace, nil)
        }
        let request = self[task]
        // A task without a request was forgotten by the program, which has its session.
        let configuration = request?.taskSession.configuration ?? session().configuration
        let storage = configuration.urlCredentialStorage
        let use = { @Sendable (own: URLCredential?) in
            let credential = own ?? storage?.defaultCredential(for: space)
            answer(credential == nil ? .performDefaultHandling : .useCredential, credential)
        }
        guard space.isOrigin(of: task.originalRequest?.url), let request else { return use(nil) }
        request.findCredential(use)
    }
}
