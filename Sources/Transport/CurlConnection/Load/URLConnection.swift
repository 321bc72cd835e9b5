package import EventRecorder
public import Foundation
public import FoundationNetworking
package import HTTPSemantics
import Locking
package import Scheduling

/// Loads one request and calls its delegate, as NSURLConnection did.
///
/// It keeps itself and its delegate alive from `start` to its last call. http and https; `file:` and `data:` too
/// where `configuration.loadsLocalAddresses` is set.
///
/// ## Concurrency
/// Call from: one thread, that of the run loop it is scheduled in. Lock: none. Calls out on: that
/// thread, in the scheduled modes, never inside `start`. Reentrant: a delegate may cancel.
public final class URLConnection {
    // MARK: Set once

    /// The request that it was made for.
    public let originalRequest: URLRequest

    // MARK: The run loop's thread only

    // Unchecked for speed, but for those whose methods call the delegate, a stream or a block while they change.

    /// The request as it was last sent, after the delegate's changes and redirects.
    @exclusivity(unchecked) public internal(set) var currentRequest: URLRequest
    /// Seconds the whole load may take, redirects included, even while bytes move; nil: no limit.
    ///
    /// Set it before `start`. `URLRequest.timeoutInterval` limits the time without a byte.
    public var timeoutIntervalForResource: TimeInterval?
    /// Cookies, cache, proxy and limits; set it before `start`.
    @exclusivity(unchecked) public var configuration: URLConnectionConfiguration

    @exclusivity(unchecked) package var trustRequirements = ServerTrustRequirements()
    /// Who of those that wait for a connection to the same origin gets the next one.
    @exclusivity(unchecked) package var priority = TransferPriority.normal
    /// The session whose loads alone count for `httpMaximumConnectionsPerHost`; nil: the loads that no session has.
    @exclusivity(unchecked) package var limitOwner: ObjectIdentifier?
    /// Whether the response goes to a stream; more of it is then received at once.
    @exclusivity(unchecked) package var isResponseStreamed = false
    /// The subject of the delegate's calls in a recording; an operation sets its own.
    package lazy var number = EventRecorder.nextNumber()
    /// How it learns that its delegate has consumed bytes.
    @exclusivity(unchecked) package var consumer = Consumer.polled
    /// The name of the request in a recording, where one has it already; none once the request changes.
    @exclusivity(unchecked) package var name = EventText.none

    /// The passes of its thread's run loop, where the owner of the thread makes them; only for the
    /// common modes.
    @exclusivity(unchecked) package var pass: RunLoopPass?

    @exclusivity(unchecked) var delegate: (any URLConnectionDelegate)?
    @exclusivity(unchecked) var suspension = LoadSuspension()
    @exclusivity(unchecked) private var runLoop: RunLoop?
    @exclusivity(unchecked) var modes: Set<RunLoop.Mode> = []
    /// Changed by `apply` alone, its own and the transfer's.
    @exclusivity(unchecked) var state = Load.idle
    /// The question that the delegate, or the disk, has not answered yet.
    @exclusivity(unchecked) var question: Int?
    /// How many questions that may be answered late were asked.
    @exclusivity(unchecked) var questions = 0
    /// Whether a timer watches `deadline` while no exchange does.
    @exclusivity(unchecked) var isDeadlineWatched = false
    @exclusivity(unchecked) var transport: RunLoopTransport? {
        didSet {
            oldValue?.leave(self)
            transport?.enter(self)
        }
    }
    /// Its index in the transport's loads.
    @exclusivity(unchecked) var loadIndex = 0
    @exclusivity(unchecked) var transfer: Transfer?
    var body = BodySource()
    @exclusivity(unchecked) var deadline: UInt64?
    @exclusivity(unchecked) var redirectCount = 0
    @exclusivity(unchecked) var retrying = Retrying()
    /// The job that sends the request again; the transport holds it.
    weak var nextTry: DueJob?
    /// Asks the interceptor.
    var interception: Task<Void, Never>?
    var caching = ResponseCaching()
    var authentication = AuthenticationExchange()
    @exclusivity(unchecked) var trustDecisions = TrustDecisions()
    @exclusivity(unchecked) var credentialStorageAnswer: Bool?
    @exclusivity(unchecked) var measurement = LoadMeasurement()
    @exclusivity(unchecked) var counts = ReceivedCounts()
    /// Of a `file:` or `data:` address, or a stored response's file.
    var reader: LocalReader?
    /// What a class of the configuration's loads.
    var classLoad: ClassLoad?
    /// The address that none of those classes takes.
    @exclusivity(unchecked) var declined: URL?
    /// What was found of the request that was checked last.
    @exclusivity(unchecked) private var checked: CheckedRequest?
    /// What follows the exchange under way, instead of its response.
    @exclusivity(unchecked) var following: LoadStep?
    @exclusivity(unchecked) var consumerWait = ConsumerWait()
    /// When something was received, sent, read or consumed last, by the clock of limits.
    @exclusivity(unchecked) var lastActivity: UInt64 = 0
    /// Watches the limits of a load without a transfer.
    weak var timeWatch: DueJob?
    /// The read from the disk that it waits for.
    var disk = DiskWait()

    /// Makes a connection for a request.
    ///
    /// - Parameters:
    ///   - delegate: kept from the start to its last call.
    ///   - startImmediately: schedules in this thread's run loop, default mode, and starts.
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

    /// Makes one that is not started, with its configuration, which has many references to copy.
    package init(
        request: URLRequest, delegate: any URLConnectionDelegate,
        configuration: consuming URLConnectionConfiguration
    ) {
        originalRequest = request
        currentRequest = request
        self.delegate = delegate
        self.configuration = configuration
    }

    /// Adds a mode in which the connection makes progress; before `start`, which reads them once.
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

    /// Takes a mode away again; before `start`.
    public func unschedule(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        modes.remove(mode)
    }

    /// Starts loading; the first call to the delegate comes from the run loop, not from here.
    ///
    /// Without `schedule` it runs in the current run loop's default mode. A second call does
    /// nothing. Not reentrant.
    public func start() {
        guard prepare() else { return }
        do {
            // A block of the run loop's would not do: `RunLoop.run(mode:before:)` returns only after
            // a source was called, such as the transport's.
            try suitableTransport(for: plainKey).later {
                self.measurement.startsLate()
                self.begin()
            }
        } catch {
            later { self.fail(error) }
        }
    }

    /// The response goes to a file: more of it is received at once, and a coded one may become any
    /// number of times larger. Also once its head has come.
    package func responseIsStored() {
        isResponseStreamed = true
        configuration.limits.decompressionRatio = nil
        transfer?.liftDecompressionRatio()
    }

    /// Starts, and calls the delegate from inside this call. For a caller that the run loop has called.
    package func startAtOnce() {
        if prepare() { begin() }
    }

    /// - Returns: false where the connection was started before.
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

    /// Stops loading; the delegate is not called any more. Reentrant.
    public func cancel() {
        transfer?.cancel()
        finish()
    }

    // MARK: Loading

    private func begin() {
        guard state == .starting else { return }
        guard takes(.step) else { return hold { self.begin() } }
        do {
            // A class may take what could not be sent.
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

    /// Checks a request, where it is another one than the last time.
    func check(_ request: URLRequest) throws(URLError) -> CheckedRequest {
        if let checked, checked.isResult(for: request) { return checked }
        let new = try RequestValidation.check(request, TransportTable.fields)
        checked = new
        return new
    }

    /// The request that the delegate returns; nil where it refuses.
    private func firstRequest() -> URLRequest? {
        let proposal = currentRequest
        let request =
            tell(.willSend) {
                $0.connection(self, willSend: proposal, redirectResponse: nil)
            } ?? proposal
        if !name.isNone,
            request?.url != proposal.url || request?.httpMethod != proposal.httpMethod
        {
            name = .none
        }
        return request
    }

    /// Moves on, without a transfer. An answer to an open question is not waited for any more.
    ///
    /// - Returns: whether the event means anything in this state.
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

    /// Fails; once it is resumed where it is suspended, unless its time is over.
    func fail(_ error: any Error) {
        guard !isOver else { return }
        transfer?.cancel()
        guard takes(.step) || isPastDeadline else { return hold { self.fail(error) } }
        failAtOnce(error)
    }

    /// Fails, suspended or not.
    func failAtOnce(_ error: any Error) {
        guard !isOver else { return }
        transfer?.cancel()
        let wasSuspended = !takes(.step)
        guard giveMetrics() else { return }
        // The delegate may have suspended it when it got the times.
        guard wasSuspended || takes(.step) else { return hold { self.callLast(error) } }
        callLast(error)
    }

    private func callLast(_ error: (any Error)?) {
        let delegate = delegate
        finish()
        if let error {
            _ = tell(delegate, .didFail) { $0.connection(self, didFailWithError: error) }
        } else {
            _ = tell(delegate, .didFinish) { $0.connectionDidFinishLoading(self) }
        }
    }

    /// Fails from inside a callback of the transfer. The delegate is called after the callback.
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

    /// Runs a job in the connection's modes, from the run loop.
    func later(_ job: @escaping () -> Void) {
        // Foundation asks for Sendable blocks, and runs them on this thread.
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
        disk.leave()
        nextTry?.cancel()
        interception?.cancel()
        interception = nil
        caching.cancel()
        body.close()
        suspension.held = []
    }
}

// MARK: - Metrics

extension URLConnection {
    /// The times of the load as far as it has come; nil before its first exchange has ended.
    ///
    /// On the thread of the run loop, also after the end and after `cancel`.
    public var metrics: RequestMetrics? {
        measurement.hasResult ? measurement.metrics : nil
    }

    /// Gives the delegate the times. A recording does not see the call: most delegates do nothing in it.
    ///
    /// - Returns: whether the last call may follow; the delegate may have cancelled.
    private func giveMetrics() -> Bool {
        guard measurement.isGiven() else { return false }
        delegate?.connection(self, didFinishCollecting: measurement.metrics)
        return !isOver
    }

    /// Bytes of the response's body received so far, before decoding and without the transfer coding.
    ///
    /// That of a response from the cache is its stored body's length. 0 before the response.
    package var countOfBytesReceived: Int64 {
        counts.received(transfer?.measured.times.receivedBody)
    }

    /// Bytes that the response's body has before decoding, as its head announces; -1 where it is unknown,
    /// and 0 where there is no body. From the response on.
    package var countOfBytesExpectedToReceive: Int64 { counts.expected }
}
