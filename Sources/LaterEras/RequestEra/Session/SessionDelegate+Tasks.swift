import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import SessionTasks

// What the delegate does with what it hears unless a subclass does otherwise: first the closure, else the
// request.
extension SessionDelegate {
    // MARK: - The session

    func byDefault(
        _ session: @autoclosure () -> URLSession, didBecomeInvalidWithError error: (any Error)?
    ) {
        current.sessionDidBecomeInvalidWithError?(session(), error)
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        let current = current
        if let closure = current.sessionDidReceiveChallengeWithCompletion {
            closure(session(), challenge, completionHandler)
        } else if let closure = current.sessionDidReceiveChallenge {
            let (disposition, credential) = closure(session(), challenge)
            completionHandler(disposition, credential)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }

    // MARK: - Any task

    func byDefault(
        _ session: @autoclosure () -> URLSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let current = current
        if let closure = current.taskWillPerformHTTPRedirectionWithCompletion {
            closure(session(), task, response, newRequest, completionHandler)
        } else if let closure = current.taskWillPerformHTTPRedirection {
            completionHandler(closure(session(), task, response, newRequest))
        } else {
            completionHandler(newRequest)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, task: SessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        let current = current
        if let closure = current.taskDidReceiveChallengeWithCompletion {
            return closure(session(), task, challenge, completionHandler)
        }
        if let closure = current.taskDidReceiveChallenge {
            let (disposition, credential) = closure(session(), task, challenge)
            return completionHandler(disposition, credential)
        }
        answer(challenge, of: task, in: session(), completionHandler)
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let current = current
        if let closure = current.taskNeedNewBodyStreamWithCompletion {
            closure(session(), task, completionHandler)
        } else if let closure = current.taskNeedNewBodyStream {
            completionHandler(closure(session(), task))
        } else {
            // Nil fails the task: the stream was given before (AL-27).
            completionHandler(self[task]?.delegate.nextBodyStream())
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, task: SessionTask,
        didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        if let closure = closures.withLock({ $0.taskDidSendBodyData }) {
            closure(
                session(), task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
        } else {
            self[task]?.delegate.sent(totalBytesSent, of: totalBytesExpectedToSend)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, task: SessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        taskDidComplete(task, error, session())
    }

    // MARK: - Data tasks

    func byDefault(
        _ session: @autoclosure () -> URLSession, dataTask: SessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        self[dataTask]?.delegate.began()
        let current = current
        if let closure = current.dataTaskDidReceiveResponseWithCompletion {
            closure(session(), dataTask, response, completionHandler)
        } else if let closure = current.dataTaskDidReceiveResponse {
            completionHandler(closure(session(), dataTask, response))
        } else {
            completionHandler(.allow)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        follow(from: dataTask, to: downloadTask)
        current.dataTaskDidBecomeDownloadTask?(session(), dataTask, downloadTask)
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, dataTask: SessionDataTask, didReceive data: Data
    ) {
        if let closure = closures.withLock({ $0.dataTaskDidReceiveData }) {
            closure(session(), dataTask, data)
        } else {
            self[dataTask]?.receive(data, of: dataTask)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, dataTask: SessionDataTask,
        willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        let current = current
        if let closure = current.dataTaskWillCacheResponseWithCompletion {
            closure(session(), dataTask, proposed, completionHandler)
        } else if let closure = current.dataTaskWillCacheResponse {
            completionHandler(closure(session(), dataTask, proposed))
        } else {
            completionHandler(proposed)
        }
    }

    // MARK: - Downloads

    func byDefault(
        _ session: @autoclosure () -> URLSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        if let closure = current.downloadTaskDidFinishDownloadingToURL {
            closure(session(), downloadTask, location)
        } else {
            self[downloadTask]?.delegate.finished(downloadTask, at: location)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, downloadTask: SessionDownloadTask,
        didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        if let closure = closures.withLock({ $0.downloadTaskDidWriteData }) {
            closure(
                session(), downloadTask, bytesWritten, totalBytesWritten,
                totalBytesExpectedToWrite)
        } else {
            self[downloadTask]?.delegate.wrote(
                totalBytesWritten, of: totalBytesExpectedToWrite)
        }
    }

    func byDefault(
        _ session: @autoclosure () -> URLSession, downloadTask: SessionDownloadTask,
        didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64
    ) {
        if let closure = current.downloadTaskDidResumeAtOffset {
            closure(session(), downloadTask, offset, expectedTotalBytes)
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

    var current: SessionClosures { closures.withLock { $0 } }
    var policies: ServerTrustPolicyManager? { state.withLock { $0.policies } }

    /// A request goes on with the download that took its data task's place.
    private func follow(from dataTask: SessionTask, to downloadTask: SessionTask) {
        state.withLock { state in
            guard let request = state.table[dataTask] else { return }
            state.table[dataTask] = nil
            state.table[downloadTask] = request
            request.state.withLock { $0.task = downloadTask }
        }
    }

    /// The request's answer to a challenge: a policy's closure, or its credential, or one of the
    /// session's storage, at the first challenge only (AL-31). Its credential is for the origin of its
    /// URL: no redirect leads it elsewhere, and no proxy gets it.
    private func answer(
        _ challenge: URLAuthenticationChallenge, of task: SessionTask,
        in session: @autoclosure () -> URLSession,
        _ completionHandler: @escaping ChallengeCompletion
    ) {
        let space = challenge.protectionSpace
        if let trust = space.peerTrust {
            // The connection judges by any other policy itself, each time.
            guard let policy = policies?.serverTrustPolicy(forHost: space.host),
                policy.isDecidedByClosure
            else { return completionHandler(.performDefaultHandling, nil) }
            return policy.evaluate(trust, forHost: space.host)
                ? completionHandler(.useCredential, PeerTrustCredential(peerTrust: trust))
                : completionHandler(.cancelAuthenticationChallenge, nil)
        }
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.rejectProtectionSpace, nil)
        }
        let request = self[task]
        // A task without a request was forgotten by the program, which has its session.
        let configuration = request?.taskSession.configuration ?? session().configuration
        let storage = configuration.urlCredentialStorage
        let use = { @Sendable (own: URLCredential?) in
            let credential = own ?? storage?.defaultCredential(for: space)
            completionHandler(
                credential == nil ? .performDefaultHandling : .useCredential, credential)
        }
        guard space.isOrigin(of: task.originalRequest?.url), let request else { return use(nil) }
        request.findCredential(use)
    }
}
