import Foundation
import FoundationNetworking
import Locking

/// Receives the delegate calls of Foundation's session and passes each to its task (UM-08).
///
/// Foundation's session keeps it, and it keeps the task session, until that is invalid (UM-30).
///
/// ## Concurrency
/// Call from: the delegate queue; `needNewBodyStream` from the queue that all sessions share. Lock:
/// one around the session. Calls out on: the same queues.
final class FoundationDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private let table: RawTaskTable
    private let owner = Locked<TaskSession?>(nil)

    init(_ table: RawTaskTable) {
        self.table = table
    }

    func connect(to session: TaskSession) {
        owner.withLock { $0 = session }
    }

    private var tasks: TaskSession? { owner.withLock { $0 } }

    private func of(_ raw: URLSessionTask) -> (TaskSession, SessionTask, FoundationTransfer)? {
        guard let tasks, let transfer = table.transfer(of: raw), let task = transfer.task
        else { return nil }
        return (tasks, task, transfer)
    }

    func cancelTasks() {
        tasks?.tasks.forEach { $0.cancel() }
    }

    // MARK: - Session

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        let last = owner.withLock { owner in
            defer { owner = nil }
            return owner
        }
        last?.toldOfInvalidity(error)
    }

    // MARK: - Sending

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // No code here may wait for `driving`: the holder of that lock may wait for this queue.
        guard let (tasks, task, transfer) = of(raw) else { return completionHandler(nil) }
        SharedQueue.mark {
            tasks.asked(forBodyOf: task, by: transfer) { stream in
                if let stream, BodyStream.isRead(stream) {
                    return task.fail(with: URLError(.requestBodyStreamExhausted))
                }
                completionHandler(stream.map { task.stream.reading($0) })
            }
        }
    }

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        guard let (tasks, task, transfer) = of(raw) else { return }
        tasks.told(
            task, by: transfer, didSend: bytesSent, total: totalBytesSent,
            of: totalBytesExpectedToSend)
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
            tasks?.forwardsCredentialsToOtherOrigins == true
            ? bodiless : RedirectedRequest.stripped(bodiless, from: raw.currentRequest?.url)
        guard let (tasks, task, transfer) = of(raw) else { return completionHandler(next) }
        tasks.asked(aboutRedirectOf: task, by: transfer, response, next, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (
                URLSession.AuthChallengeDisposition, URLCredential?
            ) -> Void
    ) {
        guard let (tasks, task, transfer) = of(raw) else {
            return completionHandler(.performDefaultHandling, nil)
        }
        let answer = ChallengeAnswer(challenge) { answer in
            switch answer {
            case .use(let credential):
                task.decide(transfer) { completionHandler(.useCredential, credential) }
            case .takeRefusal:
                // Foundation never ends a task after default handling. The refusing response is
                // complete.
                tasks.delegateQueue.addOperation {
                    guard task.isPresent(transfer) else { return }
                    tasks.finish(task, nil)
                    task.driving.withLock { transfer.cancel() }
                }
            case .cancel:
                task.cancel()
            }
        }
        tasks.asked(aboutChallengeOf: task, by: transfer, challenge, answer.give)
    }

    // MARK: - Receiving

    func urlSession(
        _ session: URLSession, dataTask raw: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)  // Foundation ignores it (LX-03).
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard !(100..<200).contains(status), let (tasks, task, transfer) = of(raw) else { return }
        let expected = raw.countOfBytesExpectedToReceive
        tasks.told(task, by: transfer, didReceive: response, expecting: expected) { disposition in
            switch disposition {
            case .allow: break
            case .cancel: task.cancel()
            default: task.fail(with: SessionError.cannotBecomeDownload)
            }
        }
    }

    func urlSession(_ session: URLSession, dataTask raw: URLSessionDataTask, didReceive data: Data)
    {
        guard let (tasks, task, transfer) = of(raw) else { return }
        tasks.told(task, by: transfer, didReceive: data)
    }

    // MARK: - Ending

    func urlSession(
        _ session: URLSession, task raw: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let transfer = table.end(raw), let task = transfer.task else { return }
        transfer.forgetTask()
        tasks?.told(task, by: transfer, didCompleteWith: error)
    }
}
