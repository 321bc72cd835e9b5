import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling
import SessionTasks

// The end of an attempt, the question to the retrier, and the one end of a request.
extension SessionDelegate: RequestHome {
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

    /// Asks whether a request is tried again.
    func ask(
        _ retrier: any RequestRetrier, of manager: SessionManager, about request: Request,
        _ error: any Error
    ) {
        guard let question = request.state.withLock({ $0.ask() }) else { return }
        put(question, to: retrier, of: manager, about: request, error)
    }

    /// Calls the retrier, unless the request has ended meanwhile.
    func put(
        _ question: Int, to retrier: any RequestRetrier, of manager: SessionManager,
        about request: Request, _ error: any Error
    ) {
        guard request.state.withLock({ $0.phase == .asked(question) }) else { return }
        EventRecorder.span(.callback, subject: request.number, text: Text.retrier) {
            // The delegate keeps a request that has not ended.
            retrier.should(manager, retry: request, with: error) {
                [weak manager, weak request] isYes, delay in
                guard let request else { return }
                self.take(isYes, delay, to: question, about: request, manager)
            }
        }
    }

    /// Takes the retrier's answer, from any thread.
    private func take(
        _ isYes: Bool, _ delay: TimeInterval, to question: Int, about request: Request,
        _ manager: SessionManager?
    ) {
        let starts = manager?.startRequestsImmediately ?? true
        let answer = request.state.withLock {
            $0.answer(question, isYes && manager != nil, startsByItself: starts)
        }
        switch answer {
        case .waits:
            note(Text.retries, request)
            (manager?.clock ?? .system).wakeUp(after: delay) { [weak manager, weak request] in
                // Not run here where there is no thread for it, since it may wait and the clock's queue has others.
                WorkerPool.utility.enqueue([
                    { [weak manager, weak request] in
                        // A manager that has gone ended the request.
                        guard let manager, let request else { return }
                        self.retry(request, after: question, manager)
                    }
                ])
            }
        case .ends:
            note(Text.doesNotRetry, request)
            finishSoon(request)
        case .rests: note(Text.doesNotRetry, request)
        case .ignored: note(Text.answerIgnored, request)
        }
    }

    /// Makes the next attempt; on a utility queue.
    private func retry(_ request: Request, after question: Int, _ manager: SessionManager) {
        do {
            let (last, part) = request.state.withLock { ($0.task, $0.resumeData) }
            guard let source = request.source?.next(after: last, part) else {
                throw URLError(.badURL)
            }
            var begun: (attempt: RequestState.Attempt?, before: RequestState)?
            let task = try manager.makeTask(
                source, for: request.number, isAgain: last != nil
            ) { task in
                // All of it before anybody else knows the task, which may end at once.
                self[task] = request
                let (attempt, before) = request.state.change { $0.begin(task, after: question) }
                begun = (attempt, before)
                return task.handler
            }
            guard let begun, let attempt = begun.attempt else {
                // Nobody hears of its end: the request has another task, or none.
                return (request as? DownloadRequest)?.stop(task) ?? task.cancel()
            }
            let before = begun.before
            discardPart(of: before)
            note(Text.begins, request)
            if let last = before.task { self[last] = nil }
            if !attempt.isSuspended { task.resume() }
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

    /// Removes what an attempt left in the temporary folder: a part that the next one does not go on with, and a file
    /// that no handler was given.
    private func discardPart(of before: RequestState) {
        if let resumeData = before.resumeData { TaskSession.discardPart(of: resumeData) }
        if let file = before.temporaryURL { unlink(file.path) }
    }

    // MARK: - The end

    /// Ends a request on its delegate queue.
    func finishSoon(_ request: Request) {
        onDelegateQueue(of: request) { self.finish(request) }
    }

    /// Posts the end, lets go of the request and opens its queue: always in this order, so no handler
    /// comes before the notification (AL-12).
    ///
    /// Called on the delegate queue, or by `resume()` of a request that has no task; once, by who
    /// moved the request to its end.
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
        letGo(request)
        request.delegate.handOver()
        request.reportMissed()
        request.endProgress()
        request.state.withLock { state in
            // What came meanwhile, a validation or a stream closure, has an end of its own.
            guard state.phase == .ended else { return }
            note(Text.queueOpened, request)
            EventRecorder.end(.request, subject: request.number)
            state.noteEnd()
            request.delegate.handlers.open()
        }
    }

    func validateAgain(_ request: Request) {
        onDelegateQueue(of: request) {
            // Here, since the end before may not have let go of it yet.
            self.keep(request)
            self.evaluate(request)
        }
    }

    private func onDelegateQueue(
        of request: Request, _ step: @escaping @Sendable () -> Void
    ) {
        let block = QueuedBlock(for: Text.delegateQueue, step)
        request.taskSession.delegateQueue.addOperation(block.run)
    }

    func postEnd(
        of task: SessionTask, _ request: Request?, _ error: (any Error)?,
        _ session: @autoclosure () -> URLSession
    ) {
        current.all.taskDidComplete?(session(), task, error)
        var userInfo: [String: Any] = [Notification.Key.Task: task]
        userInfo[Notification.Key.ResponseData] = (request as? DataRequest)?.delegate.data
        if let request { note(Text.endPosted, request) }
        NotificationCenter.default.post(
            name: Notification.Name.Task.DidComplete, object: self, userInfo: userInfo)
    }

    private func note(_ text: EventText, _ request: Request) {
        EventRecorder.instant(.requestState, subject: request.number, text: text)
    }
}
