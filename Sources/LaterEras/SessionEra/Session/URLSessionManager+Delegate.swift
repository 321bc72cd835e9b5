package import CurlConnection
package import Foundation
public import FoundationNetworking
package import HTTPSemantics
package import OperationNetworking
package import SessionTasks

/// The delegate of the session that `session` shows; nobody calls it by Foundation's methods.
extension URLSessionManager: URLSessionDelegate {}

// What the session tells, passed to each task's delegate and to the caller's blocks (UM-08).
//
// Call from: the delegate queue, with the exceptions of `TaskSessionDelegate`.
extension URLSessionManager: TaskSessionDelegate {
    // MARK: The session

    package func session(_ session: TaskSession, didBecomeInvalidWithError error: (any Error)?) {
        current.value.blocks.sessionDidBecomeInvalid?(session.urlSession, error)
        guard let shown = session.urlSessionUnlessExiting else { return }
        NotificationCenter.default.post(name: .urlSessionDidInvalidate, object: shown)
    }

    package func session(_ session: TaskSession, refusalOf request: URLRequest) -> (any Error)? {
        refusal(of: request)
    }

    package func session(
        _ session: TaskSession, securityPolicyFor request: URLRequest
    ) -> SecurityPolicy { securityPolicy }

    package func sessionAnswersChallenges(_ session: TaskSession) -> Bool {
        current.value.blocks.sessionChallenge != nil
    }

    package func session(
        _ session: TaskSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        guard let block = current.value.blocks.sessionChallenge else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let (disposition, credential) = block(session.urlSession, challenge)
        completionHandler(disposition, credential)
    }

    /// A question without a block needs no way through this queue.
    package func session(_ session: TaskSession, decides question: TaskQuestion) -> Bool {
        let settings = current
        return switch question {
        case .redirect: settings.value.blocks.willRedirect != nil
        case .challenge:
            settings.value.blocks.challengeHandler != nil
                || settings.value.blocks.sessionChallenge != nil
        case .disposition: settings.value.blocks.didReceiveResponse != nil
        case .cachedResponse: settings.value.blocks.willCacheResponse != nil
        }
    }

    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error {
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        return ServerTrustError.error(trust, url, beneath: error)
    }

    // MARK: A task's own steps

    package func session(_ session: TaskSession, taskDidResume task: SessionTask, isNews: Bool) {
        if isNews { post(.networkingTaskDidResume, task) }
    }

    package func session(_ session: TaskSession, taskDidSuspend task: SessionTask, isNews: Bool) {
        if isNews { post(.networkingTaskDidSuspend, task) }
    }

    /// On main, as AFNetworking posts them.
    private func post(_ name: Notification.Name, _ task: SessionTask) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: name, object: task)
        }
    }

    // MARK: Sending

    package func session(
        _ session: TaskSession, task: SessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        if let block = current.value.blocks.needNewBodyStream {
            guard let stream = block(session.urlSession, task) else {
                // It would be sent as an empty body, and count as success.
                return task.fail(
                    with: URLError(
                        .requestBodyStreamExhausted, url: task.originalRequest?.url,
                        text: "The block for a new body stream gave none."))
            }
            return completionHandler(stream)
        }
        do {
            completionHandler(try task.nextBodyStream())
        } catch {
            // Without a call of the handler nothing is sent; a nil stream would send a part.
            task.fail(with: error)
        }
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        table.delegate(of: task)?.didSend(task)
        current.value.blocks.didSendBodyData?(
            session.urlSession, task, bytesSent, totalBytesSent, totalBytesExpectedToSend)
    }

    // MARK: Decisions

    package func session(
        _ session: TaskSession, task: SessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let block = current.value.blocks.willRedirect else {
            return completionHandler(newRequest)
        }
        completionHandler(block(session.urlSession, task, response, newRequest))
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping ChallengeCompletion
    ) {
        guard let handler = current.value.blocks.challengeHandler else {
            return completionHandler(.performDefaultHandling, nil)
        }
        switch handler(session.urlSession, task, challenge, completionHandler) {
        case .handlerAnswers: break
        case .fail(let error): task.fail(with: error)
        case .use(let credential): completionHandler(.useCredential, credential)
        case .performDefaultHandling: completionHandler(.performDefaultHandling, nil)
        case .cancel: completionHandler(.cancelAuthenticationChallenge, nil)
        case .rejectProtectionSpace: completionHandler(.rejectProtectionSpace, nil)
        }
    }

    // MARK: Receiving

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        table.delegate(of: dataTask)?.begin(response)
        guard let block = current.value.blocks.didReceiveResponse else {
            return completionHandler(.allow)
        }
        completionHandler(block(session.urlSession, dataTask, response))
    }

    package func session(_ session: TaskSession, dataTask: SessionDataTask, didReceive data: Data) {
        let delegate = table.delegate(of: dataTask)
        delegate?.append(data, of: dataTask, within: session.limitOfBodyInMemory)
        delegate?.didReceive(dataTask)
        current.value.blocks.didReceiveData?(session.urlSession, dataTask, data)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        table.delegate(of: downloadTask)?.didReceive(downloadTask)
        current.value.blocks.didWriteData?(
            session.urlSession, downloadTask, bytesWritten, totalBytesWritten,
            totalBytesExpectedToWrite)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask, didResumeAtOffset offset: Int64,
        expectedTotalBytes: Int64
    ) {
        table.delegate(of: downloadTask)?.didReceive(downloadTask)
        current.value.blocks.didResume?(
            session.urlSession, downloadTask, offset, expectedTotalBytes)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        didBecome downloadTask: SessionDownloadTask
    ) {
        if let delegate = table.remove(dataTask)?.worker {
            delegate.becameDownload()
            table.add(downloadTask, delegate)
        }
        current.value.blocks.didBecomeDownload?(session.urlSession, dataTask, downloadTask)
    }

    package func session(
        _ session: TaskSession, dataTask: SessionDataTask,
        willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard let block = current.value.blocks.willCacheResponse else {
            return completionHandler(proposed)
        }
        completionHandler(block(session.urlSession, dataTask, proposed))
    }

    // MARK: Ending

    package func session(
        _ session: TaskSession, task: SessionTask, didFinishCollecting metrics: RequestMetrics
    ) {
        current.value.blocks.didFinishCollecting?(session.urlSession, task, metrics)
    }

    package func session(
        _ session: TaskSession, downloadTask: SessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let settings = current
        // The manager's own block takes precedence (UM-06.8).
        let place = settings.value.blocks.didFinishDownloading?(
            session.urlSession, downloadTask, location)
        table.delegate(of: downloadTask)?.move(location, of: downloadTask, to: place, settings)
    }

    package func session(
        _ session: TaskSession, task: SessionTask, didCompleteWithError error: (any Error)?
    ) {
        // The handler of a task that could not be made was called already.
        guard let entry = table.remove(task) else { return }
        let settings = current
        entry.worker.finish(task, settings, error, keeping: entry.companion, isSilent: false)
        settings.value.blocks.didComplete?(session.urlSession, task, error)
    }
}
