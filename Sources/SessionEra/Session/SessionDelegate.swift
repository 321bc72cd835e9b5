import EventRecorder
import Foundation
import FoundationNetworking

/// Receives the delegate calls of a `URLSession` and passes each to its task (UM-08).
///
/// The session keeps it, and it keeps the manager, until the session is invalid (UM-30).
///
/// ## Concurrency
/// Call from: the delegate queue; `needNewBodyStream` from the queue that all sessions share. Lock:
/// none. Calls out on: the same queues (blocks).
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let manager: URLSessionManager

    init(_ manager: URLSessionManager) {
        self.manager = manager
    }

    private var blocks: SessionBlocks { manager.current.blocks }

    /// The running task; nil when it is suspended or cancelled.
    private func task(of raw: URLSessionTask, in session: URLSession) -> SessionTask? {
        guard let task = manager.table.task(of: raw, in: session), task.isRunning(raw) else {
            return nil
        }
        return task
    }

    // MARK: - Session

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        EventRecorder.span(.delegateCall, text: Text.didBecomeInvalid) {
            // A task that was suspended while it ran has no session any more.
            for task in tasks(of: session) { task.end(with: SessionError.sessionInvalidated) }
            blocks.sessionDidBecomeInvalid?(session, error)
            NotificationCenter.default.post(name: .urlSessionDidInvalidate, object: session)
        }
    }

    func cancelTasks(of session: URLSession) {
        for task in tasks(of: session) { task.cancel() }
    }

    private func tasks(of session: URLSession) -> [SessionTask] {
        manager.table.tasks.filter { $0.belongs(to: session) }
    }

    // MARK: - Sending

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // No code here may wait for `driving`: the holder of that lock may wait for this queue.
        guard let task = manager.table.task(of: raw, in: session) else {
            return completionHandler(nil)
        }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.needNewBodyStream) {
            if let block = blocks.needNewBodyStream {
                let stream = SharedQueue.mark { block(session, task) }
                // A task that was ended or suspended meanwhile sends nothing.
                guard task.isRunning(raw) else { return }
                return completionHandler(stream.map { task.stream.reading($0) })
            }
            do {
                completionHandler(try task.stream.next())
            } catch {
                // Without a call of the handler nothing is sent; a nil stream would send a part.
                DispatchQueue.global().async { task.end(with: error) }
            }
        }
    }

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let task = task(of: raw, in: session) else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: bytesSent, text: Text.didSendBodyData
        ) {
            let total = task.expectedBodyLength(said: totalBytesExpectedToSend)
            task.noteSent(totalBytesSent, of: total)
            task.delegate.progress.sent(totalBytesSent, of: total, by: task)
            blocks.didSendBodyData?(session, task, bytesSent, totalBytesSent, total)
        }
    }

    // MARK: - Decisions

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        let isOtherMethod = request.httpMethod != raw.currentRequest?.httpMethod
        let bodiless = BodyFraming.withoutBody(request, isOtherMethod: isOtherMethod)
        let next =
            manager.forwardsCredentialsToOtherOrigins
            ? bodiless : RedirectedRequest.stripped(bodiless, from: raw.currentRequest?.url)
        guard let task = manager.table.task(of: raw, in: session) else {
            return completionHandler(next)
        }
        guard task.isRunning(raw) else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(response.statusCode),
            text: Text.willRedirect
        ) {
            let block = blocks.willRedirect
            let chosen = block.map { $0(session, task, response, next) } ?? next
            if let chosen, let refusal = refusal(of: chosen, for: task) {
                task.end(with: refusal)
            } else {
                task.decide(raw) { completionHandler(chosen) }
            }
        }
    }

    private func refusal(of request: URLRequest, for task: SessionTask) -> SessionError? {
        RedirectedRequest.losesBody(request, of: task.source)
            ? .bodyLostInRedirect : manager.refusal(of: request)
    }

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        guard let task = manager.table.task(of: raw, in: session) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        guard task.isRunning(raw) else { return }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.didReceiveChallenge) {
            let answer = ChallengeAnswer(challenge) { [manager] answer in
                switch answer {
                case .use(let credential):
                    task.decide(raw) { completionHandler(.useCredential, credential) }
                case .takeRefusal:
                    // Foundation never ends a task after default handling. The refusing response
                    // is complete.
                    manager.operationQueue.addOperation {
                        guard task.isRunning(raw) else { return }
                        manager.finish(task, nil)
                        task.driving.withLock { SessionTask.stop(raw) }
                    }
                case .cancel:
                    task.cancel()
                }
            }
            guard let handler = blocks.challengeHandler else {
                return answer.give(.performDefaultHandling, nil)
            }
            switch handler(session, task, challenge, answer.give) {
            case .handlerAnswers: break
            case .fail(let error): task.end(with: error)
            case .use(let credential): answer.give(.useCredential, credential)
            case .performDefaultHandling: answer.give(.performDefaultHandling, nil)
            case .cancel: answer.give(.cancelAuthenticationChallenge, nil)
            case .rejectProtectionSpace: answer.give(.rejectProtectionSpace, nil)
            }
        }
    }

    // MARK: - Receiving

    func urlSession(
        _ session: URLSession, dataTask raw: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)  // Foundation ignores it (LX-03).
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard !(100..<200).contains(status), let task = task(of: raw, in: session) else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(status),
            text: Text.didReceiveResponse
        ) {
            do {
                let offset = try task.delegate.begin(response)
                task.note(response, from: offset, raw.countOfBytesExpectedToReceive)
                if offset > 0, let task = task as? SessionDownloadTask {
                    let total = task.countOfBytesExpectedToReceive
                    task.delegate.progress.received(offset, of: total, by: task)
                    blocks.didResume?(session, task, offset, total)
                }
            } catch {
                return task.end(with: error)
            }
            guard let block = blocks.didReceiveResponse, let task = task as? SessionDataTask
            else { return }
            switch block(session, task, response) {
            case .allow: break
            case .cancel: task.cancel()
            default: task.end(with: SessionError.cannotBecomeDownload)
            }
        }
    }

    func urlSession(_ session: URLSession, dataTask raw: URLSessionDataTask, didReceive data: Data)
    {
        guard let task = task(of: raw, in: session) else { return }
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(data.count),
            text: Text.didReceiveData
        ) {
            let count: Int64
            do {
                count = try task.delegate.append(data)
            } catch {
                return task.end(with: error)
            }
            let counts = task.noteReceived(count)
            task.delegate.progress.received(counts.received, of: counts.toReceive, by: task)
            if let task = task as? SessionDownloadTask {
                blocks.didWriteData?(session, task, count, counts.received, counts.toReceive)
            } else if let task = task as? SessionDataTask {
                blocks.didReceiveData?(session, task, data)
            }
        }
    }

    // MARK: - Ending

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let task = manager.table.end(raw, of: session), task.noteEnd(of: raw) else { return }
        EventRecorder.span(.delegateCall, subject: task.number, text: Text.didComplete) {
            manager.finish(task, error)
        }
    }
}
