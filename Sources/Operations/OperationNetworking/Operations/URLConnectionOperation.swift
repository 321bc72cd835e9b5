public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Scheduling
import Synchronization

// Methods that a subclass may override must be in the class's body; see also `OperationMachine`, `+Actions`, `+Run`.

/// One request as an operation, whose connection runs on the network thread.
///
/// Start it yourself or add it to a queue, not both. Settings are read when a run starts; later ones count for the next
/// run. It ends once, whatever happens: with a response, an error, or
/// `URLError.cancelled`; `completionBlock` then runs once, on `completionQueue` or main.
///
/// ## Subclassing
/// The delegate methods are open; call `super`, or the operation does not see the event. They run
/// on the network thread. A method that blocks stops all operations, which share that thread.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, recursive, around `guarded` and every change of state; the change is announced
/// after it, in order, by one thread at a time. `isReady`, `isExecuting`, `isFinished` and `isCancelled` read an atomic
/// copy without it, since Foundation reads them under a lock of its own. `totalBytesRead` needs no lock, `error` and
/// `responseData` need none after the end. Calls out on: any thread that calls it (announcements), the network thread
/// (decisions), main (progress, notifications), `completionQueue` or main (completion); never under the lock.
open class URLConnectionOperation: Operation, NSCopying, NSSecureCoding, URLConnectionDelegate,
    CustomReflectable, @unchecked Sendable
{
    // @unchecked because of the groups below: constant, atomic, under `lock`, under it until the end,
    // or on the network thread.

    // MARK: Set once

    let lock = OperationLock()

    // MARK: Atomic. The small ones stand together, so that they take less memory.

    let visible = VisibleState()
    /// Whether a download progress block was ever set; if not, no piece takes the lock for it.
    let reportsBytes = Atomic<Bool>(false)
    /// Whether `addOnce` has put it into a queue.
    let wasAdded = Atomic<Bool>(false)
    private let hasPredecessors = Atomic<Bool>(false)
    /// Whether `admission` is set, which is written once, under the lock, before this.
    let hasAdmission = Atomic<Bool>(false)
    var admission: Admission?
    /// Written on the network thread, for each piece of a body.
    let bytesStored = Atomic<Int64>(0)
    /// What the connection waits for; see `Waiting`.
    let waiting = Atomic<UInt64>(Waiting.nothing)
    /// When it was put into a queue, or made ready after that, in nanoseconds of the monotonic clock.
    let queuedAt = Atomic<UInt64>(0)

    // MARK: Guarded by lock

    // Unchecked for speed in release builds, as the next: no caller's code runs while they change. Debug builds check,
    // because the lock is recursive.
    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var guarded: GuardedValues

    // MARK: Guarded by lock; after the end constant, and read without it

    #if !DEBUG
        @exclusivity(unchecked)
    #endif
    var result = OperationResult()

    // MARK: Network thread only

    // Unchecked for speed: no caller's code runs while they change.
    @exclusivity(unchecked) var connection: URLConnection?
    /// The run that the connection belongs to, or belonged to.
    @exclusivity(unchecked) var runOfConnection: OperationMachine.Run = 0
    @exclusivity(unchecked) var reportedBytes = ReportedBytes()
    @exclusivity(unchecked) var responseBody: ResponseBody?
    /// The manager's observer during this run.
    @exclusivity(unchecked) var observedManager: ObservedManager?
    /// Lazy: an operation that waits needs none.
    lazy var resumption = Resumption()

    /// Makes an operation that is ready to start.
    public init(request: URLRequest) {
        guarded = GuardedValues(request: request)
        guarded.name()
        super.init()
    }

    deinit {
        if hasPredecessors.load(ordering: .relaxed) { super.dependencies.leavePredecessors() }
        if hasAdmission.load(ordering: .relaxed) { admission?.leave() }
        closeStreams()
    }

    // MARK: - Settings

    /// The request; replaceable by subclasses between runs.
    open var request: URLRequest {
        get { read(\.request) }
        set {
            write {
                let old = ($0.request, $0.rare?.requestBeforePause)
                $0.request = newValue
                $0.rare?.requestBeforePause = nil
                $0.nameAgain()
                return old
            }
        }
    }

    // MARK: - Results

    /// The latest response; it stays after a failure.
    open var response: URLResponse? { lock.withLock { guarded.response } }

    /// Why the operation failed, or nil.
    open var error: (any Error)? { readResult(\.error) }

    /// The body, when the operation succeeded and its bytes were collected in memory.
    open var responseData: Data? { readResult(\.responseData) }

    /// Bytes stored so far, over pauses and resumes.
    open var totalBytesRead: Int64 { bytesStored.load(ordering: .relaxed) }

    /// The encoding the response names, UTF-8 where it names none; nil before a response.
    open var responseStringEncoding: String.Encoding? {
        lock.withLock { guarded.response }.map(TextEncoding.encoding)
    }

    /// The body as text; nil when its bytes are not in the encoding.
    open var responseString: String? {
        bodyText()
    }

    /// Makes what a subclass makes of the response, on a processing queue.
    func makeObject() {}

    // MARK: - State

    override open var isReady: Bool {
        noteReadinessRead()
        return state == .ready && super.isReady
    }
    var areDependenciesDone: Bool { super.isReady }
    override open var isExecuting: Bool { state == .executing }
    override open var isFinished: Bool { state == .finished }
    override open var isCancelled: Bool { visible.isCancelled }
    override open var isAsynchronous: Bool { true }

    /// Whether the operation was paused and neither resumed nor ended.
    public var isPaused: Bool { state == .paused }

    /// The priority, also in a manager's queue with limits, even of an operation that waits there.
    override open var queuePriority: QueuePriority {
        didSet { currentAdmission?.followPriority(of: self) }
    }

    /// Starts the operation if it is ready; a cancelled one finishes. Does not wait for the request; in a
    /// manager's queue with limits, the operation then waits for a slot.
    ///
    /// On a thread of an operation queue, it waits while another thread announces an earlier change of this operation.
    override open func start() {
        // Its queue calls `start` once: a dependency that was added since then is ignored.
        let areDependenciesDone = super.isReady || isInCurrentQueue
        sendStart {
            let actions = guarded.machine.start(
                areDependenciesDone: areDependenciesDone, hasSlot: isUnlimited)
            if guarded.machine.wasStarted, guarded.runThread == nil {
                guarded.runThread = guarded.settings.networkThread
            }
            return actions
        }
    }

    /// Blocks the caller's thread until the end.
    ///
    /// On a network thread, which would wait for its own work, it stops the process unless the operation has ended. Use
    /// a completion block there.
    @available(*, noasync, message: "Use completionBlock or a dependent Operation instead")
    override open func waitUntilFinished() {
        if !isFinished { NetworkThread.refuseToWait() }
        super.waitUntilFinished()
    }

    /// Cancels: a started operation finishes with `URLError.cancelled`, even while it is paused. Before its start it
    /// finishes so when it is started; a queue starts it by itself.
    override open func cancel() {
        send { guarded.machine.cancel() }
    }

    /// Stops the connection without finishing, and keeps the received bytes.
    open func pause() {
        send { guarded.machine.pause() }
    }

    /// Continues after a pause; an operation that its queue has not started yet waits for that.
    ///
    /// The remaining bytes are requested by range, and appended only if the response fits.
    open func resume() {
        send { guarded.machine.resume() }
    }

    /// The operations that must end before it is started.
    override open var dependencies: [Operation] {
        super.dependencies.awaited
    }

    /// Adds an operation that must end before this one is started. This one may be released before.
    override open func addDependency(_ operation: Operation) {
        guard !dependencies.contains(where: { $0 === operation }) else { return }
        hasPredecessors.store(true, ordering: .relaxed)
        visible.announcing { super.addDependency(Predecessor(operation, of: self)) }
        announceReadinessAgain()
        withdrawSlotUnlessReady()
    }

    /// Removes a dependency.
    override open func removeDependency(_ operation: Operation) {
        super.dependencies.leavePredecessors(of: operation)
    }

    // MARK: - Completion

    /// Runs once, after the operation has finished, on `completionQueue` or main, and is then released.
    override open var completionBlock: (@Sendable () -> Void)? {
        get { completionDelivery() }
        set { setCompletion(newValue) }
    }

    // MARK: - URLConnectionDelegate

    /// Asks the redirect block, or agrees (RC-1, RC-2).
    open func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        guard let block = read(\.blocks.redirectResponse) else { return request }
        return block(connection, request, redirectResponse)
    }

    /// Asks the challenge block, or answers by `securityPolicy` and `credential` (AU-2 to AU-4).
    open func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        if let block = read(\.blocks.challenge) {
            block(connection, challenge)
        } else {
            answer(challenge, of: connection)
        }
    }

    /// Answers `shouldUseCredentialStorage` (AU-1).
    open func connectionShouldUseCredentialStorage(_ connection: URLConnection) -> Bool {
        shouldUseCredentialStorage
    }

    /// A multipart body from its first byte again, or nil.
    ///
    /// A form with a part that can be read only once fails. A subclass that can make its body again overrides this.
    open func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?
    {
        do {
            return try (request.httpBodyStream as? any ReplayableBody)?.freshCopy()
        } catch {
            connection.cancel()
            if connection === self.connection { complete(with: error) }
            return nil
        }
    }

    /// Calls the upload progress block.
    open func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        noteSent(bytesWritten, upTo: totalBytesWritten, of: totalBytesExpectedToWrite)
    }

    /// Keeps the response; after a pause, judges whether it continues the part.
    open func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        guard connection === self.connection else { return }
        receive(response, from: connection)
    }

    /// Stores the piece and calls the download progress block.
    open func connection(_ connection: URLConnection, didReceive data: Data) {
        guard connection === self.connection else { return }
        store { try $0.take(data) }
    }

    /// Tries again to store bytes that the stream did not take.
    open func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        guard connection === self.connection, let body = responseBody else { return 0 }
        if body.isUnsettled { store { try $0.flush() } }
        let count = responseBody?.waitingCount(isLast: connection.hasReceivedAll) ?? 0
        // Bytes of a subclass's own are polled for.
        connection.consumer = count > 0 ? body.consumer : .polled
        return count
    }

    /// Stores it for the manager's snapshot. An operation that was cancelled or paused while it waited sends nothing,
    /// even if it gets a connection before the network thread performs that.
    open func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) {
        note(wait)
        if wait == nil, state != .executing || isCancelled { connection.cancel() }
    }

    /// Calls the retry block, on main.
    open func connection(
        _ connection: URLConnection, didDecideAboutRetry decision: RetryDecision
    ) {
        guard let block = read(\.blocks.retry) else { return }
        sender.thread.dispatchAtOnce(to: CallbackBatch.main) { block(decision) }
    }

    /// Asks the cache block, or agrees unless cancelled.
    open func connection(
        _ connection: URLConnection, willCacheResponse cachedResponse: CachedURLResponse
    ) -> CachedURLResponse? {
        if let block = read(\.blocks.cacheResponse) { return block(connection, cachedResponse) }
        return isCancelled ? nil : cachedResponse
    }

    /// Ends the operation.
    open func connectionDidFinishLoading(_ connection: URLConnection) {
        if connection === self.connection { finishLoading() }
    }

    /// Ends the operation with the error; an output stream's file has the bytes that came before it.
    open func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        guard connection === self.connection else { return }
        complete(with: error)
    }

    // MARK: - Copying and coding

    /// A new operation, ready to start, for the same request.
    ///
    /// It has the metrics, progress, retry, challenge, cache and redirect blocks, the completion queue and group,
    /// the modes, limits and credential; not the completion block, streams, `userInfo` or results.
    /// A subclass's `init(coder:)` makes it, with a coder that has no values; where that gives nil, it is a plain
    /// `HTTPRequestOperation` or `URLConnectionOperation`.
    open func copy(with zone: NSZone? = nil) -> Any {
        makeCopy()
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the request, the results and what protects it, but no credential; the operation itself
    /// stays as it is. The request's address, header fields and body are written as they are.
    open func encode(with coder: NSCoder) {
        OperationArchive.encode(self, with: coder)
    }

    /// Reads what `encode` wrote. A finished operation comes back finished, any other ready; with a
    /// policy that is no laxer than the default one (see `SecurityPolicy`). Nil where the request or a part
    /// that protects it is missing.
    public required init?(coder: NSCoder) {
        if let original = CopySource.original(of: coder, as: URLConnectionOperation.self) {
            guarded = GuardedValues(request: original.freshRequest)
            guarded.name()
            super.init()
            return
        }
        guard let guarded = OperationArchive.decode(from: coder) else { return nil }
        self.guarded = guarded
        result = OperationArchive.result(from: coder)
        super.init()
        show(bytesRead: coder.decodeInt64(forKey: "totalBytesRead"))
    }

    // MARK: - Description

    /// Class, address, state, request and response, without secrets.
    override open var description: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        return "<\(type(of: self)): \(address), \(described)>"
    }

    /// The description: settings, request and response may hold secrets.
    open var customMirror: Mirror {
        Mirror(
            self, children: ["description": description], displayStyle: .class,
            ancestorRepresentation: .suppressed)
    }
}
