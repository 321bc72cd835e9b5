import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// libcurl's multi interface on one thread's run loop: many exchanges, one source, one pool.
///
/// There is one transport for each thread and `TransportKey`. So an exchange makes no progress while
/// the loop runs in a mode that the exchange was not given, and exchanges share a connection only where
/// server trust requirements, proxy and client certificate are the same.
///
/// A drive acts on the timer at most once, and a wake-up drives at most four times. Where more is to be
/// done the transport wakes the loop again, so that other sources and timers of the loop are called
/// meanwhile.
///
/// ## Concurrency
/// Call from: the thread that made it; `crossThreadJobs` from any thread. Lock: none of its own.
/// Calls out on: its thread, in its modes.
final class RunLoopTransport: TransferDriver {
    // MARK: Set once

    let key: TransportKey
    /// For other threads; it may outlive the transport.
    let crossThreadJobs: CrossThreadJobs
    let latestResponse = LatestResponse()
    private let thread = pthread_self()
    let descriptors: DescriptorSet
    private let limiter: ConnectionLimiter

    // MARK: The transport's thread only

    private var source: RunLoopSource?
    private var multi: CurlMultiHandle?
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private var jobs: [() -> Void] = []
    /// Transfers that gave libcurl bytes of a body which are not in the socket yet.
    private var sending: [ObjectIdentifier: Transfer] = [:]
    /// Drives the transport at its end, where a pass is open. Otherwise the loop is woken.
    var pass: RunLoopPass?
    private var isDriving = false
    /// A drive was asked for and has not begun.
    private var needsDrive = false
    /// The thread ends: nothing is started and no job runs any more.
    private(set) var isClosed = false
    /// How many connections libcurl may have, in use and kept.
    private var poolRoom = 0
    /// The origins whose connections libcurl may keep; see `mayKeepConnection(to:)`.
    private var keptOrigins: Set<String> = []
    /// When limits are checked, and what is due.
    private var limits: LimitWatch
    /// When kept connections have been idle for too long; while no transfer is under way.
    private var idleDeadline: UInt64?
    /// When transfers whose streams had nothing are polled next.
    private var pollDeadline: UInt64?
    /// The time of this drive.
    private(set) var now = MonotonicClock.now
    /// The same by the clock of limits.
    private(set) var limitTime: UInt64

    private static let drivesAWakeUp = 4
    private static let poolLimit = 64
    private static let keptOriginLimit = 512
    private static let poolIdleLimit: UInt64 = 60_000_000_000

    init(_ key: TransportKey, limiter: ConnectionLimiter) throws(URLError) {
        self.key = key
        self.limiter = limiter
        limits = LimitWatch(key.clock)
        limitTime = key.clock.nanoseconds
        descriptors = try DescriptorSet()
        crossThreadJobs = CrossThreadJobs(descriptors.wakeUpEvent)
        source = try RunLoopSource(descriptor: descriptors.descriptor, modes: key.modes) {
            [unowned self] in
            if let pass { pass.run(wokenUp) } else { wokenUp() }
        }
    }

    deinit {
        close()
    }

    /// Ends every transfer without a further call and gives all descriptors back.
    func close() {
        precondition(multi?.isInside != true, "A transport cannot be closed from a callback.")
        isClosed = true
        limits.disarm()
        // What they hold may hold this transport.
        _ = limits.take(at: .max)
        source?.invalidate()
        source = nil
        for transfer in transfers.values {
            transfer.apply(.abandon)
            _ = transfer.detach()
            transfer.ticket.map(limiter.leave)
        }
        transfers.removeAll()
        sending.removeAll()
        jobs.removeAll()
        crossThreadJobs.close()
        multi = nil
    }

    /// The `URLConnection`s that hold it.
    var users = 0 {
        didSet { if users == 0 { lastUse = MonotonicClock.now } }
    }
    /// When the last `URLConnection` let it go.
    private(set) var lastUse: UInt64 = 0

    /// Whether it only keeps connections for later.
    var isIdle: Bool { users == 0 && transfers.isEmpty && jobs.isEmpty && !isDriving }

    func socket(with ends: ConnectionEnds) -> Int32? {
        descriptors.connection(with: ends)
    }

    // MARK: Transfers (TransferDriver)

    func later(_ job: @escaping () -> Void) {
        assertIsOwnThread()
        guard !isClosed else { return }
        jobs.append(job)
        setNeedsDrive()
    }

    func add(_ transfer: Transfer) {
        assertIsOwnThread()
        transfers[ObjectIdentifier(transfer)] = transfer
        let (ticket, isGiven) = limiter.ticket(
            at: transfer.request.origin, limits: transfer.request.connectionLimits)
        transfer.ticket = ticket
        if isGiven {
            begin(transfer)
        } else {
            ticket.whenGiven = { [unowned self, unowned transfer] in
                // Strong, because the exchange may end before the job runs.
                let transfer = transfer
                later { [self] in beginLate(transfer) }
            }
            transfer.delegate?.transferMustWait(transfer)
            // The limit for the whole load runs while it waits.
            scheduleTimeoutCheck(before: transfer.nextTimeoutCheck)
        }
        setNeedsDrive()
    }

    private func begin(_ transfer: Transfer) {
        if keptOrigins.count >= Self.keptOriginLimit, multi?.count == 0 { renewMulti() }
        do {
            try hand(transfer, to: readyMulti())
        } catch {
            return transfer.couldNotBegin(error)
        }
        transfer.noteActivity()
        scheduleTimeoutCheck(before: transfer.nextTimeoutCheck)
    }

    private func hand(_ transfer: Transfer, to multi: CurlMultiHandle) throws {
        try makeRoom(
            in: multi, for: min(transfers.count, transfer.request.connectionLimits.total))
        // Each exchange gets a new handle: libcurl 7.88 reads freed memory of a handle that is used
        // again when a head begins with a folded line (Documentation/Decisions/0005).
        let easy = try CurlEasyHandle()
        if EventRecorder.isRecording { observe(transfer) }
        try transfer.prepare(easy)
        if !mayKeepConnection(to: transfer.request.origin) { try easy.set(.forbidReuse, to: true) }
        try multi.add(easy)
    }

    /// Bounds what libcurl 7.88.1 keeps of a server: when it closes the oldest connection to make room
    /// for another, the entry of its host stays in the pool until the pool itself goes, and each
    /// later search of the pool passes it. A connection that was never kept leaves no entry.
    ///
    /// So libcurl keeps connections to a limited number of origins, and starts over with a new pool
    /// when nothing is under way.
    private func mayKeepConnection(to origin: String) -> Bool {
        if keptOrigins.contains(origin) { return true }
        guard keptOrigins.count < Self.keptOriginLimit else { return false }
        keptOrigins.insert(origin)
        return true
    }

    private func observe(_ transfer: Transfer) {
        transfer.beginTrace(with: descriptors.trace)
        guard let watcher = descriptors.trace.watcherOfNewRecording() else { return }
        EventRecorder.whenStopped(watcher) { [weak crossThreadJobs] in
            crossThreadJobs?.perform { $0.descriptors.trace.recordingStopped() }
        }
    }

    /// Begins what had to wait, unless it has ended or left the line meanwhile.
    private func beginLate(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer, transfer.state == .queued,
            transfer.mayBegin()
        else { return }
        begin(transfer)
    }

    func setAside(_ transfer: Transfer) {
        guard let easy = transfer.easy else { return }
        transfer.easy = nil
        multi?.remove(easy)
        setNeedsDrive()
    }

    func giveUpPlace(of transfer: Transfer) {
        setAside(transfer)
        transfer.ticket.map(limiter.leave)
        transfer.ticket = nil
    }

    func pause(_ transfer: Transfer) {
        guard let multi, let easy = transfer.easy else { return }
        guard !multi.isInside else { return later { self.pause(transfer) } }
        // libcurl refuses where the exchange has ended, which it tells by itself.
        multi.pause(easy)
        setNeedsDrive()
    }

    func takeUpAgain(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer else { return }
        begin(transfer)
        setNeedsDrive()
    }

    func remove(_ transfer: Transfer) {
        assertIsOwnThread()
        guard transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        guard multi?.isInside != true else {
            // libcurl refuses this inside a callback. The callback's result ends the exchange, and
            // the job removes it.
            return later { [self] in takeBack(transfer, from: multi) }
        }
        takeBack(transfer, from: multi)
    }

    func unpause(_ transfer: Transfer, receiving: Bool) {
        guard let multi, let easy = transfer.easy else { return }
        guard !multi.isInside else {
            return later { self.unpause(transfer, receiving: receiving) }
        }
        let result = multi.unpause(easy, receiving: receiving)
        if result != .ok {
            later { transfer.ended(with: result) }
        } else {
            setNeedsDrive()
        }
    }

    func lookUp(_ host: String, for transfer: Transfer) -> HostResolver.Ticket {
        let key = ObjectIdentifier(transfer)
        return HostResolver.shared.ask(for: host) { [crossThreadJobs] addresses in
            crossThreadJobs.perform { $0.transfers[key]?.found(addresses, of: host) }
        }
    }

    func watchSending(of transfer: Transfer) {
        sending[ObjectIdentifier(transfer)] = transfer
    }

    func scheduleTimeoutCheck(before deadline: UInt64?) {
        if limits.note(deadline) { setNeedsDrive() }
    }

    func schedulePoll(before deadline: UInt64?) {
        guard let deadline, deadline < pollDeadline ?? .max else { return }
        pollDeadline = deadline
        setNeedsDrive()
    }

    var clock: NetworkClock { limits.clock }

    /// Runs a job at a moment of the clock, in the transport's modes.
    @discardableResult
    func later(at deadline: UInt64, _ job: @escaping () -> Void) -> DueJob {
        assertIsOwnThread()
        let job = DueJob(job)
        if !isClosed, limits.add(job, at: deadline) { setNeedsDrive() }
        return job
    }

    /// Closes kept connections, unless exchanges are under way.
    func closeIdleConnections() {
        assertIsOwnThread()
        guard transfers.isEmpty, multi?.isInside != true else { return }
        renewMulti()
        latestResponse.forget()
    }

    /// Closes libcurl's pool; the next exchange gets a new one.
    private func renewMulti() {
        multi = nil
        keptOrigins = []
        descriptors.curlDeadline = nil
        descriptors.applyChanges()
    }

    private func takeBack(_ transfer: Transfer, from multi: CurlMultiHandle?) {
        transfers[ObjectIdentifier(transfer)] = nil
        let easy = transfer.detach()
        if let easy { multi?.remove(easy) }
        if let ticket = transfer.ticket {
            if transfer.tls.speaksHTTP2 { limiter.noteMultiplexing(at: ticket) }
            limiter.leave(ticket)
            transfer.ticket = nil
        }
        if transfers.isEmpty {
            idleDeadline = clock.nanoseconds + Self.poolIdleLimit
            _ = limits.note(idleDeadline)
        }
        // libcurl may have set its timer, or closed sockets.
        setNeedsDrive()
    }

    /// Lets libcurl keep as many connections as were in use at once. libcurl counts those in use too,
    /// and closes each that becomes free beyond the limit.
    private func makeRoom(in multi: CurlMultiHandle, for count: Int) throws(CurlError) {
        let wanted = max(Self.poolLimit, count)
        guard wanted > poolRoom else { return }
        poolRoom = wanted
        try multi.keepConnections(wanted)
    }

    private func readyMulti() throws(CurlError) -> CurlMultiHandle {
        if let multi { return multi }
        let multi = try CurlMultiHandle(descriptors)
        poolRoom = 0
        try makeRoom(in: multi, for: 0)
        self.multi = multi
        return multi
    }

    // MARK: Driving

    /// Has the transport driven soon. Several calls before that wake the loop once.
    private func setNeedsDrive() {
        guard !isDriving, !needsDrive else { return }
        needsDrive = true
        if pass?.putOff(self) != true { descriptors.wakeUpEvent.signal() }
    }

    func wokenUp() {
        // A delegate may run the loop from inside a drive, which goes on when the delegate returns.
        guard !isDriving else { return }
        CurlGlobal.whileOpen {
            isDriving = true
            needsDrive = false
            var rounds = 0
            while driveOnce() {
                rounds += 1
                if rounds == Self.drivesAWakeUp {
                    descriptors.wakeUpEvent.signal()
                    break
                }
            }
            descriptors.applyChanges()
            if descriptors.refusal != nil { descriptors.wakeUpEvent.signal() }
            descriptors.setDeadline(nextDeadline)
            limits.arm(descriptors.wakeUpEvent)
            isDriving = false
        }
    }

    /// - Returns: whether there may be more to do.
    private func driveOnce() -> Bool {
        now = MonotonicClock.now
        limitTime = clock.isTurnable ? clock.nanoseconds : now
        var didWork = runJobs()
        guard !isClosed else { return false }
        let seen = descriptors.look { socket, readable, writable, failed in
            multi?.act(on: socket, readable: readable, writable: writable, failed: failed)
        }
        if seen > 0 { EventRecorder.instant(.runLoopSource, text: .sockets) }
        if let error = descriptors.takeRefusal() {
            // An exchange whose socket is not watched would hang, and libcurl does not say which it is.
            for transfer in Array(transfers.values) { transfer.couldNotWatch(error) }
        }
        didWork = didWork || seen > 0
        if descriptors.takeTimer(at: now) {
            EventRecorder.instant(.runLoopSource, text: .timer)
            multi?.actOnTimer()
            didWork = true
        }
        while let (exchange, result) = multi?.nextFinished() { exchange.ended(with: result) }
        for (key, transfer) in sending where transfer.reportIfSent() {
            sending[key] = nil
        }
        checkTimeouts()
        poll()
        return didWork || !jobs.isEmpty || descriptors.curlDeadline == 0
    }

    private func runJobs() -> Bool {
        for job in crossThreadJobs.collect() { jobs.append { [unowned self] in job(self) } }
        guard !jobs.isEmpty else { return false }
        EventRecorder.instant(.runLoopSource, text: .jobs)
        let batch = jobs
        jobs.removeAll(keepingCapacity: true)
        for job in batch where !isClosed {
            job()
        }
        return true
    }

    private func checkTimeouts() {
        guard limits.isDue(at: limitTime) else { return }
        for job in limits.take(at: limitTime) where !isClosed { job.run() }
        for transfer in Array(transfers.values) {
            transfer.checkTimeouts(at: limitTime)
        }
        for transfer in transfers.values { _ = limits.note(transfer.nextTimeoutCheck) }
        guard transfers.isEmpty, let deadline = idleDeadline else { return }
        if deadline <= limitTime {
            idleDeadline = nil
            closeIdleConnections()
        } else {
            _ = limits.note(deadline)
        }
    }

    /// Asks transfers whose streams had nothing, where it is time to.
    private func poll() {
        guard let deadline = pollDeadline, deadline <= now else { return }
        pollDeadline = nil
        for transfer in Array(transfers.values) { transfer.poll(at: now) }
        for transfer in transfers.values {
            guard let next = transfer.pauses.polling.next else { continue }
            pollDeadline = min(pollDeadline ?? .max, next)
        }
    }

    private var nextDeadline: UInt64? {
        let next = min(
            descriptors.curlDeadline ?? .max, limits.nextOfTimer ?? .max, pollDeadline ?? .max)
        return next == .max ? nil : next
    }

    func assertIsOwnThread() {
        assert(
            pthread_equal(pthread_self(), thread) != 0,
            "A transport belongs to the thread that made it.")
    }
}
