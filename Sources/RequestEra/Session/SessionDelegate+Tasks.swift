package import Foundation
package import FoundationNetworking
import HTTPSemantics
import Locking
package import OperationNetworking
package import SessionTasks

// What the session tells and asks: first the closure, else the request.
extension SessionDelegate: TaskSessionDelegate {
    // MARK: - The session

    package func session(
        _ session: TaskSession, didBecomeInvalidWithError error: (any Error)?
    ) {
        current.sessionDidBecomeInvalidWithError?(session.urlSession, error)
    }

    package func sessionAnswersChallenges(_ session: TaskSession) -> Bool {
        let current = current
        return current.sessionDidReceiveChallenge != nil
            || current.sessionDidReceiveChallengeWithCompletion != nil
    }

    package func session(
        _ session: TaskSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        let current = current
        if let closure = current.sessionDidReceiveChallengeWithCompletion {
            closure(session.urlSession, challenge, completionHandler)
        } else if let closure = current.sessionDidReceiveChallenge {
            let (disposition, credential) = closure(session.urlSession, challenge)
            completionHandler(disposition, credential)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    /// With `.foundation` nobody asks about trust, so a host with a policy of its own gets nothing
    /// (LX-13).
    package func session(
        _ session: TaskSession, refusalOf request: URLRequest
    ) -> (any Error)? {
        guard session.transport == .foundation, request.url?.scheme?.lowercased() == "https",
            let host = request.url?.host,
            let policy = policies?.serverTrustPolicy(forHost: host)
        else { return nil }
        return policy.nameBeyondFoundation.map { SessionError.securityPolicyNotHonoured($0) }
    }

    package func session(
        _ session: TaskSession, securityPolicyFor request: URLRequest
    ) -> SecurityPolicy {
        policies?.securityPolicy(for: request) ?? .default()
    }

    package func session(_ session: TaskSession, decides question: TaskQuestion) -> Bool {
        let current = current
        switch question {
        case .redirect:
            return current.taskWillPerformHTTPRedirection != nil
                || current.taskWillPerformHTTPRedirectionWithCompletion != nil
        case .challenge: return true
        case .disposition:
            return current.dataTaskDidReceiveResponse != nil
                || current.dataTaskDidReceiveResponseWithCompletion != nil
        case .cachedResponse:
            return current.dataTaskWillCacheResponse != nil
                || current.dataTaskWillCacheResponseWithCompletion != nil
        }
    }

    // MARK: - Any task

    package func session(
        _ session: TaskSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let current = current
        if let closure = current.taskWillPerformHTTPRedirectionWithCompletion {
            closure(session.urlSession, task, response, newRequest, completionHandler)
        } else if let closure = current.taskWillPerformHTTPRedirection {
            completionHandler(closure(session.urlSession, task, response, newRequest))
        } else {
            completionHandler(newRequest)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        let current = current
        if let closure = current.taskDidReceiveChallengeWithCompletion {
            return closure(session.urlSession, task, challenge, completionHandler)
        }
        let (disposition, credential) =
            current.taskDidReceiveChallenge?(session.urlSession, task, challenge)
            ?? answer(to: challenge, of: self[task], in: session)
        completionHandler(disposition, credential)
    }

    package func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let current = current
        if let closure = current.taskNeedNewBodyStreamWithCompletion {
            closure(session.urlSession, task, completionHandler)
        } else if let closure = current.taskNeedNewBodyStream {
            completionHandler(closure(session.urlSession, task))
        } else if let stream = self[task]?.delegate.nextBodyStream() {
            completionHandler(stream)
        } else {
            // Without a call of the handler nothing is sent; a nil stream would send a part (AL-27).
            task.fail(with: BodyOnce.usedUp)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        if let closure = closures.withLock({ $0.taskDidSendBodyData }) {
            closure(
                session.urlSession, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
        } else {
            self[task]?.delegate.sent(totalBytesSent, of: totalBytesExpectedToSend)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {
        taskDidComplete(task, error, session)
    }

    // MARK: - Data tasks

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let current = current
        if let closure = current.dataTaskDidReceiveResponseWithCompletion {
            closure(session.urlSession, dataTask, response, completionHandler)
        } else if let closure = current.dataTaskDidReceiveResponse {
            completionHandler(closure(session.urlSession, dataTask, response))
        } else {
            completionHandler(.allow)
        }
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        follow(from: dataTask, to: downloadTask)
        current.dataTaskDidBecomeDownloadTask?(session.urlSession, dataTask, downloadTask)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data
    ) {
        if let closure = closures.withLock({ $0.dataTaskDidReceiveData }) {
            closure(session.urlSession, dataTask, data)
        } else {
            self[dataTask]?.delegate.received(
                data, of: dataTask.countOfBytesExpectedToReceive)
        }
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        let current = current
        if let closure = current.dataTaskWillCacheResponseWithCompletion {
            closure(session.urlSession, dataTask, proposed, completionHandler)
        } else if let closure = current.dataTaskWillCacheResponse {
            completionHandler(closure(session.urlSession, dataTask, proposed))
        } else {
            completionHandler(proposed)
        }
    }

    // MARK: - Downloads

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        if let closure = current.downloadTaskDidFinishDownloadingToURL {
            closure(session.urlSession, downloadTask, location)
        } else {
            self[downloadTask]?.delegate.finished(downloadTask, at: location)
        }
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if let closure = closures.withLock({ $0.downloadTaskDidWriteData }) {
            closure(
                session.urlSession, downloadTask, bytesWritten, totalBytesWritten,
                totalBytesExpectedToWrite)
        } else {
            self[downloadTask]?.delegate.wrote(
                totalBytesWritten, of: totalBytesExpectedToWrite)
        }
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64
    ) {
        if let closure = current.downloadTaskDidResumeAtOffset {
            closure(session.urlSession, downloadTask, offset, expectedTotalBytes)
        } else {
            self[downloadTask]?.delegate.resumed(at: offset, of: expectedTotalBytes)
        }
    }
}

extension SessionDelegate {
    /// Whether a closure gives a stream for each attempt.
    var givesStreams: Bool {
        let current = current
        return current.taskNeedNewBodyStream != nil
            || current.taskNeedNewBodyStreamWithCompletion != nil
    }

    private var current: SessionClosures { closures.withLock { $0 } }
    private var policies: ServerTrustPolicyManager? { state.withLock { $0.policies } }

    /// A request goes on with the download that took its data task's place.
    private func follow(from dataTask: SessionTask, to downloadTask: SessionTask) {
        state.withLock { state in
            guard let request = state.table[dataTask] else { return }
            state.table[dataTask] = nil
            state.table[downloadTask] = request
            request.state.withLock { $0.task = downloadTask }
        }
    }

    /// The request's answer to a challenge: the policy of the host, or its credential, or one of the
    /// session's storage, at the first challenge only (AL-31).
    private func answer(
        to challenge: URLAuthenticationChallenge, of request: Request?, in session: TaskSession
    ) -> (URLSession.AuthChallengeDisposition, URLCredential?) {
        let space = challenge.protectionSpace
        if let trust = space.peerTrust {
            guard let policy = policies?.serverTrustPolicy(forHost: space.host) else {
                return (.performDefaultHandling, nil)
            }
            return policy.evaluate(trust, forHost: space.host)
                ? (.useCredential, PeerTrustCredential(peerTrust: trust))
                : (.cancelAuthenticationChallenge, nil)
        }
        guard challenge.previousFailureCount == 0 else { return (.rejectProtectionSpace, nil) }
        let credential =
            request?.state.withLock { $0.credential }
            ?? session.configuration.urlCredentialStorage?.defaultCredential(for: space)
        return credential.map { (.useCredential, $0) } ?? (.performDefaultHandling, nil)
    }
}
