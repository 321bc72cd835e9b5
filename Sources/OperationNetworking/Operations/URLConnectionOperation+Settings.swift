public import CurlConnection
public import Foundation
public import FoundationNetworking

// What a caller may set and nobody needs to override.

extension URLConnectionOperation {
    /// The thread the connection runs on; read at the first start, for all runs.
    public var networkThread: NetworkThread {
        get { read(\.networkThread) }
        set { write { $0.networkThread = newValue } }
    }

    /// The run-loop modes in which the connection makes progress; the common modes by default.
    public var runLoopModes: Set<RunLoop.Mode> {
        get { read(\.runLoopModes) }
        set { write { $0.runLoopModes = newValue } }
    }

    /// Seconds the whole transfer may take even while bytes move; nil, the default, is no limit.
    public var timeoutIntervalForResource: TimeInterval? {
        get { read(\.timeoutIntervalForResource) }
        set { write { $0.timeoutIntervalForResource = newValue } }
    }

    /// What the connection is told when it asks about stored credentials (AU-1).
    public var shouldUseCredentialStorage: Bool {
        get { read(\.shouldUseCredentialStorage) }
        set { write { $0.shouldUseCredentialStorage = newValue } }
    }

    /// The credential that answers the first challenge (AU-4) of the request's own scheme, host and
    /// port; a server that a redirect leads to elsewhere does not get it (wound 65).
    public var credential: URLCredential? {
        get { read(\.credential) }
        set { write { $0.credential = newValue } }
    }

    /// What judges a server's certificates; set it up before it is given away.
    public var securityPolicy: SecurityPolicy {
        get { read(\.securityPolicy) }
        set { write { $0.securityPolicy = newValue } }
    }

    /// Cookies, cache, proxy and limits of the connection.
    public var configuration: URLConnectionConfiguration {
        get { read(\.configuration) }
        set { write { $0.configuration = newValue } }
    }

    /// The stream the request's body is read from.
    public var inputStream: InputStream? {
        get { read(\.request).httpBodyStream }
        set {
            write {
                $0.request.httpBodyStream = newValue
                $0.requestBeforePause?.httpBodyStream = newValue
            }
        }
    }

    /// Where received bytes go. Reading it when none is set makes a memory stream (ST-1).
    ///
    /// Setting it closes the stream set before, unless a run is writing to that one; a run that is
    /// paused goes on with its own.
    public var outputStream: OutputStream? {
        get {
            lock.withLock {
                if guarded.outputStream == nil, !isFinished {
                    guarded.outputStream = .toMemory()
                }
                return guarded.outputStream
            }
        }
        set {
            let unused: OutputStream? = lock.withLock {
                let previous = guarded.outputStream
                guarded.outputStream = newValue
                return previous === newValue || previous === guarded.streamInUse
                    ? nil : previous
            }
            unused?.close()
        }
    }

    /// Where the completion block runs; nil is the main queue. Read when the operation finishes.
    public var completionQueue: DispatchQueue? {
        get { read(\.completionQueue) }
        set { write { $0.completionQueue = newValue } }
    }

    /// The group the completion block joins; nil is none. Read when the operation finishes.
    public var completionGroup: DispatchGroup? {
        get { read(\.completionGroup) }
        set { write { $0.completionGroup = newValue } }
    }

    /// The caller's own values; not looked at here.
    public var userInfo: [AnyHashable: Any] {
        get { read(\.userInfo) }
        set { write { $0.userInfo = newValue } }
    }

    /// Sees each change of a key path, under the lock: what key-value observing shows elsewhere.
    package var stateObserver: (@Sendable (StateAnnouncement) -> Void)? {
        get { read(\.stateObserver) }
        set { write { $0.stateObserver = newValue } }
    }
}

// MARK: - Under the lock

extension URLConnectionOperation {
    func read<Value>(_ path: KeyPath<Guarded, Value>) -> Value {
        lock.withLock { guarded[keyPath: path] }
    }

    /// What is replaced goes after the lock: what it holds may ask something when it goes (wound
    /// 55).
    func write(_ change: (inout Guarded) -> Void) {
        let old = lock.withLock {
            let old = guarded
            change(&guarded)
            return old
        }
        withExtendedLifetime(old) {}
    }
}

// MARK: - Blocks

extension URLConnectionOperation {
    /// Sets what hears of sent bytes, on main: of this piece, in all, and expected (-1: unknown).
    public func setUploadProgressBlock(
        _ block: (
            @Sendable (
                _ bytesWritten: Int64, _ totalBytesWritten: Int64,
                _ totalBytesExpectedToWrite: Int64
            ) -> Void
        )?
    ) {
        set(\.uploadProgress, to: block)
    }

    /// Sets what hears of stored bytes, on main: of this piece, in all, and expected (-1: unknown).
    public func setDownloadProgressBlock(
        _ block: (
            @Sendable (
                _ bytesRead: Int64, _ totalBytesRead: Int64, _ totalBytesExpectedToRead: Int64
            ) -> Void
        )?
    ) {
        set(\.downloadProgress, to: block)
    }

    /// Sets what answers every challenge instead of `credential` (AU-2), on the network thread.
    public func setWillSendRequestForAuthenticationChallengeBlock(
        _ block: (@Sendable (URLConnection, URLAuthenticationChallenge) -> Void)?
    ) {
        set(\.challenge, to: block)
    }

    /// Sets what may change or drop an answer for the cache, on the network thread (RC-4).
    public func setCacheResponseBlock(
        _ block: (@Sendable (URLConnection, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        set(\.cacheResponse, to: block)
    }

    /// Sets what decides the first request and each redirect, on the network thread (RC-1, RC-2).
    public func setRedirectResponseBlock(
        _ block: (@Sendable (URLConnection, URLRequest, URLResponse?) -> URLRequest?)?
    ) {
        set(\.redirectResponse, to: block)
    }

    /// After the end a block would be kept for nothing.
    private func set<Block>(_ block: WritableKeyPath<Blocks, Block>, to value: Block) {
        write { guarded in
            if !isFinished { guarded.blocks[keyPath: block] = value }
        }
    }
}
