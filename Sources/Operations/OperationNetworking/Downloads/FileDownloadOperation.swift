import CurlConnection
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking
import Scheduling

/// Downloads a file completely, with retries, and continues what an earlier process has downloaded.
///
/// Until the file is complete it is `NAME.part`, with a `DownloadRecord` beside it in `NAME.part.json`. The next
/// download to the same destination requests only the missing bytes. It starts over if the server's validator shows
/// that the file has changed. The part is renamed when its length and its hash are right.
///
/// `cancel()` keeps the part; there is no separate pause. Make it by `OperationManager.download`, or yourself.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `state`. Files are used on the serial queue `disk` alone. Calls out on:
/// `completionQueue` or main, and `disk` (`prepare`); never under the lock.
public final class FileDownloadOperation: Operation, @unchecked Sendable {
    // @unchecked because the properties are constant, or used under a lock or on one queue, as noted below.

    // MARK: Constant

    /// The request for the whole file. A retry needs a body of data, not a stream.
    public let request: URLRequest
    /// The URL of the file to be made.
    public let destination: URL
    /// The settings.
    public let options: DownloadOptions
    private let prepare: @Sendable (URLConnectionOperation) -> Void
    /// An open descriptor that gets the bytes in place of the destination; nil for a file.
    let output: Int32?
    let disk = DispatchQueue(label: "com.alamofire.networking.download", qos: .userInitiated)

    // MARK: With a lock

    let state = Locked(State())

    // MARK: On `disk` only

    var run: DownloadRun?

    /// Makes a download that is in no queue yet.
    ///
    /// - Parameters:
    ///   - file: a file URL; its folder must exist.
    ///   - prepare: called on a queue with the operation of each connection, to set its configuration, credential
    ///     and security policy; not its request, streams or completion block.
    public convenience init(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        prepare: @escaping @Sendable (URLConnectionOperation) -> Void = { _ in }
    ) {
        self.init(request, to: file, output: nil, options: options, prepare: prepare)
    }

    /// - Parameter output: an open descriptor that gets the bytes as they are received, in place of a file, even of
    ///   a download that fails later.
    package init(
        _ request: URLRequest, to file: URL, output: Int32?, options: DownloadOptions,
        prepare: @escaping @Sendable (URLConnectionOperation) -> Void
    ) {
        self.request = request
        destination = file
        self.output = output
        self.options = options
        self.prepare = prepare
        super.init()
    }

    deinit {
        super.dependencies.leavePredecessors()
        releaseSlots()
    }

    // MARK: - Results

    /// The file, or an error; nil before the end. The error is a `DownloadError` or a connection's error, which is
    /// `URLError.cancelled` after a cancel.
    public var result: Result<DownloadedFile, any Error>? { state.withLock { $0.result } }

    /// The progress so far.
    public var progress: DownloadProgress { state.withLock { $0.progress } }

    /// The response of the latest try.
    public var response: HTTPURLResponse? {
        let (first, last) = state.withLock { ($0.first, $0.response) }
        return first?.response as? HTTPURLResponse ?? last
    }

    // MARK: - Settings

    /// The queue on which the blocks below are called, one at a time and the result last; nil for main. Set it before
    /// the start.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// Sets the block that is called once, after the end, and then released.
    public func setResultBlock(_ block: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?) {
        set(\.blocks.result, block)
    }

    /// Sets the block that is called with the progress, once for all changes that come before the call.
    public func setProgressBlock(_ block: (@Sendable (DownloadProgress) -> Void)?) {
        set(\.blocks.progress, block)
    }

    /// Sets the block that is called after each failed try with the decision about a retry, and the error. It is not
    /// called for an error that is never retried.
    public func setRetryBlock(_ block: (@Sendable (RetryDecision, any Error) -> Void)?) {
        set(\.blocks.retry, block)
    }

    /// The old block is released without the lock: a `deinit` of what it captured may call the download.
    private func set<Block>(_ path: WritableKeyPath<State, Block>, _ block: Block) {
        var block = block
        state.withLock { if $0.phase != .finished { swap(&$0[keyPath: path], &block) } }
    }

    // MARK: - Operation

    override public var isAsynchronous: Bool { true }
    override public var isReady: Bool {
        super.isReady && state.withLock { $0.phase != .waiting }
    }
    var areDependenciesDone: Bool { super.isReady }
    override public var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    override public var isFinished: Bool { state.withLock { $0.phase == .finished } }

    /// The priority in a manager's queue with limits, even of a download that waits there.
    override public var queuePriority: QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            currentAdmission?.followPriority(of: self)
        }
    }

    /// Starts the download, or ends a cancelled one. Returns at once; in a manager's queue with limits, the download
    /// then waits for a slot.
    override public func start() {
        let admission = currentAdmission
        if isCancelled || admission?.mayStart != false { return begin() }
        let isFirst = state.withLock { state in
            guard state.phase == .ready else { return false }
            state.phase = .waiting
            return true
        }
        guard isFirst else { return }
        didChangeValue(forKey: "isReady")
        // A cancel that came before has not ended it, since it was not waiting.
        if isCancelled { begin() } else { requestSlot() }
    }

    /// Begins after `start()`, once there is a slot or after a cancel.
    func begin() {
        let isFirst = state.withLock { state in
            guard state.phase == .ready || state.phase == .waiting else { return false }
            state.phase = .executing
            return true
        }
        guard isFirst else { return }
        if isCancelled { currentAdmission?.withdraw() } else { currentAdmission?.begin() }
        didChangeValue(forKey: "isExecuting")
        disk.async { [self] in
            let run = DownloadRun(self, prepare)
            self.run = run
            run.begin()
        }
    }

    /// Cancels the download. Its part is kept for the next one to the same destination. It ends with
    /// `URLError.cancelled`, unless the file is already complete.
    override public func cancel() {
        super.cancel()
        let (transfers, phase) = state.withLock { ($0.transfers, $0.phase) }
        for transfer in transfers { transfer.cancel() }
        switch phase {
        // The queue starts it, and then it ends.
        case .ready: currentAdmission?.withdraw()
        case .waiting: begin()
        case .executing, .finished: break
        }
        disk.async { [self] in run?.cancelled() }
    }

    /// The operations that must end before it is started.
    override public var dependencies: [Operation] { super.dependencies.awaited }

    /// Adds an operation that must end before this one is started. This one may be released before.
    override public func addDependency(_ operation: Operation) {
        guard !dependencies.contains(where: { $0 === operation }) else { return }
        super.addDependency(Predecessor(operation, of: self))
        announceReadinessAgain()
        guard mustWithdraw else { return }
        currentAdmission?.withdraw()
        // It may have ended meanwhile.
        requestSlot()
    }

    /// Removes a dependency.
    override public func removeDependency(_ operation: Operation) {
        super.dependencies.leavePredecessors(of: operation)
    }

    /// Blocks the caller's thread until the end.
    ///
    /// On a network thread, which would wait for its own work, it stops the process unless the download has ended.
    /// Use `setResultBlock` there.
    @available(*, noasync, message: "Use setResultBlock or a dependent Operation instead")
    override public func waitUntilFinished() {
        if !isFinished { NetworkThread.refuseToWait() }
        super.waitUntilFinished()
    }
}

extension FileDownloadOperation {
    enum Phase {
        case ready
        /// Started, and without a slot.
        case waiting
        case executing, finished
    }

    struct Blocks {
        var progress: (@Sendable (DownloadProgress) -> Void)?
        var retry: (@Sendable (RetryDecision, any Error) -> Void)?
        var result: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?
    }

    struct State {
        var phase = Phase.ready
        var progress = DownloadProgress()
        var result: Result<DownloadedFile, any Error>?
        /// The first connection of the latest try, until the end; it retains this operation.
        var first: PartTransfer?
        /// Its response, after the end.
        var response: HTTPURLResponse?
        /// The running connections.
        var transfers: [PartTransfer] = []
        /// Its slot or the request for one; nil without limits.
        var admission: Admission?
        /// The admission of the first try, with the slot in the queue's width; set while another one is used.
        var queueAdmission: Admission?
        var member = QueueMember()
        /// Whether a manager has added it to a queue.
        var wasAdded = false
        /// The time of the next try, while it waits for that.
        var retry: Date?
        var blocks = Blocks()
        var completionQueue: DispatchQueue? {
            didSet { queueOfCalls = nil }
        }
        /// Nil until the first call.
        private var queueOfCalls: DispatchQueue?
        /// Whether a call of the progress block was dispatched.
        var isReporting = false

        /// Serial, so that on a concurrent queue no two calls overlap and the result comes last.
        var calls: DispatchQueue {
            mutating get {
                if let queueOfCalls { return queueOfCalls }
                let queue = DispatchQueue(
                    label: "com.alamofire.networking.download.calls",
                    target: completionQueue ?? .main)
                queueOfCalls = queue
                return queue
            }
        }
    }

    /// Changes the progress and dispatches the progress block, from any thread.
    func report(_ change: (inout DownloadProgress) -> Void) {
        let queue: DispatchQueue? = state.withLock { state in
            change(&state.progress)
            guard state.blocks.progress != nil, !state.isReporting else { return nil }
            state.isReporting = true
            return state.calls
        }
        queue?.async { [self] in
            let (block, progress) = state.withLock { state in
                state.isReporting = false
                return (state.blocks.progress, state.progress)
            }
            block?(progress)
        }
    }

    /// Adds a connection, for `cancel()` and `response`.
    func began(_ transfer: PartTransfer, isFurther: Bool, partial: PartialContent?, stored: Int64) {
        let old = state.withLock { state in
            state.transfers.append(transfer)
            defer { if !isFurther { state.first = transfer } }
            return isFurther ? nil : state.first
        }
        // Released without the lock, with the caller's objects in it.
        withExtendedLifetime(old) {}
        if isFurther { return }
        report {
            $0.attempts += 1
            $0.stored = partial == nil ? 0 : stored
            $0.total = partial?.totalLength
            $0.resumedFrom = nil
        }
    }

    func ended(_ transfer: PartTransfer) {
        state.withLock { $0.transfers.removeAll { $0 === transfer } }
    }

    func notify(_ decision: RetryDecision, _ error: any Error) {
        let call = state.withLock { state in state.blocks.retry.map { (state.calls, $0) } }
        if let (queue, block) = call { queue.async { block(decision, error) } }
    }

    /// Ends the operation, once.
    func finish(_ result: Result<DownloadedFile, any Error>) {
        run = nil
        let response = response
        let (calls, end) = state.withLock { state in
            let calls = state.calls
            let end = state
            state.phase = .finished
            state.result = result
            state.response = response
            state.first = nil
            state.blocks = Blocks()
            return (calls, end)
        }
        calls.async {
            // The dispatched call finds no block any more.
            if end.isReporting { end.blocks.progress?(end.progress) }
            end.blocks.result?(result)
        }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        releaseSlots()
    }
}
