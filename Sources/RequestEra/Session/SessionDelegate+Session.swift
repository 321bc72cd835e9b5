package import CurlConnection
package import Foundation
package import FoundationNetworking
package import OperationNetworking
package import SessionTasks

// What the session tells goes to the methods that a subclass may override.
extension SessionDelegate: TaskSessionDelegate {
    package func sessionAnswersChallenges(_ session: TaskSession) -> Bool {
        let current = current
        return current.sessionDidReceiveChallenge != nil
            || current.sessionDidReceiveChallengeWithCompletion != nil
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
            return isSubclass || current.taskWillPerformHTTPRedirection != nil
                || current.taskWillPerformHTTPRedirectionWithCompletion != nil
        case .challenge: return true
        case .disposition:
            return isSubclass || current.dataTaskDidReceiveResponse != nil
                || current.dataTaskDidReceiveResponseWithCompletion != nil
        case .cachedResponse:
            return isSubclass || current.dataTaskWillCacheResponse != nil
                || current.dataTaskWillCacheResponseWithCompletion != nil
        }
    }

    /// Whether methods may be overridden: then every question is asked.
    private var isSubclass: Bool { type(of: self) != SessionDelegate.self }

    // MARK: - Forwarding

    package func session(_ session: TaskSession, didBecomeInvalidWithError error: (any Error)?) {
        urlSession(session.urlSession, didBecomeInvalidWithError: error)
    }

    package func session(
        _ session: TaskSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        urlSession(session.urlSession, didReceive: challenge, completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        urlSession(
            session.urlSession, task: task, willPerformHTTPRedirection: response,
            newRequest: request, completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        urlSession(
            session.urlSession, task: task, didReceive: challenge,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        urlSession(session.urlSession, task: task) { stream in
            if let stream {
                completionHandler(stream)
            } else {
                // It would be sent as an empty body, and count as success.
                task.fail(with: BodyOnce.usedUp)
            }
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        urlSession(
            session.urlSession, task: task, didSendBodyData: bytesSent,
            totalBytesSent: totalBytesSent, totalBytesExpectedToSend: totalBytesExpectedToSend)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics
    ) {
        if isSubclass {
            urlSession(session.urlSession, task: task, didFinishCollecting: metrics)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {
        urlSession(session.urlSession, task: task, didCompleteWithError: error)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        urlSession(
            session.urlSession, dataTask: dataTask, didReceive: response,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        urlSession(session.urlSession, dataTask: dataTask, didBecome: downloadTask)
    }

    package func session(_ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data) {
        urlSession(session.urlSession, dataTask: dataTask, didReceive: data)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        urlSession(
            session.urlSession, dataTask: dataTask, willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        urlSession(session.urlSession, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        urlSession(
            session.urlSession, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        urlSession(
            session.urlSession, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }
}
