package import EventRecorder
public import Foundation
public import FoundationNetworking
package import HTTPSemantics
import Locking
package import Scheduling

/// Loads one request and calls its delegate, as NSURLConnection did.
///
/// It loads URLs with the schemes http and https, and with `file` and `data` if `configuration.loadsLocalAddresses` is
/// true. From `start` until the last delegate call it is retained, and so is the delegate.
///
/// ## Concurrency
/// Call from: one thread, that of the run loop in which it is scheduled. Lock: none. Calls out on: that thread, in the
/// scheduled modes, and never before `start` has returned. A delegate may call `cancel` from each of its methods.
public final class URLConnection {
    // MARK: Set once

    /// The request with which it was made.
    public let originalRequest: URLRequest

    // MARK: The run loop's thread only

    // Exclusivity is not checked, for speed, except for values whose mutating methods call the delegate, a stream or a
    // block.

    /// The latest request, with the changes of the delegate, the interceptor, the retry policy and redirects.
    @exclusivity(unchecked) public internal(set) var currentRequest: URLRequest
    /// The most seconds from `start` to the end of the load, with all redirects; nil for no limit.
    ///
    /// Set it before `start`. `URLRequest.timeoutInterval` limits only the time in which no byte is sent or received.
    @exclusivity(unchecked) public var timeoutIntervalForResource: TimeInterval?
    /// Cookies, cache, proxy and limits; set it before `start`.
    @exclusivity(unchecked) public var configuration: URLConnectionConfiguration

    @exclusivity(unchecked) package var trustRequirements = ServerTrustRequirements()
    /// The priority among the loads that wait for a connection to the same origin.
    @exclusivity(unchecked) package var priority = TransferPriority.normal
    /// The session, whose loads are counted together for `httpMaximumConnectionsPerHost`; nil for loads without a session,
    /// which are also counted together.
    @exclusivity(unchecked) package var limitOwner: ObjectIdentifier?
    /// Whether the body is written to a stream; it is then received in larger pieces.
    @exclusivity(unchecked) package var isResponseStreamed = false
    /// The number that identifies the load in a recording; an operation sets its own number.
    package lazy var number = EventRecorder.nextNumber()
    /// How the load notices that its delegate can take more bytes.
    @exclusivity(unchecked) package var consumer = Consumer.polled
    /// The name of the request in a recording, if the owner has made one. It is removed when method or URL change, and
    /// when another request follows a response.
    @exclusivity(unchecked) package var name = EventText.none

    /// The passes of the thread's run loop, if the thread is a network thread and the modes are the common ones.
    @exclusivity(unchecked) package var pass: RunLoopPass?

    @exclusivity(unchecked) var delegate: (any URLConnectionDelegate)?
    @exclusivity(unchecked) var suspension = LoadSuspension()
    @exclusivity(unchecked) private var runLoop: RunLoop?
    @exclusivity(unchecked) var modes: Set<RunLoop.Mode> = []
    /// Changed only by the two methods `apply`, of this class and of `Transfer`.
    @exclusivity(unchecked) var state = Load.idle
    /// The number of the question to the delegate, the interceptor or the disk for whose answer the load waits.
    @exclusivity(unchecked) var question: Int?
    /// The number of such questions until now.
    @exclusivity(unchecked) var questions = 0
    /// Whether a timer checks `deadline` because there is no exchange that does.
    @exclusivity(unchecked) var isDeadlineWatched = false
    @exclusivity(unchecked) var transport: RunLoopTransport? {
        didSet {
            oldValue?.leave(self)
            transport?.enter(self)
        }
    }
    /// The index of this load in the transport's list.
    @exclusivity(unchecked) var loadIndex = 0
    @exclusivity(unchecked) var transfer: Transfer?
    var body = BodySource()
    /// Whether a server has refused the `Expect` of a request, which the next ones of the load omit.
    @exclusivity(unchecked) var omitsExpectation = false
    @exclusivity(unchecked) var deadline: UInt64?
    @exclusivity(unchecked) var redirectCount = 0
    @exclusivity(unchecked) var retrying = Retrying()
    /// The job that sends the request again after a delay; the transport retains it.
    weak var nextTry: DueJob?
    @exclusivity(unchecked) var interception: Task<Void, Never>?
    var caching = ResponseCaching()
    var authentication = AuthenticationExchange()
    @exclusivity(unchecked) var trustDecisions = TrustDecisions()
    @exclusivity(unchecked) var credentialStorageAnswer: Bool?
    @exclusivity(unchecked) var measurement = LoadMeasurement()
    @exclusivity(unchecked) var counts = ReceivedCounts()
    /// Reads a `file` or `data` URL, or the file of a stored response.
    @exclusivity(unchecked) var reader: LocalReader?
    var classLoad: ClassLoad?
    /// The last URL that none of `configuration.protocolClasses` loads; nil after a redirect, which they are asked about.
    @exclusivity(unchecked) var declined: URL?
    /// The result of checking the request, which is used again while the request does not change.
    @exclusivity(unchecked) private var checked: CheckedRequest?
    /// What the load does when the exchange under way has ended, in place of delivering its response.
    @exclusivity(unchecked) var following: LoadStep?
    @exclusivity(unchecked) var consumerWait = ConsumerWait()
    /// When bytes were last sent, received or consumed, by the clock of the configuration.
    @exclusivity(unchecked) var lastActivity: UInt64 = 0
    /// The job that checks the time limits while the load has no transfer.
    weak var timeWatch: DueJob?
    /// The queue of this load alone whose read from the disk it waits for.
    @exclusivity(unchecked) var diskQueue: WorkerQueue?

    /// Makes a connection for a request.
    ///
    /// - Parameters:
    ///   - delegate: retained from the start to its last call.
    ///   - startImmediately: whether to start in the default mode of the current run loop.
    public init(
        request: URLRequest, delegate: (any URLConnectionDelegate)?, startImmediately: Bool = true
    ) {
        originalRequest = request
        currentRequest = request
        self.delegate = delegate
        configuration = URLConnectionConfiguration()
        if startImmediately {
            start()
        }
    }

    /// Makes a connection that is not started. The configuration is consumed, because copying it retains many objects.
    package init(
        request: URLRequest, delegate: any URLConnectionDelegate,
        configuration: consuming URLConnectionConfiguration
    ) {
        originalRequest = request
        currentRequest = request
        self.delegate = delegate
        self.configuration = configuration
    }

    /// Adds a run loop mode in which the connection loads. To be called before `start`; later calls have no effect.
    public func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        precondition(
            self.runLoop == nil || self.runLoop === runLoop,
            "A URLConnection can be scheduled in one run loop.")
        self.runLoop = runLoop
        modes.insert(mode)
    }

    /// Adds several modes at once.
    package func schedule(in runLoop: RunLoop, forModes modes: Set<RunLoop.Mode>) {
        self.runLoop = runLoop
        self.modes = self.modes.isEmpty ? modes : self.modes.union(modes)
    }

    /// Removes a mode. To be called before `start`.
    public func unschedule(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        modes.remove(mode)
    }

    /// Starts loading. The delegate is called by the run loop, never before this has returned.
    ///
    /// If `schedule` was not called, it loads in the default mode of the current run loop. A second call does nothing.
    public func start() {
        guard prepare() else { return }
        do {
            // Not by `RunLoop.perform`: `RunLoop.run(mode:before:)` returns only after a source was called, and the
            // transport is a source.
            try suitableTransport(for: plainKey).later {
                self.measurement.startsLate()
                self.begin()
            }
        } catch {
            later { self.fail(error) }
        }
    }

    /// To be called if the body is written to a file, also after the response. The ratio of decompressed to received
    /// bytes then has no limit, and the response to a later request is received in larger pieces.
    package func responseIsStored() {
        isResponseStreamed = true
        configuration.limits.decompressionRatio = nil
        transfer?.liftDecompressionRatio()
    }

    /// Starts loading, and may call the delegate before it returns. For callers that the run loop has called.
    package func startAtOnce() {
        if prepare() { begin() }
    }

    /// - Returns: false if the connection was started before.
    private func prepare() -> Bool {
        guard state == .idle else { return false }
        precondition(
            runLoop == nil || runLoop === RunLoop.current,
            "A URLConnection starts on the thread of the run loop it is scheduled in.")
        apply(.start)
        if modes.isEmpty {
            modes = [RunLoop.Mode.default]
        }
        measurement.starts(at: MonotonicClock.now)
        deadline = timeoutIntervalForResource.flatMap(configuration.clock.deadline)
        return true
    }

    /// Stops loading. The delegate is not called any more, except with the end if the body's stream calls this while it
    /// is closed at the end. The delegate's methods may call this.
    public func cancel() {
        transfer?.cancel()
        finish()
    }

    // MARK: Loading

    private func begin() {
        guard state == .starting else { return }
        guard takes(.step) else { return hold { self.begin() } }
        do {
            // Only if no `URLProtocol` class may load the request, since such a class may load one that HTTP could not send.
            if !isLocal, configuration.protocolClasses.isEmpty {
                _ = try check(currentRequest)
            }
        } catch {
            return fail(error)
        }
        let request = firstRequest()
        guard state == .starting else { return }
        guard takes(.step) else { return hold { self.begin(with: request) } }
        begin(with: request)
    }

    private func begin(with request: URLRequest?) {
        guard let request else {
            return fail(URLError(.cancelled, url: currentRequest.url))
        }
        currentRequest = request
        if isLocal { return isOffered(request) ? () : loadLocally() }
        currentRequest = retrying.begin(request, by: configuration.retryPolicy)
        loadAdapted(currentRequest)
    }

    /// Checks a request, unless it is the same as the last time.
    func check(_ request: URLRequest) throws(URLError) -> CheckedRequest {
        if let checked, checked.isResult(for: request) { return checked }
        let new = try RequestValidation.check(request, TransportTable.fields)
        checked = new
        return new
    }

    /// Calls the delegate with the first request, and returns its request; nil if the delegate refuses.
    private func firstRequest() -> URLRequest? {
        let proposal = currentRequest
        let request =
            callDelegate(.willSend) {
                $0.connection(self, willSend: proposal, redirectResponse: nil)
            } ?? proposal
        if !name.isNone,
            request?.url != proposal.url || request?.httpMethod != proposal.httpMethod
        {
            name = .none
        }
        return request
    }

    /// Changes the state by an event that is not one of the transfer. The load then waits for no answer any more.
    ///
    /// - Returns: false if the event has no effect in this state.
    @discardableResult
    func apply(_ event: Load.Event) -> Bool {
        guard let move = move(on: event) else { return false }
        state = move.state
        question = nil
        return true
    }

    func move(on event: Load.Event) -> Load.Move? {
        suspension.phase == .off
            ? state.move(on: event) : state.moveWhileSuspended(on: event)
    }

    // MARK: Ending

    var isOver: Bool { state == .over }

    /// Ends the load with an error. If it is suspended, it ends after it was resumed, or at once if its time limit is over.
    func fail(_ error: any Error) {
        guard !isOver else { return }
        transfer?.cancel()
        guard takes(.step) || isPastDeadline else { return hold { self.fail(error) } }
        failAtOnce(error)
    }

    /// Ends the load with an error, also if it is suspended.
    func failAtOnce(_ error: any Error) {
        guard !isOver else { return }
        transfer?.cancel()
        let wasSuspended = !takes(.step)
        // The delegate has suspended the load when it was called with the metrics, and the end is held since.
        if wasSuspended, measurement.wasGiven { return callLast(error) }
        guard giveMetrics() else { return }
        // The delegate may have suspended the load when it was called with the metrics.
        guard wasSuspended || takes(.step) else { return hold { self.callLast(error) } }
        callLast(error)
    }

    private func callLast(_ error: (any Error)?) {
        let delegate = delegate
        finish()
        if let error {
            _ = callDelegate(delegate, .didFail) { $0.connection(self, didFailWithError: error) }
        } else {
            _ = callDelegate(delegate, .didFinish) { $0.connectionDidFinishLoading(self) }
        }
    }

    /// Ends the load with an error, but calls the delegate later. For callbacks of libcurl.
    func failSoon(_ error: URLError) {
        transfer?.cancel()
        transport?.later { self.fail(error) }
    }

    func succeed() {
        guard !isOver else { return }
        guard takes(.step) else { return hold { self.succeed() } }
        guard giveMetrics() else { return }
        guard takes(.step) else { return hold { self.callLast(nil) } }
        callLast(nil)
    }

    /// Lets the run loop run a job, in the modes of the connection.
    func later(_ job: @escaping () -> Void) {
        // Foundation requires a Sendable block, but runs it on this thread.
        let job = Locked(job)
        RunLoop.current.perform(inModes: Array(modes)) { job.withLock { $0 }() }
    }

    func finish() {
        apply(.finish)
        measurement.ends()
        delegate = nil
        counts.end(transfer?.measured.times.receivedBody)
        transfer = nil
        transport = nil
        following = nil
        reader?.leave()
        reader = nil
        classLoad?.load.stop()
        classLoad = nil
        consumerWait = ConsumerWait()
        timeWatch?.cancel()
        // Its read keeps no other load waiting.
        diskQueue?.leave()
        diskQueue = nil
        nextTry?.cancel()
        interception?.cancel()
        interception = nil
        caching.cancel()
        suspension.held = []
        // Last and on its own: the caller's stream may cancel the load when it is closed.
        exchangeBody(for: BodySource()).close()
    }
}

// MARK: - Metrics

extension URLConnection {
    /// The metrics of the exchanges that have ended; nil until the first, or the load, has ended.
    ///
    /// To be read on the thread of the run loop, also after the end and after `cancel`.
    public var metrics: RequestMetrics? {
        measurement.hasResult ? measurement.metrics : nil
    }

    /// Calls the delegate with the metrics. The call is not recorded, because most delegates do nothing in it.
    ///
    /// - Returns: false if the delegate has cancelled or had them before; its last call must not follow then.
    private func giveMetrics() -> Bool {
        guard measurement.beginsGiving() else { return false }
        delegate?.connection(self, didFinishCollecting: measurement.metrics)
        return !isOver
    }

    /// The number of bytes of the body received until now, before decoding and without the bytes of chunked coding.
    ///
    /// For a response from the cache it is the length of the stored body. It is 0 before the response.
    package var countOfBytesReceived: Int64 {
        counts.received(transfer?.measured.times.receivedBody)
    }

    /// The number of bytes of the body before decoding, as the response announces it: -1 if that is not known, and 0 if there
    /// is no body. It is valid after the response.
    package var countOfBytesExpectedToReceive: Int64 { counts.expected }
}
