import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// What loads bring: counts, the download's file, and the delegate's call. A task whose end has begun gets none.
//
// Call from: the delegate queue.
extension TaskSession {
    // MARK: - Sending

    func told(
        _ task: SessionTask, didSend bytes: Int64, total: Int64,
        of expected: Int64
    ) {
        guard task.isPresent else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: bytes, text: Text.didSendBodyData
        ) {
            let expected = task.expectedBodyLength(said: expected)
            task.noteSent(total, of: expected)
            task.progress.set(.upload, total, of: expected)
            tellObserver(of: task) { $0.request($1, didSendBodyBytes: bytes) }
            delegate?.session(
                self, task: task, didSendBodyData: bytes, totalBytesSent: total,
                totalBytesExpectedToSend: expected)
        }
    }

    /// - Parameter answer: called with the stream, unless the end of the task has begun.
    func asked(
        forBodyOf task: SessionTask, _ answer: @escaping @Sendable (InputStream?) -> Void
    ) {
        guard task.isPresent else { return }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.needNewBodyStream) {
            let once = Once { (stream: InputStream?) in
                // A task whose end has begun sends nothing.
                if task.isPresent { answer(stream) }
            }
            delegate?.session(self, task: task, needNewBodyStream: { once.call($0) })
        }
    }

    // MARK: - Decisions

    func asked(
        aboutRedirectOf task: SessionTask, _ response: HTTPURLResponse, _ request: URLRequest,
        _ answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard task.isPresent else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(response.statusCode),
            text: Text.willRedirect
        ) {
            let once = Once { (chosen: URLRequest?) in
                if let chosen, let refusal = self.refusal(ofRedirectTo: chosen, for: task) {
                    task.fail(with: refusal)
                } else {
                    if task.isPresent { answer(chosen) }
                }
            }
            delegate?.session(
                self, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: { once.call($0) })
        }
    }

    func refusal(ofRedirectTo request: URLRequest, for task: SessionTask) -> (any Error)? {
        delegate?.session(self, refusalOf: request)
    }

    /// - Parameter answer: called with the disposition, once.
    func asked(
        aboutChallengeOf task: SessionTask, _ challenge: URLAuthenticationChallenge,
        _ answer: @escaping ChallengeCompletion
    ) {
        guard task.isPresent else { return }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.didReceiveChallenge) {
            let once = Once { (given: (URLSession.AuthChallengeDisposition, URLCredential?)) in
                answer(given.0, given.1)
            }
            let completion: ChallengeCompletion = { once.call(($0, $1)) }
            guard let delegate else { return completion(.performDefaultHandling, nil) }
            if challenge.isForSession, delegate.sessionAnswersChallenges(self) {
                delegate.session(self, didReceive: challenge, completionHandler: completion)
            } else {
                delegate.session(
                    self, task: task, didReceive: challenge, completionHandler: completion)
            }
        }
    }

    // MARK: - Receiving

    /// - Parameters:
    ///   - expected: the bytes of the body; -1 where that is unknown.
    ///   - answer: called with the disposition, once; not for a download.
    func told(
        _ task: SessionTask, didReceive response: URLResponse,
        expecting expected: Int64,
        _ answer: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        guard task.isPresent else { return }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(status), text: Text.didReceiveResponse
        ) {
            let offset: Int64
            do {
                offset = try task.file?.begin(response) ?? 0
            } catch {
                return task.fail(with: error)
            }
            task.note(response, from: offset, expected)
            tellObserver(of: task) { $0.request($1, didReceive: response) }
            if let download = task as? SessionDownloadTask {
                noteResumption(of: download, at: offset)
            } else if let data = task as? SessionDataTask {
                let once = Once { (disposition: URLSession.ResponseDisposition) in
                    answer(disposition)
                }
                delegate?.session(
                    self, dataTask: data, didReceive: response,
                    completionHandler: { once.call($0) })
            }
        }
    }

    private func noteResumption(of task: SessionDownloadTask, at offset: Int64) {
        guard offset > 0 else { return }
        let total = task.countOfBytesExpectedToReceive
        task.progress.set(.download, offset, of: total)
        delegate?.session(
            self, downloadTask: task, didResumeAtOffset: offset, expectedTotalBytes: total)
    }

    func told(_ task: SessionTask, didReceive data: Data) {
        guard task.isPresent else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(data.count), text: Text.didReceiveData
        ) {
            let count: Int64
            do {
                count = try task.file?.append(data) ?? Int64(data.count)
            } catch {
                return task.fail(with: error)
            }
            let counts = task.noteReceived(count)
            tellObserver(of: task) { $0.request($1, didReceiveBytes: count) }
            task.progress.set(.download, counts.received, of: counts.toReceive)
            if let download = task as? SessionDownloadTask {
                delegate?.session(
                    self, downloadTask: download, didWriteData: count,
                    totalBytesWritten: counts.received,
                    totalBytesExpectedToWrite: counts.toReceive)
            } else if let task = task as? SessionDataTask {
                delegate?.session(self, dataTask: task, didReceive: data)
            }
        }
    }

    func asked(
        aboutCachingFor task: SessionTask, _ proposed: CachedURLResponse,
        _ answer: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        guard task.isPresent, let data = task as? SessionDataTask, let delegate else {
            return answer(proposed)
        }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.willCacheResponse) {
            let once = Once(answer)
            delegate.session(
                self, dataTask: data, willCacheResponse: proposed,
                completionHandler: { once.call($0) })
        }
    }

    // MARK: - Ending

    func told(_ task: SessionTask, didFinishCollecting metrics: RequestMetrics) {
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.didFinishCollecting) {
            let metrics = task.note(metrics)
            delegate?.session(self, task: task, didFinishCollecting: metrics)
        }
    }

    func told(
        _ task: SessionTask, didCompleteWith error: (any Error)?
    ) {
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.didComplete) {
            finish(task, error)
        }
    }

    /// No task is left, and none is made any more.
    func toldOfInvalidity(_ error: (any Error)?) {
        EventRecorder.span(.delegateCall, text: Text.didBecomeInvalid) {
            let delegate = delegate
            delegate?.session(self, didBecomeInvalidWithError: error)
            delegateQueue.addOperation { self.releaseDelegate() }
        }
    }
}

extension URLAuthenticationChallenge {
    /// Whether URLSession asks the session before the task.
    fileprivate var isForSession: Bool {
        if protectionSpace.peerTrust != nil || protectionSpace is ClientCertificateSpace {
            return true
        }
        return [NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodNTLM]
            .contains(protectionSpace.authenticationMethod)
    }
}
