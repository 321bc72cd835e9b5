import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks
import Synchronization

// What the delegate does unless a subclass does otherwise: it calls the closure, or else the
// request.
extension SessionDelegate {
    /// Whether a closure or a subclass handles such events and questions instead of a request.
    func handles(_ kind: TaskInterest) -> Bool {
        !kind.isDisjoint(with: TaskInterest(rawValue: interest.load(ordering: .relaxed)))
    }

    var policies: ServerTrustPolicyManager? { state.withLock { $0.policies } }

    // MARK: - Events

    func carryOut(
        _ event: TaskEvent, of task: SessionTask, _ session: @autoclosure () -> URLSession
    ) {
        switch event {
        case .sent(let bytes, let total, let expected):
            if let closure = taskDidSendBodyData {
                return closure(session(), task, bytes, total, expected)
            }
        case .data(let data):
            if let closure = dataTaskDidReceiveData,
                let task = task as? SessionDataTask
            {
                return closure(session(), task, data)
            }
        case .becameDownload(let download):
            guard let task = task as? SessionDataTask else { return }
            dataTaskDidBecomeDownloadTask?(session(), task, download)
            return
        case .file(let file):
            if let closure = downloadTaskDidFinishDownloadingToURL,
                let task = task as? SessionDownloadTask
            {
                return closure(session(), task, file)
            }
        case .wrote(let bytes, let total, let expected):
            if let closure = downloadTaskDidWriteData,
                let task = task as? SessionDownloadTask
            {
                return closure(session(), task, bytes, total, expected)
            }
        case .resumed(let offset, let expected):
            if let closure = downloadTaskDidResumeAtOffset,
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
        switch question {
        case .redirect(let response, let request, let answer):
            if let closure = taskWillPerformHTTPRedirectionWithCompletion {
                return closure(session(), task, response, request, answer)
            }
            if let closure = taskWillPerformHTTPRedirection {
                return answer(closure(session(), task, response, request))
            }
            answer(request)
        case .challenge(let challenge, let answer):
            if challenge.isForSession, answersSessionChallenges {
                return answerSession(challenge, session(), answer)
            }
            answerTask(challenge, of: task, session(), answer)
        case .body(let answer):
            if let closure = taskNeedNewBodyStreamWithCompletion {
                return closure(session(), task, answer)
            }
            if let closure = taskNeedNewBodyStream {
                return answer(closure(session(), task))
            }
            // Nil fails the task: the stream was used before.
            answer(self[task]?.source?.stream?.take())
        case .disposition(let response, let answer):
            self[task]?.delegate.began()
            guard let task = task as? SessionDataTask else { return answer(.allow) }
            if let closure = dataTaskDidReceiveResponseWithCompletion {
                return closure(session(), task, response, answer)
            }
            answer(dataTaskDidReceiveResponse?(session(), task, response) ?? .allow)
        case .store(let proposed, let answer):
            guard let task = task as? SessionDataTask else { return answer(proposed) }
            if let closure = dataTaskWillCacheResponseWithCompletion {
                return closure(session(), task, proposed, answer)
            }
            if let closure = dataTaskWillCacheResponse {
                return answer(closure(session(), task, proposed))
            }
            answer(proposed)
        }
    }

    func answerSession(
        _ challenge: URLAuthenticationChallenge, _ session: URLSession,
        _ answer: @escaping ChallengeCompletion
    ) {
        if let closure = sessionDidReceiveChallengeWithCompletion {
            return closure(session, challenge, answer)
        }
        let reply = sessionDidReceiveChallenge?(session, challenge)
        answer(reply?.0 ?? .performDefaultHandling, reply?.1)
    }

    /// Answers by a closure, a policy's closure, the request's credential, or one of the session's storage. The last two
    /// answer the first challenge only. The request's credential is for the origin of its URL: no redirect leads it
    /// elsewhere, and no proxy gets it.
    func answerTask(
        _ challenge: URLAuthenticationChallenge, of task: SessionTask,
        _ session: @autoclosure () -> URLSession, _ answer: @escaping ChallengeCompletion
    ) {
        if let closure = taskDidReceiveChallengeWithCompletion {
            return closure(session(), task, challenge, answer)
        }
        if let closure = taskDidReceiveChallenge {
            let (disposition, credential) = closure(session(), task, challenge)
            return answer(disposition, credential)
        }
        let space = challenge.protectionSpace
        if let trust = space.peerTrust {
            // The connection judges by any other policy, each time.
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
        // Nil where the program had the delegate forget the request of this task.
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
