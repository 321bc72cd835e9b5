public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics
import Locking
public import SessionTasks

/// A request: it makes its task, keeps what the task got, and calls each of its handlers once.
///
/// A manager makes it, and retains it until it has ended. A request that is never resumed stays
/// until its manager is released. A manager that is released cancels its requests.
///
/// ## Concurrency
/// Call from: any thread. Lock: one, around the state (`RequestState`). Calls out, without it, on: the
/// caller's thread (notifications), the session's delegate queue (validations), the request's queue
/// (serializers), and the handlers' queues.
open class Request: @unchecked Sendable {
    // @unchecked because the compiler does not accept an open class as Sendable; all it has is
    // constant or guards itself.

    /// Called with the progress; the object is the live one, so it may be further by then.
    public typealias ProgressHandler = @Sendable (Progress) -> Void

    /// The result of a validation.
    public typealias ValidationResult = RequestEra.ValidationResult

    // MARK: Set once

    /// What the request has got of its task, and the queue of its handlers.
    public let delegate: TaskDelegate
    let state: Locked<RequestState>
    let source: RequestSource?
    let taskSession: TaskSession
    let home: any RequestHome
    let number: UInt64

    init(_ parts: RequestParts, _ delegate: TaskDelegate) {
        self.delegate = delegate
        state = delegate.state
        source = parts.source
        taskSession = parts.session
        home = parts.home
        number = parts.number
    }

    deinit {
        guard let file = state.withLock({ $0.ownedFile }) else { return }
        try? FileManager.default.removeItem(at: file)
    }

    // MARK: - State

    /// The task of the latest attempt; nil where none could be made.
    ///
    /// Module Alamofire has one of the same name in Foundation's type, which comes first there.
    @_disfavoredOverload
    open var task: SessionTask? { state.withLock { $0.task } }

    /// An object of Foundation's class for `task`. It is retained as long as the request has this task, so that a caller may
    /// keep a weak reference, as to a task of a `URLSession`.
    package var foundationTask: URLSessionTask? {
        task.map { retaining(FoundationTasks.task(for: $0)) }
    }

    func retaining<Task: URLSessionTask>(_ shown: Task) -> Task {
        state.replace(\.foundationTask, with: shown)
        return shown
    }

    /// The times of the latest attempt, once it has ended. A response has them with those of its own handler.
    public var metrics: RequestMetrics? { state.withLock { $0.metrics } }

    /// Foundation's session; no task of the request runs in it.
    public var session: URLSession { taskSession.urlSession }

    /// The request that was sent, as the adapter left it; before there is a task the one that was
    /// asked for.
    open var request: URLRequest? {
        // What resumes a download names no request.
        if let source, case .resumedDownload = source {
            return task?.currentRequest.flatMap { $0.url?.isFileURL == true ? nil : $0 }
        }
        return task?.originalRequest ?? source?.request
    }

    /// The response of the latest attempt.
    open var response: HTTPURLResponse? { state.withLock { $0.response } }

    /// How often it was tried again.
    open var retryCount: UInt { state.withLock { $0.retryCount } }

    // MARK: - Running

    /// Starts the task, or undoes one `suspend()`, and posts `DidResume`.
    ///
    /// A request without a task calls its handlers with its error. For one that waits for a retry, the retry is
    /// resumed when it begins.
    open func resume() {
        let step = state.withLock { $0.resume() }
        EventRecorder.instant(.requestState, subject: number, text: RequestText.resumed)
        switch step {
        case .task(let task):
            task.resume()
            post(Notification.Name.Task.DidResume, task)
        case .end: home.finish(self)
        case .noted: break
        }
    }

    /// Stops the task until `resume()`, and posts `DidSuspend`.
    ///
    /// The retry of a request that waits for one stays suspended until `resume()`. Without a task nothing is
    /// posted.
    open func suspend() {
        guard let task = state.withLock({ $0.suspend() }) else { return }
        EventRecorder.instant(.requestState, subject: number, text: RequestText.suspended)
        task.suspend()
        post(Notification.Name.Task.DidSuspend, task)
    }

    /// Ends the request with `URLError.cancelled`, and posts `DidCancel`.
    ///
    /// It ends the wait for a retry too, and is not tried again. A request that has no task and
    /// does not wait does nothing.
    open func cancel() {
        cancel { $0.cancel() }
    }

    func cancel(_ stop: (SessionTask) -> Void) {
        let error = URLError(.cancelled, url: request?.url)
        let (task, endsWait) = state.change { $0.cancel(with: error) }.result
        guard task != nil || endsWait else { return }
        EventRecorder.instant(.requestState, subject: number, text: RequestText.cancelled)
        endProgress()
        if let task {
            stop(task)
            // Only then: the decision on a challenge could end the task with another error.
            answerChallenges()
            post(Notification.Name.Task.DidCancel, task)
        }
        if endsWait { home.finishSoon(self) }
    }

    private func post(_ name: Notification.Name, _ task: SessionTask) {
        NotificationCenter.default.post(
            name: name, object: self, userInfo: [Notification.Key.Task: task])
    }

    // MARK: - Credentials

    /// Answers the first challenge with a name and a password; see the method below.
    ///
    /// - Parameter persistence: whether the session's storage keeps them.
    @discardableResult
    open func authenticate(
        user: String, password: String, persistence: URLCredential.Persistence = .forSession
    ) -> Self {
        authenticate(
            usingCredential: URLCredential(
                user: user, password: password, persistence: persistence))
    }

    /// Answers the first challenge of the request's own scheme, host and port with a credential.
    ///
    /// A second challenge means that it was refused: the response is then the one that refused it.
    /// A server of another origin, after a redirect, does not get it, and neither does a proxy; a
    /// closure of the delegate's about challenges may answer those.
    ///
    /// The request may have begun before. A challenge that comes first waits for this, until the
    /// first handler is added, and a quarter of a second at most.
    @discardableResult
    open func authenticate(usingCredential credential: URLCredential) -> Self {
        state.change { $0.credential = credential }
        answerChallenges()
        return self
    }

    /// The field `Authorization` of Basic for a name and a password.
    open class func authorizationHeader(
        user: String, password: String
    ) -> (key: String, value: String)? {
        ("Authorization", "Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
    }

    // MARK: - Validation

    /// Adds a validation; see `DataRequest.validate(_:)`.
    func addValidation(
        _ validation: @escaping @Sendable (Request, HTTPURLResponse) -> ValidationResult
    ) {
        // Unowned, since the request retains the closure.
        let validation = { @Sendable [unowned self] in
            let (error, response) = state.withLock { ($0.error, $0.response) }
            guard error == nil, let response else { return }
            if case .failure(let error) = validation(self, response) {
                state.withLock { $0.error = $0.error ?? error }
            }
        }
        let addition = state.withLock { state in
            let addition = state.add(validation)
            // Under the lock, as it is opened, since the end may be about to open it.
            if case .reopens = addition { delegate.handlers.close() }
            return addition
        }
        switch addition {
        case .added: break
        case .reopens: home.validateAgain(self)
        case .late:
            EventRecorder.instant(
                .requestState, subject: number, text: RequestText.validationTooLate)
            #if DEBUG
                _ = LateValidation.warning
            #endif
        }
    }

    /// Calls each validation that has not run in this attempt, in the order added, until there is an
    /// error that is not the transfer's.
    func runValidations() {
        while let validations = state.withLock({ $0.nextValidations() }) {
            for validation in validations {
                EventRecorder.span(
                    .callback, subject: number, text: RequestText.validation, validation)
            }
        }
    }

    // MARK: - Handlers

    /// Adds a block that calls a handler, after the end.
    func addHandler(_ operation: @escaping @Sendable () -> Void) {
        let mustAnswer = state.withLock { state in
            state.handlers += 1
            return !state.challenges.isEmpty
        }
        if mustAnswer { answerChallenges() }
        delegate.handlers.add(operation)
    }

    /// The timeline of a handler that has serialized by now.
    var timeline: Timeline {
        state.withLock { state in
            let now = state.now
            let end = state.endTime ?? now
            return Timeline(
                requestStartTime: state.startTime ?? 0,
                initialResponseTime: state.initialResponseTime ?? end,
                requestCompletedTime: end, serializationCompletedTime: now)
        }
    }
}
