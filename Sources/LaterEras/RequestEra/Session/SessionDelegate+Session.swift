package import CurlConnection
package import Foundation
package import FoundationNetworking
package import OperationNetworking
package import SessionTasks

// What the session tells goes to the methods that a subclass may override; without a subclass to what they
// do, which needs Foundation's session for closures alone: making one costs more than a request.
extension SessionDelegate: TaskSessionDelegate {
    package func sessionAnswersChallenges(_ session: TaskSession) -> Bool {
        let current = current
        return current.sessionDidReceiveChallenge != nil
            || current.sessionDidReceiveChallengeWithCompletion != nil
    }

    package func session(
        _ session: TaskSession, securityPolicyFor request: URLRequest
    ) -> SecurityPolicy {
        policies?.securityPolicy(for: request) ?? .default()
    }

    /// A server that the policy of its host refuses cancels the task, as in the original; where there is
    /// none, or a closure about challenges left the server to the system, the error is the system's: one
    /// number, whatever is wrong with the certificate.
    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error {
        guard policies?.serverTrustPolicy(forHost: trust.host) != nil, !current.answersChallenges
        else {
            var info = error.errorUserInfo
            info[NSUnderlyingErrorKey] = error
            return URLError(.serverCertificateUntrusted, described: info)
        }
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let text = "The policy of \(trust.host) refuses the server. " + error.localizedDescription
        return URLError(.cancelled, url: url, text: text, underlying: error)
    }

    package func session(_ session: TaskSession, decides question: TaskQuestion) -> Bool {
        let current = current
        switch question {
        case .redirect:
            return isSubclass || current.taskWillPerformHTTPRedirection != nil
                || current.taskWillPerformHTTPRedirectionWithCompletion != nil
        case .challenge(let trust):
            // A request's credential may be set a moment after its task has begun.
            guard let trust else { return true }
            return isSubclass || current.answersChallenges
                || policies?.serverTrustPolicy(forHost: trust.host)?.isDecidedByClosure == true
        case .disposition:
            return isSubclass || current.dataTaskDidReceiveResponse != nil
                || current.dataTaskDidReceiveResponseWithCompletion != nil
        case .cachedResponse:
            return isSubclass || current.dataTaskWillCacheResponse != nil
                || current.dataTaskWillCacheResponseWithCompletion != nil
        }
    }

    /// Whether methods may be overridden, which Swift on Linux does not tell: then every question is asked, and
    /// every event goes by way of the methods.
    private var isSubclass: Bool { type(of: self) != SessionDelegate.self }

    // MARK: - Forwarding

    package func session(_ session: TaskSession, didBecomeInvalidWithError error: (any Error)?) {
        guard isSubclass else {
            return byDefault(session.urlSession, didBecomeInvalidWithError: error)
        }
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
        guard isSubclass else {
            return byDefault(
                session.urlSession, task: task, willPerformHTTPRedirection: response,
                newRequest: request, completionHandler: completionHandler)
        }
        urlSession(
            session.urlSession, task: task, willPerformHTTPRedirection: response,
            newRequest: request, completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, task: task, didReceive: challenge,
                completionHandler: completionHandler)
        }
        urlSession(
            session.urlSession, task: task, didReceive: challenge,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        let completion = { @Sendable (stream: InputStream?) in
            if let stream {
                completionHandler(stream)
            } else {
                // It would be sent as an empty body, and count as success.
                task.fail(with: BodyOnce.usedUp)
            }
        }
        guard isSubclass else {
            return byDefault(session.urlSession, task: task, needNewBodyStream: completion)
        }
        urlSession(session.urlSession, task: task, needNewBodyStream: completion)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, task: task, didSendBodyData: bytesSent,
                totalBytesSent: totalBytesSent, totalBytesExpectedToSend: totalBytesExpectedToSend)
        }
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
        guard isSubclass else {
            return byDefault(session.urlSession, task: task, didCompleteWithError: error)
        }
        urlSession(session.urlSession, task: task, didCompleteWithError: error)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, dataTask: dataTask, didReceive: response,
                completionHandler: completionHandler)
        }
        urlSession(
            session.urlSession, dataTask: dataTask, didReceive: response,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        guard isSubclass else {
            return byDefault(session.urlSession, dataTask: dataTask, didBecome: downloadTask)
        }
        urlSession(session.urlSession, dataTask: dataTask, didBecome: downloadTask)
    }

    package func session(_ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data) {
        guard isSubclass else {
            return byDefault(session.urlSession, dataTask: dataTask, didReceive: data)
        }
        urlSession(session.urlSession, dataTask: dataTask, didReceive: data)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, dataTask: dataTask, willCacheResponse: proposedResponse,
                completionHandler: completionHandler)
        }
        urlSession(
            session.urlSession, dataTask: dataTask, willCacheResponse: proposedResponse,
            completionHandler: completionHandler)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, downloadTask: downloadTask, didFinishDownloadingTo: location)
        }
        urlSession(session.urlSession, downloadTask: downloadTask, didFinishDownloadingTo: location)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, downloadTask: downloadTask, didWriteData: bytesWritten,
                totalBytesWritten: totalBytesWritten,
                totalBytesExpectedToWrite: totalBytesExpectedToWrite)
        }
        urlSession(
            session.urlSession, downloadTask: downloadTask, didWriteData: bytesWritten,
            totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didResumeAtOffset fileOffset: Int64, expectedTotalBytes: Int64
    ) {
        guard isSubclass else {
            return byDefault(
                session.urlSession, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
                expectedTotalBytes: expectedTotalBytes)
        }
        urlSession(
            session.urlSession, downloadTask: downloadTask, didResumeAtOffset: fileOffset,
            expectedTotalBytes: expectedTotalBytes)
    }
}
