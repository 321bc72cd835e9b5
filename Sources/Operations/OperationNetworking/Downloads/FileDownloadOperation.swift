import CurlConnection
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Locking
import Scheduling

/// A request whose body becomes a file, whole or not at all, over as many tries and runs of the process as
/// it takes.
///
/// Until it is whole, the file is `NAME.part`, with a `DownloadRecord` beside it in `NAME.part.json`. The next
/// download to the same place requests the missing bytes alone, from the first address, and starts over where
/// the server's validator says that the file is another one. The bytes are hashed while they are written.
/// Only when length and hash are right does the part get its name, by a rename.
///
/// `cancel()` keeps the part; there is no separate pause. Make it by `OperationManager.download`, or yourself.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`, around what others may read; the rest belongs to the serial queue
/// `disk`, where everything that touches a file runs, and which Dispatch gives a thread of its own. Calls
/// out on: `completionQueue` or main, never under the lock.
public final class FileDownloadOperation: Operation, @unchecked Sendable {
    // @unchecked because of the groups below.

    // MARK: Set once

    /// The request of the first byte. Its body, if it has one, must be data.
    public let request: URLRequest
    /// Where the file goes.
    public let destination: URL
    /// What was asked for.
    public let options: DownloadOptions
    private let prepare: @Sendable (URLConnectionOperation) -> Void
    /// Where the bytes go in place of the destination; nil: they become a file.
    let output: Int32?
    let disk = DispatchQueue(label: "com.alamofire.networking.download", qos: .userInitiated)

    // MARK: Guarded by lock

    let state = Locked(State())

    // MARK: On `disk` only

    var run: DownloadRun?

    /// Makes a download that is in no queue yet.
    ///
    /// - Parameters:
    ///   - file: a file URL; its folder must exist.
    ///   - prepare: called before each connection with its operation, on a queue, to set what a request does
    ///     not hold: configuration, credential, policy. Not the request, the streams or the completion block.
    public convenience init(
        _ request: URLRequest, to file: URL, options: DownloadOptions = DownloadOptions(),
        prepare: @escaping @Sendable (URLConnectionOperation) -> Void = { _ in }
    ) {
        self.init(request, to: file, output: nil, options: options, prepare: prepare)
    }

    /// - Parameter output: an open descriptor that gets the bytes as they come, in place of a file: they are
    ///   not taken back, also where the download fails later. A pipe may be slow; its download waits.
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
        for predecessor in super.dependencies.predecessors() { predecessor.leave() }
        leavePlaces()
    }

    // MARK: - Results

    /// The file, or an error; nil before the end. The error is a `DownloadError`, one that a connection
    /// reports, or `URLError.cancelled` after a cancel.
    public var result: Result<DownloadedFile, any Error>? { state.withLock { $0.result } }

    /// How far it is.
    public var progress: DownloadProgress { state.withLock { $0.progress } }

    /// The latest response of the latest try.
    public var response: HTTPURLResponse? {
        let (first, last) = state.withLock { ($0.first, $0.response) }
        return first?.response as? HTTPURLResponse ?? last
    }

    // MARK: - Settings

    /// Where the blocks below run; nil is the main queue.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// Sets the block that is called once, after the end. It is dropped then.
    public func setResultBlock(_ block: (@Sendable (Result<DownloadedFile, any Error>) -> Void)?) {
        set(\.blocks.result, block)
    }

    /// Sets the block for progress. While it runs, or waits to, news are put together.
    public func setProgressBlock(_ block: (@Sendable (DownloadProgress) -> Void)?) {
        set(\.blocks.progress, block)
    }

    /// Sets the block that is called for each failed try, with the decision and the error; not for an error
    /// that no retry can mend.
    public func setRetryBlock(_ block: (@Sendable (RetryDecision, any Error) -> Void)?) {
        set(\.blocks.retry, block)
    }

    /// The old block goes after the lock: what it holds may call the download in its `deinit`.
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

    /// Where it waits in a manager's queue with limits. Set later, it moves what waits.
    override public var queuePriority: QueuePriority {
        get { super.queuePriority }
        set {
            super.queuePriority = newValue
            currentAdmission?.move(to: TransferPriority(of: self))
        }
    }

    /// Starts it, unless it was cancelled. Returns at once; in a manager's queue with limits it waits here for its
    /// place.
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
        // A cancel that came before saw that nobody had started it.
        if isCancelled { begin() } else { takePlace() }
    }

    /// It was started and has its place, or is cancelled.
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

    /// Stops it; the bytes received so far are kept for the next download to the same place. It ends with
    /// `URLError.cancelled`, unless the last byte had arrived already.
    override public func cancel() {
        super.cancel()
        let (transfers, phase) = state.withLock { ($0.transfers, $0.phase) }
        for transfer in transfers { transfer.cancel() }
        switch phase {
        // Its queue starts it, so that it ends.
        case .ready: currentAdmission?.withdraw()
        case .waiting: begin()
        case .executing, .finished: break
        }
        disk.async { [self] in run?.cancelled() }
    }

    /// What it waits for.
    override public var dependencies: [Operation] { super.dependencies.awaited }

    /// Makes it wait for another operation's end; it may be released before that.
    override public func addDependency(_ operation: Operation) {
        guard !dependencies.contains(where: { $0 === operation }) else { return }
        super.addDependency(Predecessor(operation, of: self))
        if mustWithdraw { currentAdmission?.withdraw() }
    }

    /// Stops waiting for another operation.
    override public func removeDependency(_ operation: Operation) {
        for predecessor in super.dependencies.predecessors(of: operation) { predecessor.leave() }
    }

    /// Waits for the end, which blocks the caller's thread.
    ///
    /// On a network thread, which has to do the work that is waited for, it stops the process, unless the
    /// download has ended. Use `setResultBlock` there.
    @available(*, noasync, message: "Use setResultBlock or a dependent Operation instead")
    override public func waitUntilFinished() {
        if !isFinished { NetworkThread.refuseToWait() }
        super.waitUntilFinished()
    }
}

extension FileDownloadOperation {
    enum Phase {
        case ready
        /// It was started, and has no place yet.
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
        /// The first connection of the latest try; it holds the operation, and goes with the end.
        var first: PartTransfer?
        /// Its response, after the end.
        var response: HTTPURLResponse?
        /// Those that run.
        var transfers: [PartTransfer] = []
        /// Its way to its place; nil where there are no limits.
        var admission: Admission?
        /// Where it keeps its place in the queue, after its first try.
        var placeInQueue: Admission?
        var member = QueueMember()
        /// Whether it was put into a queue by a manager.
        var wasEntered = false
        /// When the next try begins, while it waits for that.
        var retry: Date?
        var blocks = Blocks()
        var completionQueue: DispatchQueue?
        /// Whether a progress block is on its way.
        var isTelling = false
    }

    /// Changes the progress and tells of it, from any thread.
    func report(_ change: (inout DownloadProgress) -> Void) {
        let queue: DispatchQueue? = state.withLock { state in
            change(&state.progress)
            guard state.blocks.progress != nil, !state.isTelling else { return nil }
            state.isTelling = true
            return state.completionQueue ?? .main
        }
        queue?.async { [self] in
            let (block, progress) = state.withLock { state in
                state.isTelling = false
                return (state.blocks.progress, state.progress)
            }
            block?(progress)
        }
    }

    /// Keeps a connection, which a cancel is to reach.
    func began(_ transfer: PartTransfer, isFurther: Bool, partial: PartialContent?, stored: Int64) {
        let old = state.withLock { state in
            state.transfers.append(transfer)
            defer { if !isFurther { state.first = transfer } }
            return isFurther ? nil : state.first
        }
        // Released after the lock, with what the program gave it.
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

    func tell(_ decision: RetryDecision, _ error: any Error) {
        let (block, queue) = state.withLock { ($0.blocks.retry, $0.completionQueue ?? .main) }
        if let block { queue.async { block(decision, error) } }
    }

    /// Ends the operation, once.
    func finish(_ result: Result<DownloadedFile, any Error>) {
        run = nil
        let response = response
        let end = state.withLock { state in
            let end = state
            state.phase = .finished
            state.result = result
            state.response = response
            state.first = nil
            state.blocks = Blocks()
            return end
        }
        (end.completionQueue ?? .main).async {
            // The news that were on their way, since the blocks are gone by now.
            if end.isTelling { end.blocks.progress?(end.progress) }
            end.blocks.result?(result)
        }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        leavePlaces()
    }
}
