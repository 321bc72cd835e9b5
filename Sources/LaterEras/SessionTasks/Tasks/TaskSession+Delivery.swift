import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// What loads bring: counts, the download's file, and the handler's call. A task whose end has begun gets its metrics
// and its end alone.
//
// Call from: the delegate queue.
extension TaskSession {
    /// Who is called about a task.
    private func handler(of task: SessionTask) -> (any TaskHandler)? {
        task.handler ?? lastDelegate
    }

    func call(_ task: SessionTask, _ event: TaskEvent) {
        handler(of: task)?.handle(event, of: task, in: self)
    }

    // MARK: - Events

    func deliver(_ event: TaskEvent, to task: SessionTask) {
        switch event {
        case .metrics(let metrics):
            return EventRecorder.span(
                .delegateCall, subject: task.number, text: Text.didFinishCollecting
            ) { call(task, .metrics(task.note(metrics))) }
        case .ended(let error):
            return EventRecorder.span(
                .delegateCall, subject: task.number, text: Text.didComplete
            ) { finish(task, error) }
        default: break
        }
        guard task.isPresent else { return }
        switch event {
        case .sent(let bytes, let total, let expected): sent(task, bytes, total, expected)
        case .response(let response):
            EventRecorder.span(
                .delegateCall, subject: task.number, value: response.status,
                text: Text.didReceiveResponse
            ) {
                if begin(task, response), !(task is SessionDownloadTask) { call(task, event) }
            }
        case .data(let data): received(task, data)
        // A download's own come from here.
        case .resumed, .wrote, .becameDownload, .file, .metrics, .ended: break
        }
    }

    private func sent(_ task: SessionTask, _ bytes: Int64, _ total: Int64, _ said: Int64) {
        EventRecorder.span(
            .delegateCall, subject: task.number, value: bytes, text: Text.didSendBodyData
        ) {
            let expected = task.expectedBodyLength(said: said)
            task.noteSent(total, of: expected)
            task.progress.set(.upload, total, of: expected)
            tellObserver(of: task) { $0.request($1, didSendBodyBytes: bytes) }
            call(task, .sent(bytes, total: total, of: expected))
        }
    }

    /// Notes a response.
    ///
    /// - Returns: false where the task fails by it.
    private func begin(_ task: SessionTask, _ response: URLResponse) -> Bool {
        let offset: Int64
        do {
            offset = try task.file?.begin(response) ?? 0
        } catch {
            task.fail(with: error)
            return false
        }
        task.note(response, from: offset, response.expectedContentLength)
        tellObserver(of: task) { $0.request($1, didReceive: response) }
        if offset > 0 {
            let total = task.countOfBytesExpectedToReceive
            task.progress.set(.download, offset, of: total)
            call(task, .resumed(at: offset, of: total))
        }
        return true
    }

    private func received(_ task: SessionTask, _ data: Data) {
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
            call(
                task,
                task is SessionDownloadTask
                    ? .wrote(count, total: counts.received, of: counts.toReceive) : .data(data))
        }
    }

    // MARK: - Questions

    /// Asks the handler. Nobody answers for a task whose end has begun.
    func ask(_ question: TaskQuestion, of task: SessionTask) {
        guard task.isPresent else {
            // What was loaded is kept all the same.
            if case .store(let proposed, let answer) = question { answer(proposed) }
            return
        }
        let (text, status) = question.recorded
        EventRecorder.span(.delegateCall, subject: task.number, value: status, text: text) {
            if case .disposition(let response, _) = question, !begin(task, response) { return }
            guard let handler = handler(of: task) else {
                return question.answerByDefault(for: task)
            }
            handler.handle(question.answeredOnce(for: task, in: self), of: task, in: self)
        }
    }

    func refusal(ofRedirectTo request: URLRequest) -> (any Error)? {
        delegate?.session(self, refusalOf: request)
    }

    // MARK: - Ending

    /// No task is left, and none is made any more.
    func deliverInvalidity() {
        EventRecorder.span(.delegateCall, text: Text.didBecomeInvalid) {
            delegate?.sessionDidBecomeInvalid(self)
            delegateQueue.addOperation { self.releaseDelegate() }
        }
    }
}

extension URLResponse {
    fileprivate var status: Int64 { Int64((self as? HTTPURLResponse)?.statusCode ?? 0) }
}

extension TaskQuestion {
    fileprivate var recorded: (text: EventText, value: Int64) {
        switch self {
        case .redirect(let response, _, _): (Text.willRedirect, Int64(response.statusCode))
        case .challenge: (Text.didReceiveChallenge, 0)
        case .body: (Text.needNewBodyStream, 0)
        case .disposition(let response, _):
            (Text.didReceiveResponse, response.status)
        case .store: (Text.willCacheResponse, 0)
        }
    }

    /// The same, of whose answers the first counts, if the end of the task has not begun then.
    fileprivate func answeredOnce(for task: SessionTask, in session: TaskSession) -> TaskQuestion {
        switch self {
        case .redirect(let response, let request, let answer):
            let once = Once { (chosen: URLRequest?) in
                if let chosen, let refusal = session.refusal(ofRedirectTo: chosen) {
                    task.fail(with: refusal)
                } else if task.isPresent {
                    answer(chosen)
                }
            }
            return .redirect(response, request) { once.call($0) }
        case .challenge(let challenge, let answer):
            let once = Once { (given: (URLSession.AuthChallengeDisposition, URLCredential?)) in
                answer(given.0, given.1)
            }
            return .challenge(challenge) { once.call(($0, $1)) }
        case .body(let answer):
            let once = Once { (stream: InputStream?) in
                if task.isPresent { answer(stream) }
            }
            return .body { once.call($0) }
        case .disposition(let response, let answer):
            let once = Once(answer)
            return .disposition(response) { once.call($0) }
        case .store(let proposed, let answer):
            let once = Once(answer)
            return .store(proposed) { once.call($0) }
        }
    }
}
