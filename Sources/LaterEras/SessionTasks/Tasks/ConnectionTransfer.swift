import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling

/// The load of a task, by a `URLConnection`, which waits while the task is suspended.
///
/// Its delegate calls go to the session's delegate queue in their order, and the network thread never
/// waits for them: bytes that are not consumed there yet pause the load.
///
/// ## Concurrency
/// Call from: any thread; what is marked so, the network thread. Lock: one around the shared state.
/// Calls out on: the delegate queue; the network thread (the session's delegate: `asks`, the policy).
final class ConnectionTransfer: @unchecked Sendable {
    // @unchecked because the variables of the network thread are touched there alone.

    // MARK: Set once

    let taskIdentifier: Int
    let source: TransferSource
    let session: TaskSession
    private let request: URLRequest
    private let stream: BodyStream

    private struct Shared {
        /// Until the transfer has ended.
        var task: SessionTask?
        var currentRequest: URLRequest?
        /// Bytes on their way to the delegate queue or waiting there.
        var waiting = 0
        /// The size of a file that is sent, or why it cannot be told.
        var fileSize: Swift.Result<Int?, any Error>?
        /// Whether its request was checked and its file looked at, so that it may begin.
        var isPrepared = false
    }

    private let shared = Locked(Shared())

    // MARK: Network thread only

    private(set) var connection: URLConnection?
    private var phase = Phase.idle
    /// Whether the task is suspended.
    private var isHeld = false
    /// Whether the reader of the body is behind.
    private(set) var isReaderBehind = false
    /// The last server that a challenge was about.
    var trust: ServerTrust?

    private enum Phase { case idle, awaitingBody, loading, over }

    /// Bytes that may wait for the delegate queue before the load pauses.
    static let room = 1 << 20

    init(
        _ identifier: Int, _ source: TransferSource, _ request: URLRequest, _ stream: BodyStream,
        _ session: TaskSession
    ) {
        taskIdentifier = identifier
        self.source = source
        self.request = request
        self.stream = stream
        self.session = session
    }

    /// The request after redirects; nil while it is the original one.
    var currentRequest: URLRequest? { shared.withLock { $0.currentRequest } }

    /// The task that is told; another one after a data task became a download.
    var task: SessionTask? { shared.withLock { $0.task } }

    /// Sets the task whose load it is; another one once a data task has become a download.
    func attach(to task: SessionTask) {
        let old = shared.withLock { shared in
            defer { shared.task = task }
            return shared.task
        }
        withExtendedLifetime(old) {}
    }

    // MARK: - Steps

    /// Looks at what is sent, before the first `resume`: on the caller's thread, which may wait for a disk.
    func prepare() {
        var size: Swift.Result<Int?, any Error>?
        if case .file(_, let file) = source, shared.withLock({ $0.fileSize == nil }) {
            size = Swift.Result { try file.resourceValues(forKeys: [.fileSizeKey]).fileSize }
        }
        shared.withLock { shared in
            shared.fileSize = shared.fileSize ?? size
            shared.isPrepared = true
        }
    }

    /// Has the load do what the state of its task asks for.
    func follow() {
        perform { load in
            switch load.task?.errand {
            case .run?:
                load.isHeld = false
                // Whoever resumes the task prepares the load before it follows.
                if case .idle = load.phase {
                    if load.shared.withLock({ $0.isPrepared }) { load.begin() }
                } else {
                    load.restOrGoOn()
                }
            case .suspend?:
                load.isHeld = true
                load.restOrGoOn()
            case .stop?: load.stop()
            case .nothing?, nil: break
            }
        }
    }

    /// Receives no bytes while a reader is behind; asked now, on the network thread.
    func rest(while isReaderBehind: @escaping @Sendable () -> Bool) {
        perform {
            $0.isReaderBehind = isReaderBehind()
            $0.connection?.continueReceiving()
        }
    }

    func perform(_ step: @escaping @Sendable (ConnectionTransfer) -> Void) {
        session.thread.perform(inModes: Self.modes) { step(self) }
    }

    private static let modes: Set = [RunLoop.Mode.common]

    // MARK: - Network thread

    private func begin() {
        guard case .stream = source, task != nil else { return begin(with: nil) }
        phase = .awaitingBody
        tell(
            .body { stream in
                let stream = Locked(stream)
                self.perform { $0.begin(with: stream.withLock { $0 }) }
            })
    }

    /// - Parameter body: the stream that the delegate gave.
    private func begin(with body: InputStream?) {
        switch phase {
        case .idle, .awaitingBody: break
        case .loading, .over: return
        }
        guard let task else { return end(URLError(.cancelled)) }
        let settings = session.settings
        let first: URLRequest
        do {
            try session.thread.requireLoop(for: request.url)
            try settings.check(request.url)
            first = settings.applied(to: try requestToSend(body))
        } catch {
            return end(error)
        }
        phase = .loading
        let connection = URLConnection(request: first, delegate: self, startImmediately: false)
        connection.schedule(in: .current, forMode: .common)
        connection.timeoutIntervalForResource = settings.timeoutForResource
        connection.trustRequirements = session.trustRequirements(for: first)
        if let own = session.connectionConfiguration {
            connection.configuration = own
            connection.configuration.protocolClasses += settings.connection.protocolClasses
        } else {
            connection.configuration = settings.connection
        }
        connection.configuration.clock = session.clock
        connection.configuration.retryPolicy = session.retryPolicy
        connection.configuration.interceptor = session.interceptor
        connection.configuration.loadsLocalAddresses = session.loadsLocalAddresses
        connection.isResponseStreamed = task.isBodyStreamed
        if task is SessionDownloadTask { connection.responseIsStored() }
        connection.number = task.number
        connection.priority = TransferPriority(of: task)
        connection.limitOwner = ObjectIdentifier(session)
        connection.pass = session.thread.pass
        connection.consumer = .signals(isLimited: true)
        self.connection = connection
        restOrGoOn()
        connection.startAtOnce()
    }

    private func restOrGoOn() {
        if isHeld { connection?.suspend() } else { connection?.resume() }
    }

    private func requestToSend(_ body: InputStream?) throws -> URLRequest {
        var request = request
        switch source {
        case .data, .download:
            if request.httpBodyStream != nil { request.httpBodyStream = try stream.next() }
        case .bytes(_, let data):
            request.httpBodyStream = nil
            request.httpBody = data
        case .file(_, let file):
            request.httpBody = nil
            request.httpBodyStream = InputStream(url: file)
            let size = try shared.withLock({ $0.fileSize })?.get()
            request.setValue(size.map(String.init), forHTTPHeaderField: "Content-Length")
        case .stream:
            request.httpBodyStream = body
        }
        return request
    }

    private func stop() {
        switch phase {
        case .over: return
        case .idle, .awaitingBody: end(URLError(.cancelled, url: request.url))
        case .loading:
            connection?.cancel()
            if let metrics = connection?.metrics { tell(.metrics(metrics)) }
            end(URLError(.cancelled, url: connection?.currentRequest.url))
        }
    }

    /// Tells of the end, once.
    func end(_ error: (any Error)?) {
        if case .over = phase { return }
        phase = .over
        connection = nil
        tell(.ended(error))
    }

    private func forgetTask() {
        let old = shared.withLock { shared in
            defer { shared.task = nil }
            return shared.task
        }
        withExtendedLifetime(old) {}
    }

    func tell(_ event: TaskEvent) {
        session.events.append(.event(self, event), in: session.thread.pass)
    }

    func tell(_ question: TaskQuestion) {
        session.events.append(.question(self, question), in: session.thread.pass)
    }

    // MARK: - Delegate queue

    /// Delivers an event to the task of this time.
    func deliver(_ event: TaskEvent) {
        guard let task else { return }
        switch event {
        case .ended:
            forgetTask()
            session.deliver(event, to: task)
        case .data(let data):
            session.deliver(event, to: task)
            noteConsumed(data.count)
        default: session.deliver(event, to: task)
        }
    }

    func ask(_ question: TaskQuestion) {
        if let task { session.ask(question, of: task) }
    }

    func note(_ request: URLRequest) {
        let old = shared.withLock { shared in
            defer { shared.currentRequest = request }
            return shared.currentRequest
        }
        withExtendedLifetime(old) {}
    }

    // MARK: - Back-pressure

    func hand(over data: Data) {
        shared.withLock { $0.waiting += data.count }
        tell(.data(data))
    }

    private func noteConsumed(_ count: Int) {
        let wasFull = shared.withLock { shared in
            defer { shared.waiting -= count }
            return shared.waiting > Self.room
        }
        if wasFull { perform { $0.connection?.continueReceiving() } }
    }

    /// The bytes on their way to the delegate queue or waiting there.
    var bytesWaiting: Int { shared.withLock { $0.waiting } }

    /// The same, once they are more than there is room for.
    var excess: Int {
        let waiting = bytesWaiting
        return waiting > Self.room ? waiting : 0
    }
}

extension TransferPriority {
    /// The class of a task's `priority`, whose named values are 0.25, 0.5 and 0.75.
    fileprivate init(of task: SessionTask) {
        let priority = task.priority
        self = priority <= 0.25 ? .low : priority >= 0.75 ? .high : .normal
    }
}
