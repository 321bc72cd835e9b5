public import CurlConnection
public import Foundation
public import FoundationNetworking
public import HTTPSemantics
import Synchronization

extension URLConnectionOperation {
    /// The thread the connection runs on; read at the first start, for all runs.
    public var networkThread: NetworkThread {
        get { read(\.settings.networkThread) }
        set { replace(\.settings.networkThread, by: newValue) }
    }

    /// The run-loop modes in which the connection makes progress; the common modes by default.
    public var runLoopModes: Set<RunLoop.Mode> {
        get { read(\.settings.runLoopModes) }
        set { replace(\.settings.runLoopModes, by: newValue) }
    }

    /// Seconds the whole transfer may take even while bytes move; nil, the default, is no limit.
    public var timeoutIntervalForResource: TimeInterval? {
        get { read(\.settings.timeoutIntervalForResource) }
        set { replace(\.settings.timeoutIntervalForResource, by: newValue) }
    }

    /// Whether the connection may use stored credentials (AU-1).
    public var shouldUseCredentialStorage: Bool {
        get { read(\.settings.shouldUseCredentialStorage) }
        set { replace(\.settings.shouldUseCredentialStorage, by: newValue) }
    }

    /// The credential that answers the first challenge of the request's own scheme, host and port; another
    /// server, to which a redirect leads, does not get it.
    public var credential: URLCredential? {
        get { read(\.settings.credential) }
        set { replace(\.settings.credential, by: newValue) }
    }

    /// What judges a server's certificates. A change of its settings applies from the next request on.
    public var securityPolicy: SecurityPolicy {
        get { lock.withLock { guarded.securityPolicy } }
        set { replace(\.settings.chosenPolicy, by: newValue) }
    }

    /// Cookies, cache, proxy and limits of the connection.
    public var configuration: URLConnectionConfiguration {
        get { read(\.settings.configuration) }
        set { replace(\.settings.configuration, by: newValue) }
    }

    /// The stream the request's body is read from.
    public var inputStream: InputStream? {
        get { read(\.request).httpBodyStream }
        set {
            write {
                let old = $0.request.httpBodyStream
                $0.request.httpBodyStream = newValue
                $0.rare?.requestBeforePause?.httpBodyStream = newValue
                return old
            }
        }
    }

    /// Where received bytes go. Reading it when none is set makes a memory stream.
    ///
    /// Setting it closes the previous stream, unless a run writes to that one; a paused run keeps its own.
    public var outputStream: OutputStream? {
        get {
            lock.withLock {
                if guarded.rare?.outputStream == nil, state != .finished {
                    guarded.rareValues.outputStream = .toMemory()
                }
                return guarded.rare?.outputStream
            }
        }
        set {
            let unused: OutputStream? = lock.withLock {
                if newValue == nil, guarded.rare == nil { return nil }
                let rare = guarded.rareValues
                let previous = rare.outputStream
                rare.outputStream = newValue
                return previous === newValue || previous === rare.streamInUse ? nil : previous
            }
            unused?.close()
        }
    }

    /// Where the completion block runs; nil is the main queue. Read when the operation finishes.
    public var completionQueue: DispatchQueue? {
        get { read(\.settings.completionQueue) }
        set { replace(\.settings.completionQueue, by: newValue) }
    }

    /// The group the completion block joins; nil is none. Read when the operation finishes.
    public var completionGroup: DispatchGroup? {
        get { read(\.settings.completionGroup) }
        set { replace(\.settings.completionGroup, by: newValue) }
    }

    /// Values of the caller's own.
    public var userInfo: [AnyHashable: Any] {
        get { lock.withLock { guarded.rare?.userInfo ?? [:] } }
        set { replaceRare(\.userInfo, by: newValue.isEmpty ? nil : newValue) }
    }

    package var wasStarted: Bool { read(\.machine.wasStarted) }

    /// The connection's error, without a serializer's.
    package var ownError: (any Error)? { readResult(\.error) }

    /// Called for each change of a key path, as key-value observing would be.
    package var stateObserver: (@Sendable (StateAnnouncement) -> Void)? {
        get { lock.withLock { guarded.rare?.stateObserver } }
        set { replaceRare(\.stateObserver, by: newValue) }
    }
}

// MARK: - Under the lock

extension URLConnectionOperation {
    /// Inlined, so that the key path is resolved by the compiler.
    @inline(__always)
    func read<Value>(_ path: KeyPath<GuardedValues, Value>) -> Value {
        lock.withLock { guarded[keyPath: path] }
    }

    /// After the end without the lock: the result is constant then.
    @inline(__always)
    func readResult<Value>(_ path: KeyPath<OperationResult, Value>) -> Value {
        state == .finished ? result[keyPath: path] : lock.withLock { result[keyPath: path] }
    }

    /// Sets one value, and releases the old one without the lock, as `write`.
    @inline(__always)
    func replace<Value>(_ path: WritableKeyPath<GuardedValues, Value>, by value: Value) {
        var value = value
        lock.withLock { swap(&guarded[keyPath: path], &value) }
    }

    /// Like `replace`, for a value that few operations have.
    func replaceRare<Value>(
        _ path: ReferenceWritableKeyPath<RareValues, Value?>, by value: Value?
    ) {
        var value = value
        lock.withLock {
            if value == nil, guarded.rare == nil { return }
            swap(&guarded.rareValues[keyPath: path], &value)
        }
    }

    /// Changes several values. The block returns the old ones, which are released without the lock: their `deinit` may
    /// call the operation.
    func write<Replaced>(_ change: (inout GuardedValues) -> Replaced) {
        withExtendedLifetime(lock.withLock { change(&guarded) }) {}
    }
}

// MARK: - Blocks

extension URLConnectionOperation {
    /// Sets the block for sent bytes, on main: of this piece, in all, and expected (-1: unknown).
    ///
    /// The numbers are bytes that the socket took, at most 32 KiB in a call, and so follow the peer.
    public func setUploadProgressBlock(
        _ block: (
            @Sendable (
                _ bytesWritten: Int64, _ totalBytesWritten: Int64,
                _ totalBytesExpectedToWrite: Int64
            ) -> Void
        )?
    ) {
        setReporting(\.uploadProgress, to: block)
    }

    /// Sets the block for stored bytes, on main: of this piece, in all, and expected (-1: unknown).
    public func setDownloadProgressBlock(
        _ block: (
            @Sendable (
                _ bytesRead: Int64, _ totalBytesRead: Int64, _ totalBytesExpectedToRead: Int64
            ) -> Void
        )?
    ) {
        // First, so that a copy that gets the block gets this too.
        if block != nil { reportsBytes.store(true, ordering: .relaxed) }
        setReporting(\.downloadProgress, to: block)
    }

    /// Sets the block for the times of all runs: called once, at the end, on `completionQueue` or main,
    /// before the completion block, success or failure. A paused operation has not ended.
    public func setMetricsBlock(_ block: (@Sendable (_ metrics: RequestMetrics) -> Void)?) {
        setReporting(\.metrics, to: block)
    }

    /// Sets the block for failures that the configuration's `retryPolicy` decided about, on main: once for
    /// each, with what follows.
    public func setRetryBlock(_ block: (@Sendable (_ decision: RetryDecision) -> Void)?) {
        setReporting(\.retry, to: block)
    }

    /// Sets the block that answers every challenge instead of `credential` (AU-2), on the network thread.
    ///
    /// It lives as long as the operation, for copies made after the end; so do the two below. One
    /// that holds the operation itself keeps it for ever.
    public func setWillSendRequestForAuthenticationChallengeBlock(
        _ block: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    ) {
        replace(\.blocks.challenge, by: block)
    }

    /// Sets the block that may change or drop a response for the cache, on the network thread.
    public func setCacheResponseBlock(
        _ block: (@Sendable (URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        replace(\.blocks.cacheResponse, by: block)
    }

    /// Sets what decides the first request and each redirect, on the network thread (RC-1, RC-2).
    public func setRedirectResponseBlock(
        _ block: (@Sendable (URLConnection, URLRequest, URLResponse?) -> URLRequest?)?
    ) {
        replace(\.blocks.redirectResponse, by: block)
    }

    /// Adds a progress block, called after the present one; a block that is set later replaces both.
    func reportAlso(
        _ path: WritableKeyPath<Blocks, Blocks.Progress?>, _ block: @escaping Blocks.Progress
    ) {
        reportsBytes.store(true, ordering: .relaxed)
        lock.withLock {
            guard state != .finished else { return }
            let old = guarded.blocks[keyPath: path]
            guarded.blocks[keyPath: path] = {
                old?($0, $1, $2)
                block($0, $1, $2)
            }
        }
    }

    /// Not after the end: the block would never be released.
    private func setReporting<Block>(_ block: WritableKeyPath<Blocks, Block>, to value: Block) {
        var value = value
        lock.withLock {
            if state != .finished { swap(&guarded.blocks[keyPath: block], &value) }
        }
    }
}
