import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

// What loads bring: counts, the download's file, and the handler's call. The handler of a task whose end has begun is
// called about its metrics and its end alone.
//
// Call from: the delegate queue.
extension TaskSession {
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
            EventRecorder.span(
                .delegateCall, subject: task.number, text: TaskText.didFinishCollecting
            ) { call(task, .metrics(task.note(metrics))) }
        case .ended(let error):
            EventRecorder.span(
                .delegateCall, subject: task.number, text: TaskText.didComplete
            ) { finish(task, error) }
        case .sent(let bytes, let total, let expected) where task.isLive:
            sent(task, bytes, total, expected)
        case .response(let response) where task.isLive:
            EventRecorder.span(
                .delegateCall, subject: task.number, value: response.status,
                text: TaskText.didReceiveResponse
            ) {
                if begin(task, response), !(task is SessionDownloadTask) { call(task, event) }
            }
        case .data(let data) where task.isLive: received(task, data)
        case .sent, .response, .data: break
        // These begin here, not at a load.
        case .resumed, .wrote, .becameDownload, .file: break
        }
    }

    private func sent(_ task: SessionTask, _ bytes: Int64, _ total: Int64, _ reported: Int64) {
        EventRecorder.span(
            .delegateCall, subject: task.number, value: bytes, text: TaskText.didSendBodyData
        ) {
            // `URLConnection` reports 0 for an unknown length.
            let expected = reported > 0 ? reported : task.declaredBodyLength
            task.noteSent(total, of: expected).send()
            notifyObserver(of: task) { $0.request($1, didSendBodyBytes: bytes) }
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
        task.note(response, from: offset)
        notifyObserver(of: task) { $0.request($1, didReceive: response) }
        if offset > 0 {
            let notice = task.noteReceived(0)
            notice.send()
            call(task, .resumed(at: offset, of: notice.progress.total))
        }
        return true
    }

    private func received(_ task: SessionTask, _ data: Data) {
        EventRecorder.span(
            .delegateCall, subject: task.number, value: Int64(data.count),
            text: TaskText.didReceiveData
        ) {
            let count: Int64
            do {
                count = try task.file?.append(data) ?? Int64(data.count)
            } catch {
                return task.fail(with: error)
            }
            // An error's body is no part of a download that is continued.
            guard count == data.count else { return }
            let notice = task.noteReceived(count)
            notifyObserver(of: task) { $0.request($1, didReceiveBytes: count) }
            notice.send()
            let (total, expected) = (notice.progress.count, notice.progress.total)
            call(
                task,
                task is SessionDownloadTask
                    ? .wrote(count, total: total, of: expected) : .data(data))
        }
    }

    // MARK: - Questions

    /// Asks the handler; not of a task whose end has begun, since its load is stopped.
    func ask(_ question: TaskQuestion, of task: SessionTask) {
        guard task.isLive else {
            // The response was complete, so it is stored.
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

    /// Call where no task is left, and none is made any more.
    func deliverInvalidity() {
        EventRecorder.span(.delegateCall, text: TaskText.didBecomeInvalid) {
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
        case .redirect(let response, _, _): (TaskText.willRedirect, Int64(response.statusCode))
        case .challenge: (TaskText.didReceiveChallenge, 0)
        case .body: (TaskText.needNewBodyStream, 0)
        case .disposition(let response, _):
            (TaskText.didReceiveResponse, response.status)
        case .store: (TaskText.willCacheResponse, 0)
        }
    }

    /// The question with a closure of which only the first call counts. A redirect or a body that is chosen after the
    /// task's end has begun is dropped.
    fileprivate func answeredOnce(for task: SessionTask, in session: TaskSession) -> TaskQuestion {
        let isOpen = Locked(true)
        let once = { @Sendable (_ answer: () -> Void) in
            let isFirst = isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
            if isFirst { answer() }
        }
        switch self {
        case .redirect(let response, let request, let answer):
            return .redirect(response, request) { chosen in
                once {
                    if let chosen, let refusal = session.refusal(ofRedirectTo: chosen) {
                        task.fail(with: refusal)
                    } else if task.isLive {
                        answer(chosen)
                    }
                }
            }
        case .challenge(let challenge, let answer):
            return .challenge(challenge) { choice, credential in
                once { answer(choice, credential) }
            }
        case .body(let answer):
            return .body { stream in once { if task.isLive { answer(stream) } } }
        case .disposition(let response, let answer):
            return .disposition(response) { choice in once { answer(choice) } }
        case .store(let proposed, let answer):
            return .store(proposed) { stored in once { answer(stored) } }
        }
    }
}

// MARK: - The observer of a manager

extension TaskSession {
    /// Call before the task is listed.
    func notifyObserver(ofMaking task: SessionTask) {
        options.withLock { $0.observedManager }?.notifyMade(task.observed)
    }

    func notifyObserver(
        of task: SessionTask,
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        options.withLock { $0.observedManager }?.notify(task.observed, call)
    }

    func notifyObserver(ofEndOf task: SessionTask, _ error: (any Error)?) {
        guard let manager = options.withLock({ $0.observedManager }) else { return }
        let metrics = task.metrics
        manager.notify(task.observed) { $0.request($1, didEndWith: error, metrics: metrics) }
    }
}

extension SessionTask {
    /// The length of the body that the request declares; -1 where it declares none.
    fileprivate var declaredBodyLength: Int64 {
        source.request.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init) ?? -1
    }

    fileprivate var observed: ObservedRequest {
        ObservedRequest(id: number, urlRequest: source.request, response: response)
    }
}

// MARK: - A data task that becomes a download

extension TaskSession {
    /// Replaces a data task by a download, which gets its load. From any thread.
    ///
    /// It does so in one call on the delegate queue, so that each event of the load is for the one or
    /// the other. Methods of the data task then act on the download. For an observer the data task ends here.
    ///
    /// - Parameter completion: called after the handler.
    func becomeDownload(
        _ task: SessionTask, of transfer: ConnectionTransfer, _ response: URLResponse,
        _ completion: @escaping @Sendable () -> Void
    ) {
        delegateQueue.addOperation {
            let file = DownloadFile()
            _ = file.begin(task.currentRequest ?? task.source.request)
            let download = SessionDownloadTask(
                .download(task.source.request), .ready(transfer, self), file, task.stream)
            download.handler = task.handler
            guard task.becomes(download) else { return }
            EventRecorder.begin(.sessionTask, subject: download.number, text: download.eventText)
            self.notifyObserver(ofMaking: download)
            self.list(download)
            transfer.attach(to: download)
            self.unlist(task)
            // The data task may have been resumed or suspended just before.
            transfer.follow()
            do {
                download.note(response, from: try file.begin(response))
            } catch {
                download.fail(with: error)
            }
            task.noteEnd(nil)
            self.notifyObserver(ofEndOf: task, nil)
            self.notifyObserver(of: download) { $0.requestDidStart($1) }
            self.notifyObserver(of: download) { $0.request($1, didReceive: response) }
            self.call(task, .becameDownload(download))
            task.handler = nil
            completion()
        }
    }
}

extension SessionTask {
    /// Ends a data task, whose load goes to a download that is suspended as often.
    ///
    /// - Returns: false when its end has begun.
    fileprivate func becomes(_ download: SessionDownloadTask) -> Bool {
        values.withLock { values in
            guard let state = values.state.becomes(download) else { return false }
            values.releaseLoad()
            let queued = values.queued
            // Under this lock too: no other code has the download yet.
            download.values.withLock { values in
                values.state = state
                values.queued = queued
            }
            return true
        }
    }
}
