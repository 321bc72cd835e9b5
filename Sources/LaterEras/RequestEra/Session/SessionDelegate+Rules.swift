package import CurlConnection
package import Foundation
package import FoundationNetworking
import OperationNetworking
package import SessionTasks

// What counts for all tasks of a session. It handles the events of the tasks that a program had it
// forget.
extension SessionDelegate: TaskSessionDelegate {
    package func sessionDidBecomeInvalid(_ session: TaskSession) {
        if isSubclass {
            urlSession(session.urlSession, didBecomeInvalidWithError: nil)
        } else {
            sessionDidBecomeInvalidWithError?(session.urlSession, nil)
        }
    }

    package func session(
        _ session: TaskSession, trustFor request: URLRequest
    ) -> ServerTrustRequirements {
        policies?.requirements(for: request) ?? ServerTrustRequirements()
    }

    package func session(
        _ session: TaskSession, asks question: TaskInterest, about trust: ServerTrust?
    ) -> Bool {
        guard question == .challenge else { return handles(question) }
        // A request's credential may be set a moment after its task has begun.
        guard let trust else { return true }
        return handles(.challenge)
            || policies?.serverTrustPolicy(forHost: trust.host)?.isDecidedByClosure == true
    }

    /// A server that the policy of its host refuses cancels the task, as in the original. Where
    /// there is no policy, or a closure about challenges left the server to the system, the error
    /// is the system's: one number, whatever is wrong with the certificate.
    package func session(
        _ session: TaskSession, errorFor trust: ServerTrust, refusedWith error: URLError
    ) -> any Error {
        guard policies?.serverTrustPolicy(forHost: trust.host) != nil,
            !answersChallenges
        else {
            var info = error.errorUserInfo
            info[NSUnderlyingErrorKey] = error
            return URLError(.serverCertificateUntrusted, described: info)
        }
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let text = "The policy of \(trust.host) refuses the server. " + error.localizedDescription
        return URLError(.cancelled, url: url, text: text, underlying: error)
    }

    package func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        if case .becameDownload(let download) = event { replace(task, by: download) }
        if case .ended = event, hasOthersRequest(task) { task.handler = nil }
        let isForgotten = task.handler == nil
        if isSubclass {
            callMethod(about: event, of: task, session.urlSession)
        } else {
            carryOut(event, of: task, session.urlSession)
        }
        if isForgotten, case .ended(let error) = event { endForgotten(task, error) }
    }

    package func handle(_ question: TaskQuestion, of task: SessionTask, in session: TaskSession) {
        var question = question
        if case .body(let answer) = question {
            question = .body { stream in
                // Without one an empty body would be sent, and count as success.
                stream.map(answer) ?? task.fail(with: BodyOnce.usedUp)
            }
        }
        if isSubclass {
            callMethod(about: question, of: task, session.urlSession)
        } else {
            answer(question, of: task, session.urlSession)
        }
    }

    // MARK: - Methods that a subclass may have overridden

    private func callMethod(about event: TaskEvent, of task: SessionTask, _ session: URLSession) {
        switch event {
        case .sent(let bytes, let total, let expected):
            urlSession(
                session, task: task, didSendBodyData: bytes, totalBytesSent: total,
                totalBytesExpectedToSend: expected)
        case .metrics(let metrics):
            urlSession(session, task: task, didFinishCollecting: metrics)
        case .ended(let error): urlSession(session, task: task, didCompleteWithError: error)
        case .response, .data, .becameDownload:
            guard let task = task as? SessionDataTask else { return }
            if case .data(let data) = event {
                urlSession(session, dataTask: task, didReceive: data)
            } else if case .becameDownload(let download) = event {
                urlSession(session, dataTask: task, didBecome: download)
            }
        case .resumed, .wrote, .file:
            guard let task = task as? SessionDownloadTask else { return }
            if case .wrote(let bytes, let total, let expected) = event {
                urlSession(
                    session, downloadTask: task, didWriteData: bytes, totalBytesWritten: total,
                    totalBytesExpectedToWrite: expected)
            } else if case .resumed(let offset, let expected) = event {
                urlSession(
                    session, downloadTask: task, didResumeAtOffset: offset,
                    expectedTotalBytes: expected)
            } else if case .file(let file) = event {
                urlSession(session, downloadTask: task, didFinishDownloadingTo: file)
            }
        }
    }

    private func callMethod(
        about question: TaskQuestion, of task: SessionTask, _ session: URLSession
    ) {
        switch question {
        case .redirect(let response, let request, let answer):
            urlSession(
                session, task: task, willPerformHTTPRedirection: response, newRequest: request,
                completionHandler: answer)
        case .challenge(let challenge, let answer):
            if challenge.isForSession, answersSessionChallenges {
                urlSession(session, didReceive: challenge, completionHandler: answer)
            } else {
                urlSession(session, task: task, didReceive: challenge, completionHandler: answer)
            }
        case .body(let answer): urlSession(session, task: task, needNewBodyStream: answer)
        case .disposition(let response, let answer):
            guard let task = task as? SessionDataTask else { return answer(.allow) }
            urlSession(session, dataTask: task, didReceive: response, completionHandler: answer)
        case .store(let proposed, let answer):
            guard let task = task as? SessionDataTask else { return answer(proposed) }
            urlSession(
                session, dataTask: task, willCacheResponse: proposed, completionHandler: answer)
        }
    }
}
