import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling
import SessionTasks

// The list of requests, the end of an attempt, the call of the retrier, and the one end of a request.
extension SessionDelegate: RequestHome {
    // MARK: - The requests that have not ended

    /// Retains a request until it has ended.
    func list(_ request: Request) {
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = request }
    }

    func unlist(_ request: Request) {
        // The caller retains it, so it is not released under the lock.
        state.withLock { $0.unfinished[ObjectIdentifier(request)] = nil }
    }

    /// Cancels requests that wait; call it where the manager is released. The session cancels its
    /// tasks.
    func cancelAll() {
        for request in Array(state.withLock({ $0.unfinished }).values) {
            let error = URLError(.cancelled, url: request.request?.url)
            if request.state.change({ $0.endWithManager(error) }).result {
                finishSoon(request)
            } else {
                // A task that could not be made is not in the session's list.
                request.task?.cancel()
            }
        }
    }

    // MARK: - The end of an attempt

    /// Validates what an attempt got, and asks the retrier or ends the request; on the delegate
    /// queue.
    func evaluate(_ request: Request) {
        request.runValidations()
        let error = request.delegate.error
        let (retrier, manager) = state.withLock { ($0.retrier, $0.manager) }
        guard let error, let retrier, let manager else { return finish(request) }
        ask(retrier, of: manager, about: request, error)
    }

    // MARK: - Retrying

    func ask(
        _ retrier: any RequestRetrier, of manager: SessionManager, about request: Request,
        _ error: any Error
    ) {
        guard let question = request.state.withLock({ $0.ask() }) else { return }
        callRetrier(question, retrier, of: manager, about: request, error)
    }

    /// Calls the retrier, unless the request has ended meanwhile.
    func callRetrier(
        _ question: Int, _ retrier: any RequestRetrier, of manager: SessionManager,
        about request: Request, _ error: any Error
    ) {
        guard request.state.withLock({ $0.phase == .asked(question) }) else { return }
        EventRecorder.span(.callback, subject: request.number, text: RequestText.retrier) {
            // The delegate retains a request that has not ended.
            retrier.should(manager, retry: request, with: error) {
                [weak manager, weak request] isYes, delay in
                guard let request else { return }
                self.handle(isYes, delay, to: question, about: request, manager)
            }
        }
    }

    /// Takes the retrier's answer, from any thread.
    private func handle(
        _ isYes: Bool, _ delay: TimeInterval, to question: Int, about request: Request,
        _ manager: SessionManager?
    ) {
        let starts = manager?.startRequestsImmediately ?? true
        let answer = request.state.withLock {
            $0.answer(question, isYes && manager != nil, startsByItself: starts)
        }
        switch answer {
        case .waits:
            note(RequestText.retries, request)
            (manager?.clock ?? .system).wakeUp(after: delay) { [weak manager, weak request] in
                // Not on this thread, since the retry may wait, and the clock's queue has other
                // alarms.
                WorkerPool.utility.enqueue([
                    { [weak manager, weak request] in
                        // A manager that was released has ended the request.
                        guard let manager, let request else { return }
                        self.retry(request, after: question, manager)
                    }
                ])
            }
        case .ends:
            note(RequestText.doesNotRetry, request)
            finishSoon(request)
        case .waitsForResume: note(RequestText.doesNotRetry, request)
        case .ignored: note(RequestText.answerIgnored, request)
        }
    }

    /// Makes the next attempt; on a utility queue.
    private func retry(_ request: Request, after question: Int, _ manager: SessionManager) {
        do {
            let (last, part) = request.state.withLock { ($0.task, $0.resumeData) }
            guard let source = request.source?.next(after: last, part) else {
                throw URLError(.badURL)
            }
            var begun: (result: Bool?, before: RequestState)?
            let task = try manager.makeTask(
                source, for: request.number, isAgain: last != nil
            ) { task in
                // All of it before other code has the task, which may end at once.
                self[task] = request
                begun = request.state.change { $0.begin(task, after: question) }
                return task.handler
            }
            guard let begun, let isSuspended = begun.result else {
                // Its end is not handled: the request has another task, or none.
                return (request as? DownloadRequest)?.stop(task) ?? task.cancel()
            }
            let before = begun.before
            discardPart(of: before)
            note(RequestText.begins, request)
            if let last = before.task { self[last] = nil }
            if !isSuspended { task.resume() }
        } catch {
            let starts = manager.startRequestsImmediately
            let (answer, before) = request.state.change {
                $0.failAttempt(error, after: question, startsByItself: starts)
            }
            if case .ignored = answer { return }
            discardPart(of: before)
            if case .ends = answer { finishSoon(request) }
        }
    }

    /// Removes what an attempt left in the temporary folder: a part that the next one does not
    /// continue, and a file that no handler got.
    private func discardPart(of before: RequestState) {
        if let resumeData = before.resumeData { TaskSession.discardPart(of: resumeData) }
        if let file = before.temporaryURL { unlink(file.path) }
    }

    // MARK: - The end

    func finishSoon(_ request: Request) {
        onDelegateQueue(of: request) { self.finish(request) }
    }

    /// Posts the end, removes the request from the list and opens its queue: always in this order,
    /// so no handler is called before the notification.
    ///
    /// Called once for an end, on the delegate queue, or by `resume()` of a request that has no
    /// task.
    func finish(_ request: Request) {
        let (task, isPosted) = request.state.withLock { state in
            defer { state.isEndPosted = true }
            return (state.task, state.isEndPosted)
        }
        if let task {
            if !isPosted {
                postEnd(of: task, request, request.delegate.error, request.taskSession.urlSession)
            }
            self[task] = nil
        }
        while !request.state.withLock({ $0.end() }) {
            request.runValidations()
            // A validation came while the end was posted; its failure may be tried again.
            let (retrier, manager) = state.withLock { ($0.retrier, $0.manager) }
            if let error = request.state.withLock({ $0.error }), let retrier, let manager {
                return ask(retrier, of: manager, about: request, error)
            }
        }
        unlist(request)
        request.delegate.flushLateStream()
        request.reportMissed()
        request.endProgress()
        request.state.withLock { state in
            // A validation or a stream closure that came meanwhile opens it by an end of its own.
            guard state.phase == .ended else { return }
            note(RequestText.queueOpened, request)
            EventRecorder.end(.request, subject: request.number)
            state.noteEnd()
            request.delegate.handlers.open()
        }
    }

    /// Whether a program gave a task to another request, and the one that it was made for has not ended. That one then
    /// ends as if the delegate had forgotten it.
    func hasOthersRequest(_ task: SessionTask) -> Bool {
        func isOwn(_ request: Request) -> Bool { request.state.withLock { $0.task } === task }
        guard let request = task.handler as? Request, !isOwn(request) else { return false }
        return state.withLock { Array($0.unfinished.values) }.contains(where: isOwn)
    }

    func replace(_ task: SessionTask, by download: SessionDownloadTask) {
        let requests = state.withLock { Array($0.unfinished.values) }
        _ = requests.first { $0.replaces(task, by: download) }
    }

    /// Ends the request of a task that a program had the delegate forget. Its handlers get an error, since the request
    /// has not got what the task got.
    func endForgotten(_ task: SessionTask, _ error: (any Error)?) {
        let requests = state.withLock { Array($0.unfinished.values) }
        let error = error ?? URLError(.cancelled, url: task.currentRequest?.url)
        for request in requests where request.state.change({ $0.forget(task, error) }).result {
            finish(request)
        }
    }

    func validateAgain(_ request: Request) {
        onDelegateQueue(of: request) {
            // Here, since the end before may not have removed it from the list yet.
            self.list(request)
            self.evaluate(request)
        }
    }

    private func onDelegateQueue(
        of request: Request, _ step: @escaping @Sendable () -> Void
    ) {
        let block = QueuedBlock(for: RequestText.delegateQueue, step)
        request.taskSession.delegateQueue.addOperation(block.run)
    }

    func postEnd(
        of task: SessionTask, _ request: Request?, _ error: (any Error)?,
        _ session: @autoclosure () -> URLSession
    ) {
        taskDidComplete?(session(), task, error)
        var userInfo: [String: Any] = [Notification.Key.Task: task]
        userInfo[Notification.Key.ResponseData] = (request as? DataRequest)?.delegate.data
        if let request { note(RequestText.endPosted, request) }
        NotificationCenter.default.post(
            name: Notification.Name.Task.DidComplete, object: self, userInfo: userInfo)
    }

    private func note(_ text: EventText, _ request: Request) {
        EventRecorder.instant(.requestState, subject: request.number, text: text)
    }
}
