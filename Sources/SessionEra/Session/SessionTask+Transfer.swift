import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

// How a handle drives Foundation's task. Decisions on redirects and challenges are passed on under
// the lock that guards its steps: Foundation crashes when a decision follows a cancellation.
extension SessionTask {
    /// The words of a recording for this task.
    var eventText: EventText { EventText(recorded: source.methodAndURL) }

    /// Starts Foundation's task, or makes a new one after a suspension.
    func start() {
        if SharedQueue.isCurrent { return DispatchQueue.global().async { self.start() } }
        guard let manager = lock.withLock({ values.manager }) else { return }
        let reason: (any Error)? = source.defect ?? manager.refusal(of: source.request)
        if let reason { return end(with: reason) }
        let mustMake = driving.withLock {
            let raw = lock.withLock { () -> URLSessionTask?? in
                guard values.phase == .live, values.suspendCount == 0, !values.isRawStarted else {
                    return .none
                }
                values.isRawStarted = values.raw != nil
                return .some(values.raw)
            }
            raw??.resume()
            return raw == .some(nil)
        }
        // The delegate queue may still hold calls of the last transfer.
        if mustMake { manager.operationQueue.addOperation { self.startAnew() } }
    }

    /// On the delegate queue.
    private func startAnew() {
        do {
            let request = delegate.requestForRest(of: try source.request(reading: stream))
            let session = try driving.withLock { try makeAndStart(request) }
            if session?.isCancelled == true { cancel() }
        } catch {
            end(with: error)
        }
    }

    /// - Returns: the session; nil when no transfer is needed any more.
    private func makeAndStart(_ request: URLRequest) throws -> GuardedSession? {
        let values: Values? = lock.withLock { isWaiting ? self.values : nil }
        guard let manager = values?.manager, let session = values?.session else { return nil }
        guard let raw = session.makeTask(source, for: request) else {
            throw SessionError.sessionInvalidated
        }
        manager.table.begin(raw, of: session, for: self)
        let isWanted = lock.withLock {
            guard isWaiting else { return false }
            self.values.raw = raw
            self.values.isRawStarted = true
            self.values.counts.sent = 0
            return true
        }
        if isWanted {
            raw.resume()
        } else {
            _ = manager.table.end(raw, of: session)
            raw.cancel()
        }
        return session
    }

    /// Whether it must run and has no task of Foundation's. Called under the lock.
    private var isWaiting: Bool {
        values.phase == .live && values.suspendCount == 0 && values.raw == nil
    }

    /// Changes the values and stops Foundation's task where the change requires it, before any
    /// other step. On the queue that all sessions share the stop comes later, because it waits for
    /// that queue.
    func stopping<Change>(_ change: (inout Values) -> (Change, URLSessionTask?)) -> Change {
        if SharedQueue.isCurrent {
            let (result, raw) = lock.withLock { change(&values) }
            if let raw {
                DispatchQueue.global().async { self.driving.withLock { self.stopUnlessEnded(raw) } }
            }
            return result
        }
        return driving.withLock {
            let (result, raw) = lock.withLock { change(&values) }
            if let raw { stopUnlessEnded(raw) }
            return result
        }
    }

    private func stopUnlessEnded(_ raw: URLSessionTask) {
        if lock.withLock({ values.ended !== raw }) { Self.stop(raw) }
    }

    /// - Parameter resumeData: called with the resume data of a download.
    func cancel(with resumeData: (@Sendable (Data?) -> Void)?) {
        let queue = lock.withLock { values.manager?.operationQueue }
        guard end(with: nil, resumeData) else {
            if let resumeData {
                (queue ?? .main).addOperation { resumeData(nil) }
            }
            return
        }
        EventRecorder.instant(.sessionTaskState, subject: number, text: Text.cancelled)
    }

    /// Cancels Foundation's task in two steps: the suspension takes the transfer from libcurl, and
    /// reading the priority waits until that is done. Without them Foundation crashes when a
    /// cancellation meets the transfer's own end, because it looks for a task that it has removed.
    static func stop(_ raw: URLSessionTask) {
        if raw.state == .running {
            raw.suspend()
            _ = raw.priority
        }
        raw.cancel()
    }

    /// Ends the task with the manager's own error.
    func end(with reason: any Error) {
        _ = end(with: reason, nil)
    }

    /// - Returns: false when the task has already ended.
    private func end(
        with reason: (any Error)?, _ resumeData: (@Sendable (Data?) -> Void)?
    ) -> Bool {
        var wasStarted = false
        let manager = stopping { values -> (URLSessionManager?, URLSessionTask?) in
            guard values.phase == .live, let manager = values.manager else { return (nil, nil) }
            wasStarted = values.isRawStarted
            values.phase = .cancelling
            values.reason = reason
            values.wantsResumeData = resumeData
            return (manager, values.raw)
        }
        guard let manager else { return false }
        // Foundation does not report the end of a task whose URL it cannot load.
        if !wasStarted {
            manager.operationQueue.addOperation {
                manager.finish(self, URLError(.cancelled))
            }
        }
        return true
    }

    // MARK: - What the delegate asks

    /// Notes that Foundation's task has ended. It waits for a running step: Foundation crashes when
    /// a task ends between the two steps of its cancellation.
    ///
    /// - Returns: whether it is the present one of this task.
    func noteEnd(of raw: URLSessionTask) -> Bool {
        driving.withLock {
            lock.withLock {
                values.ended = raw
                return values.raw === raw
            }
        }
    }

    /// Whether Foundation's task is the present one of this task, and the end has not begun.
    func isRunning(_ raw: URLSessionTask) -> Bool {
        lock.withLock { values.phase == .live && values.raw === raw }
    }

    /// Passes a decision on, unless its task was cancelled or suspended meanwhile.
    func decide(_ raw: URLSessionTask, _ pass: () -> Void) {
        driving.withLock {
            if isRunning(raw) { pass() }
        }
    }

    /// Notes a response; the counts start again.
    ///
    /// - Parameter offset: the size of the part that a download continues.
    func note(_ response: URLResponse, from offset: Int64, _ expected: Int64) {
        lock.withLock {
            values.response = response
            values.counts.received = offset
            values.counts.toReceive = PartialContent.whole(from: offset, announced: expected)
        }
    }

    func noteReceived(_ count: Int64) -> Counts {
        lock.withLock {
            values.counts.received += count
            return values.counts
        }
    }

    func noteSent(_ count: Int64, of total: Int64) {
        lock.withLock {
            values.counts.sent = count
            values.counts.toSend = total
        }
    }

    /// The length of the request's body. Foundation reports 0 for an unknown one (LX-19); the
    /// request may declare it.
    func expectedBodyLength(said: Int64) -> Int64 {
        if said > 0 { return said }
        return source.request.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init) ?? -1
    }

    func belongs(to session: URLSession) -> Bool {
        lock.withLock { values.session === session }
    }

    struct End {
        var error: (any Error)?
        var session: GuardedSession?
        var wantsResumeData: (@Sendable (Data?) -> Void)?
    }

    /// Notes the end; nil when it was noted before.
    func complete(_ error: (any Error)?) -> End? {
        lock.withLock {
            guard values.phase != .completed else { return nil }
            // A cancelled task is not a success, even if the whole body was received meanwhile.
            let cancelled = values.phase == .cancelling ? URLError(.cancelled) : nil
            let failure = values.phase == .live ? error.map { stream.failure ?? $0 } : error
            values.phase = .completed
            values.response = values.response ?? values.raw?.response
            defer {
                values.manager = nil
                values.session = nil
                values.wantsResumeData = nil
            }
            return End(
                error: values.reason ?? failure ?? cancelled, session: values.session,
                wantsResumeData: values.wantsResumeData)
        }
    }

    // MARK: - Notifications

    /// On main, as AFNetworking posts them.
    func post(_ name: Notification.Name) {
        DispatchQueue.main.async {
            NotificationCenter.default.post(name: name, object: self)
        }
    }
}
