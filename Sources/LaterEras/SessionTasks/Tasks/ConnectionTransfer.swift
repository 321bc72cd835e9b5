import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling

/// The load of a task, by a `URLConnection`, which is suspended while the task is.
///
/// Its delegate calls go to the session's delegate queue in their order, and the network thread never
/// waits for them: too many bytes on their way there pause the load.
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
    private let stream: BodyStream?

    private struct Shared {
        /// Until the transfer has ended.
        var task: SessionTask?
        var currentRequest: URLRequest?
        /// Bytes on their way to the delegate queue.
        var waiting = 0
        /// The size of a file that is sent, or why it is unknown.
        var fileSize: Swift.Result<Int?, any Error>?
        /// Whether its request was checked and its file looked at, so that it may begin.
        var isPrepared = false
    }

    private let shared = Locked(Shared())

    // MARK: Network thread only

    private(set) var connection: URLConnection?
    private var phase = Phase.idle
    private var isSuspended = false
    private(set) var isReaderBehind = false
    /// The last server that a challenge was about.
    var trust: ServerTrust?

    private enum Phase { case idle, awaitingBody, loading, over }

    /// More bytes on their way to the delegate queue pause the load.
    static let limitOfWaiting = 1 << 20

    init(
        _ identifier: Int, _ source: TransferSource, _ request: URLRequest, _ stream: BodyStream?,
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

    /// The task whose load it is; nil once it has ended.
    var task: SessionTask? { shared.withLock { $0.task } }

    /// Sets the task: another one once a data task has become a download, nil at the end.
    func attach(to task: SessionTask?) {
        shared.replace(\.task, with: task)
    }

    // MARK: - Steps

    /// Reads the size of a file that is sent, once, when its task is resumed. The caller's thread may wait for a disk.
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
            switch load.task?.loadOrder {
            case .run?:
                load.isSuspended = false
                // `resume` prepares the load before it calls this; an earlier call for a suspension may come late.
                if case .idle = load.phase {
                    if load.shared.withLock({ $0.isPrepared }) { load.begin() }
                } else {
                    load.applySuspension()
                }
            case .suspend?:
                load.isSuspended = true
                load.applySuspension()
            case .stop?: load.stop()
            case .nothing?, nil: break
            }
        }
    }

    /// Receives no bytes while a reader is behind, which is asked now, on the network thread.
    func pauseReceiving(while isReaderBehind: @escaping @Sendable () -> Bool) {
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
        ask(
            .body { stream in
                let stream = Locked(stream)
                self.perform { $0.begin(with: stream.withLock { $0 }) }
            })
    }

    /// - Parameter body: the handler's answer.
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
        connection.configuration = session.options.withLock {
            $0.configuration(with: settings.connection)
        }
        connection.isResponseStreamed = task.isBodyStreamed
        if task is SessionDownloadTask { connection.responseIsStored() }
        connection.number = task.number
        connection.priority = TransferPriority(of: task)
        connection.limitOwner = ObjectIdentifier(session)
        connection.pass = session.thread.pass
        connection.consumer = .signals(isLimited: true)
        self.connection = connection
        applySuspension()
        connection.startAtOnce()
    }

    private func applySuspension() {
        if isSuspended { connection?.suspend() } else { connection?.resume() }
    }

    private func requestToSend(_ body: InputStream?) throws -> URLRequest {
        var request = request
        switch source {
        case .data, .download:
            if let stream { request.httpBodyStream = try stream.next() }
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
            if let metrics = connection?.metrics { send(.metrics(metrics)) }
            end(URLError(.cancelled, url: connection?.currentRequest.url))
        }
    }

    func end(_ error: (any Error)?) {
        if case .over = phase { return }
        phase = .over
        connection = nil
        send(.ended(error))
    }

    func send(_ event: TaskEvent) {
        session.events.append(.event(self, event), in: session.thread.pass)
    }

    func ask(_ question: TaskQuestion) {
        session.events.append(.question(self, question), in: session.thread.pass)
    }

    /// Sends a piece of the body, which counts as waiting until it was delivered.
    func sendData(_ data: Data) {
        shared.withLock { $0.waiting += data.count }
        send(.data(data))
    }

    var bytesWaiting: Int { shared.withLock { $0.waiting } }

    func note(_ request: URLRequest) {
        shared.replace(\.currentRequest, with: request)
    }

    // MARK: - Delegate queue

    /// Delivers an event to the task that has the load by now.
    func deliver(_ event: TaskEvent) {
        guard let task else { return }
        if case .ended = event { attach(to: nil) }
        session.deliver(event, to: task)
        if case .data(let data) = event { noteDelivered(data.count) }
    }

    func deliver(_ question: TaskQuestion) {
        if let task { session.ask(question, of: task) }
    }

    private func noteDelivered(_ count: Int) {
        let wasFull = shared.withLock { shared in
            defer { shared.waiting -= count }
            return shared.waiting > Self.limitOfWaiting
        }
        if wasFull { perform { $0.connection?.continueReceiving() } }
    }
}

extension TransferPriority {
    /// The class of a task's `priority`, whose named values are 0.25, 0.5 and 0.75.
    fileprivate init(of task: SessionTask) {
        let priority = task.priority
        self = priority <= 0.25 ? .low : priority >= 0.75 ? .high : .normal
    }
}
