public import CurlConnection
import EventRecorder
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Synchronization

// What a subclass may override must stand in the class's body, not in an extension. What may happen to it
// is in `OperationMachine`, what follows from that in `+Actions`, the network thread's part in `+Run`.

/// One request as an operation: its connection runs on the network thread, its state under one
/// lock.
///
/// Start it yourself or add it to a queue, not both. Settings are read when a run starts; what is
/// set later counts for the next run. It ends once, whatever happens: with a response, an error, or
/// `URLError.cancelled`; `completionBlock` then runs once, on `completionQueue` or main.
///
/// ## Subclassing
/// The delegate methods are open; call `super`, or the operation does not see the event. They run
/// on the network thread. A method that blocks stops all operations, which share that thread.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, recursive, around `guarded` and every change of state;
/// state changes are announced to the queue under it, in order. `isReady`, `isExecuting` and
/// `isFinished` read an atomic copy without it, since Foundation reads them under a lock of its own.
/// `totalBytesRead` needs no lock, `error` and `responseData` need none after the end.
/// Calls out on: the network thread (decisions), main (progress, notifications), `completionQueue`
/// or main (completion); never under the lock.
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
    /// Whether it was put into a queue by `enter`.
    let wasEntered = Atomic<Bool>(false)
    private let hasPredecessors = Atomic<Bool>(false)
    /// Whether `admission` is set; it is written once, before, under the lock.
    let hasAdmission = Atomic<Bool>(false)
    var admission: Admission?
    /// Written on the network thread, for each piece of a body.
    let bytesStored = Atomic<Int64>(0)
    /// What the connection waits for; see `Waiting`.
    let waiting = Atomic<UInt64>(Waiting.nothing)
    /// When it was put into a queue, or made ready after that, in nanoseconds of the monotonic clock.
    let queuedAt = Atomic<UInt64>(0)

    // MARK: Guarded by lock

    // Unchecked for speed, as the next, where the program is not debugged: no caller's code runs while they change.
    // Debug builds check, because the lock is recursive.
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

    var connection: URLConnection?
    /// The run that the connection belongs to, or belonged to.
    var runOfConnection: OperationMachine.Run = 0
    var reportedBytes = ReportedBytes()
    var responseBody: ResponseBody?
    /// Of the run; nil where nobody observes.
    var observedManager: ObservedManager?
    /// Made by the first run: an operation that waits needs none.
    lazy var resumption = Resumption()

    /// Makes an operation that is ready to start.
    public init(request: URLRequest) {
        guarded = GuardedValues(request: request)
        guarded.name()
        super.init()
    }

    deinit {
        if hasPredecessors.load(ordering: .relaxed) {
            for predecessor in super.dependencies.predecessors() { predecessor.leave() }
        }
        if hasAdmission.load(ordering: .relaxed) { admission?.leave() }
        closeStreams()
    }

    // MARK: - Settings

    /// The request; replaceable by subclasses between runs.
    open var request: URLRequest {
        get { read(\.request) }
        set {
            write {
                let old = ($0.request, $0.requestBeforePause)
                $0.request = newValue
                $0.requestBeforePause = nil
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

    /// The body, when the operation succeeded and its bytes were collected in memory (ST-7, ST-8).
    open var responseData: Data? { readResult(\.responseData) }

    /// Bytes stored so far, over pauses and resumes.
    open var totalBytesRead: Int64 { bytesStored.load(ordering: .relaxed) }

    /// The encoding the response names, UTF-8 where it names none; nil before a response (RS-1).
    open var responseStringEncoding: String.Encoding? {
        lock.withLock { guarded.response }.map(TextEncoding.encoding)
    }

    /// The body as text; nil when its bytes are not in the encoding (RS-2).
    open var responseString: String? {
        bodyText()
    }

    /// Makes what a subclass makes of the response, on a processing queue.
    func makeObject() {}

    // MARK: - State

    override open var isReady: Bool {
        noteAsked()
        return state == .ready && super.isReady
    }
    var areDependenciesDone: Bool { super.isReady }
    override open var isExecuting: Bool { state == .executing }
    override open var isFinished: Bool { state == .finished }
    override open var isAsynchronous: Bool { true }

    /// Whether the operation was paused and neither resumed nor ended.
    public var isPaused: Bool { state == .paused }

    /// Where it waits in a manager's queue with limits. Set later, it moves what waits.
    override open var queuePriority: QueuePriority {
        didSet { movePlace() }
    }

    /// Starts the operation if it is ready; a cancelled one finishes. Returns at once (OP-10), also where it has to
    /// wait for its place in a manager's queue with limits.
    override open func start() {
        act {
            let actions = guarded.machine.start(
                areDependenciesDone: super.isReady || isStartedByQueue, hasPlace: mayRun)
            if guarded.machine.wasStarted, guarded.runThread == nil {
                guarded.runThread = guarded.settings.networkThread
            }
            perform(actions)
        }
    }

    /// Waits for the end, which blocks the caller's thread.
    ///
    /// On a network thread, which has to do the work that is waited for, it stops the process, unless the
    /// operation has ended. Use a completion block there.
    @available(*, noasync, message: "Use completionBlock or a dependent Operation instead")
    override open func waitUntilFinished() {
        if !isFinished { NetworkThread.refuseToWait() }
        super.waitUntilFinished()
    }

    /// Cancels: an operation that was started finishes with `URLError.cancelled`, paused or not;
    /// one that was not finishes so when it is started, which a queue does by itself (OP-15,
    /// OP-16).
    override open func cancel() {
        act {
            guard state != .finished, !isCancelled else { return }
            visible.announcing { super.cancel() }
            guarded.stateObserver?(StateAnnouncement(keyPath: "isCancelled", isTrue: true))
            perform(guarded.machine.cancel())
        }
    }

    /// Stops the connection without finishing; what was received stays (OP-27).
    open func pause() {
        act { perform(guarded.machine.pause()) }
    }

    /// Goes on after a pause; an operation that its queue has not started yet waits for it.
    ///
    /// The rest of a part is requested by range, and joined only when the response fits.
    open func resume() {
        act {
            perform(guarded.machine.resume())
            askForPlaceUnlessStarted()
        }
    }

    /// What it waits for.
    override open var dependencies: [Operation] {
        super.dependencies.awaited
    }

    /// Makes it wait for another operation's end; it may be released before that.
    override open func addDependency(_ operation: Operation) {
        guard !dependencies.contains(where: { $0 === operation }) else { return }
        hasPredecessors.store(true, ordering: .relaxed)
        visible.announcing { super.addDependency(Predecessor(operation, of: self)) }
        leavePlaceUnlessReady()
    }

    /// Stops waiting for another operation.
    override open func removeDependency(_ operation: Operation) {
        for predecessor in super.dependencies.predecessors(of: operation) { predecessor.leave() }
    }

    // MARK: - Completion

    /// Runs once, after the operation has finished, on `completionQueue` or main; then it is gone.
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
    /// A form with a part that can be read only once fails, with an error that says so (wound 17).
    /// A subclass that can make its body again overrides this.
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

    /// Tries again to store what the stream had no room for.
    open func connectionBytesNotConsumed(_ connection: URLConnection) -> Int {
        guard connection === self.connection, let body = responseBody else { return 0 }
        if let reader = body.reader { return reader.isFull ? BodyChannel.room : 0 }
        guard body.isUnsettled else { return 0 }
        store { try $0.flush() }
        return self.responseBody?.waitingCount(isLast: connection.hasReceivedAll) ?? 0
    }

    /// Notes it for the manager's snapshot. An operation that was cancelled or paused while it waited sends
    /// nothing, also where its turn comes before its thread hears of that.
    open func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) {
        note(wait)
        if wait == nil, state != .executing || isCancelled { connection.cancel() }
    }

    /// Calls the retry block, on main.
    open func connection(
        _ connection: URLConnection, didDecideAboutRetry decision: RetryDecision
    ) {
        guard let block = read(\.blocks.retry) else { return }
        lock.withLock { runThread }.tellAtOnce(on: CallbackBatch.main) { block(decision) }
    }

    /// Asks the cache block, or agrees unless cancelled (RC-4).
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
    /// It has the metrics, progress, challenge, cache and redirect blocks, the completion queue and group,
    /// the modes, limits and credential; not the completion block, streams, `userInfo` or results.
    /// A subclass's `init(coder:)` makes it, with a coder that has no values; where that gives nil, it is an
    /// operation of the base class.
    open func copy(with zone: NSZone? = nil) -> Any {
        makeCopy()
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the request, the results and what protects it, but no credential; the operation itself
    /// stays as it is. The request's address, header fields and body are written as they are.
    open func encode(with coder: NSCoder) {
        let (guarded, result, state) = lock.withLock { (self.guarded, self.result, self.state) }
        OperationArchive.encode(guarded, result, state, with: coder)
        coder.encode(bytesStored.load(ordering: .relaxed), forKey: "totalBytesRead")
    }

    /// Reads what `encode` wrote. A finished operation comes back finished, any other ready; with a
    /// policy that is no laxer than the default one (see `SecurityPolicy`). Nil where a part that
    /// protects it is missing.
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
