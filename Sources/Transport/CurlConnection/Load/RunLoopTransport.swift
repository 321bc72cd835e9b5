import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Scheduling

/// libcurl's multi interface on one thread's run loop: many exchanges, one source, one pool.
///
/// There is one transport for each thread and `TransportKey`, and exchanges share a connection only within one. The key
/// has the run-loop modes, so an exchange makes no progress while the loop runs in another mode.
///
/// ## Concurrency
/// Call from: the thread that made it; `crossThreadJobs` from any thread. Lock: none of its own.
/// Calls out on: its thread, in its modes.
final class RunLoopTransport {
    // MARK: Set once

    let key: TransportKey
    /// For other threads; it may outlive the transport.
    let crossThreadJobs: CrossThreadJobs
    let latestResponse = LatestResponse()
    private let thread = pthread_self()
    let descriptors: DescriptorSet
    private let limiter: ConnectionLimiter

    // MARK: The transport's thread only

    // Unchecked for speed, because each drive and each callback uses them. Jobs and delegates are called when none of
    // them is being changed.

    private var source: RunLoopSource?
    @exclusivity(unchecked) var pool: ConnectionPool
    @exclusivity(unchecked) var transfers: [ObjectIdentifier: Transfer] = [:]
    @exclusivity(unchecked) var jobs: [() -> Void] = []
    /// Transfers that gave libcurl bytes of a body which are not in the socket yet.
    @exclusivity(unchecked) var sending: [ObjectIdentifier: Transfer] = [:]
    /// Drives the transport at its end, where a pass is open. Otherwise the loop is woken.
    @exclusivity(unchecked) var pass: RunLoopPass?
    @exclusivity(unchecked) var isDriving = false
    /// A drive was asked for and has not begun.
    @exclusivity(unchecked) var needsDrive = false
    /// The thread ends: nothing is started and no job runs any more.
    @exclusivity(unchecked) private(set) var isClosed = false
    /// When limits are checked, and what is due.
    @exclusivity(unchecked) var limits: LimitWatch
    /// The deadlines of all transfers, also of those that wait for a connection.
    @exclusivity(unchecked) var due = DueTransfers()
    /// Whether the next exchange takes an idle connection's descriptor.
    @exclusivity(unchecked) private var needsDescriptor = false
    /// When kept connections have been idle for too long; while no transfer is under way.
    @exclusivity(unchecked) var idleDeadline: UInt64?
    /// Loads whose delegates, or streams, are asked again after a while.
    @exclusivity(unchecked) var polled: [ObjectIdentifier: URLConnection] = [:]
    /// When they are polled next.
    @exclusivity(unchecked) var pollDeadline: UInt64?
    /// libcurl's timer was not looked at in this drive.
    @exclusivity(unchecked) var skipsTimer = false
    /// What decoding may still cost in this drive.
    @exclusivity(unchecked) var decodingLeft = RunLoopTransport.decodingInADrive
    /// The time of this drive.
    @exclusivity(unchecked) var now = MonotonicClock.now
    /// The time of the drive before.
    @exclusivity(unchecked) var nowBefore: UInt64 = 0
    /// The time of this drive by the clock of limits.
    @exclusivity(unchecked) var limitTime: UInt64

    private static let poolIdleLimit: UInt64 = 60_000_000_000
    static let decodingInADrive = 4 << 20

    init(_ key: TransportKey, limiter: ConnectionLimiter) throws(URLError) {
        self.key = key
        self.limiter = limiter
        limits = LimitWatch(key.clock)
        limitTime = key.clock.nanoseconds
        descriptors = try DescriptorSet()
        pool = ConnectionPool(descriptors)
        crossThreadJobs = CrossThreadJobs(descriptors.wakeUpEvent)
        source = try RunLoopSource(descriptor: descriptors.descriptor, modes: key.modes) {
            [unowned self] in
            if let pass { pass.run(wokenUp) } else { wokenUp() }
        }
    }

    deinit {
        close()
    }

    /// Ends every transfer without a further call and closes all connections.
    func close() {
        precondition(!pool.isInside, "A transport cannot be closed from a callback.")
        isClosed = true
        limits.disarm()
        // What they hold may hold this transport.
        _ = limits.take(at: .max)
        source?.invalidate()
        source = nil
        for transfer in transfers.values {
            transfer.apply(.closeTransport)
            _ = transfer.detach()
            transfer.slot.map(limiter.leave)
        }
        transfers.removeAll()
        due.removeAll()
        sending.removeAll()
        polled.removeAll()
        jobs.removeAll()
        crossThreadJobs.close()
        pool.close()
        // One that has no exchange, because a question is open or it is suspended, would stay for good.
        for load in loads { load.finish() }
    }

    /// Those that use it, each until its end; each knows its index.
    @exclusivity(unchecked) private(set) var loads: [URLConnection] = []
    /// When the last of them left.
    @exclusivity(unchecked) private(set) var lastUse: UInt64 = 0

    func enter(_ load: URLConnection) {
        load.loadIndex = loads.count
        loads.append(load)
    }

    func leave(_ load: URLConnection) {
        let last = loads.removeLast()
        if last !== load {
            loads[load.loadIndex] = last
            last.loadIndex = load.loadIndex
        }
        if !polled.isEmpty { polled[ObjectIdentifier(load)] = nil }
        if loads.isEmpty { lastUse = MonotonicClock.now }
    }

    /// Whether it only keeps connections for later.
    var isIdle: Bool { loads.isEmpty && transfers.isEmpty && jobs.isEmpty && !isDriving }

    // MARK: Transfers

    /// Runs a job soon, in the transport's modes, and never inside this call.
    func later(_ job: @escaping () -> Void) {
        assertIsOwnThread()
        guard !isClosed else { return }
        jobs.append(job)
        setNeedsDrive()
    }

    /// Begins an exchange as soon as the limits allow. Where that fails, `couldNotBegin` is called.
    func add(_ transfer: Transfer) {
        assertIsOwnThread()
        transfers[ObjectIdentifier(transfer)] = transfer
        let (slot, isGiven) = limiter.slot(
            at: transfer.request.origin, limits: transfer.request.connectionLimits)
        transfer.slot = slot
        if isGiven {
            begin(transfer)
        } else {
            slot.waiter = { [unowned self, unowned transfer] in
                // Strong, because the exchange may end before the job runs.
                let transfer = transfer
                later { [self] in beginLate(transfer) }
            }
            transfer.load?.notify(waitsFor: .connection)
            // The limit for the whole load runs while it waits.
            scheduleTimeoutCheck(of: transfer)
        }
        setNeedsDrive()
    }

    private func begin(_ transfer: Transfer) {
        if pool.mustBeReplaced || (needsDescriptor && pool.multi?.count == 0) { renewPool() }
        do {
            try add(transfer, to: pool.ready())
        } catch {
            return transfer.couldNotBegin(error)
        }
        transfer.load?.noteActivity()
        scheduleTimeoutCheck(of: transfer)
    }

    private func add(_ transfer: Transfer, to multi: CurlMultiHandle) throws {
        if needsDescriptor {
            needsDescriptor = false
            try pool.takeIdle(of: descriptors.openConnections.count)
        }
        try pool.raiseLimit(to: min(transfers.count, transfer.request.connectionLimits.total))
        // Each exchange gets a new handle: libcurl 7.88 reads freed memory of a handle that is used
        // again when a head begins with a folded line (Documentation/Decisions/0005).
        let easy = try CurlEasyHandle()
        if EventRecorder.isRecording { observe(transfer) }
        try transfer.prepare(easy)
        if !pool.mayKeepConnection(to: transfer.request.origin) {
            try easy.set(.forbidReuse, to: true)
        }
        try multi.add(easy)
    }

    private func observe(_ transfer: Transfer) {
        transfer.beginTrace(with: descriptors.trace)
        guard let watcher = descriptors.trace.watcherOfNewRecording() else { return }
        EventRecorder.whenStopped(watcher) { [weak crossThreadJobs] in
            crossThreadJobs?.perform { $0.descriptors.trace.recordingStopped() }
        }
    }

    /// Begins what had to wait, unless it has ended or left the queue meanwhile.
    private func beginLate(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer, transfer.state == .queued else {
            return
        }
        guard transfer.takes(.slot) else { return _ = transfer.apply(.suspend) }
        if transfer.load?.mayBegin(transfer) == true { begin(transfer) }
    }

    /// Removes an exchange's handle from libcurl. The exchange keeps its slot.
    func setAside(_ transfer: Transfer) {
        guard let easy = transfer.easy else { return }
        transfer.easy = nil
        pool.multi?.remove(easy)
        setNeedsDrive()
    }

    /// Has an exchange leave the queue for a slot, or libcurl and its slot. Its time limits are still checked.
    func leaveSlot(of transfer: Transfer) {
        setAside(transfer)
        transfer.slot.map(limiter.leave)
        transfer.slot = nil
    }

    /// Has libcurl neither receive nor send for an exchange until it is unpaused.
    func pause(_ transfer: Transfer) {
        guard let multi = pool.multi, let easy = transfer.easy else { return }
        guard !multi.isInside else { return later { self.pause(transfer) } }
        // libcurl refuses where the exchange has ended, which it reports by itself.
        multi.pause(easy)
        setNeedsDrive()
    }

    /// Gives libcurl an exchange again that was set aside.
    func takeUpAgain(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer else { return }
        begin(transfer)
        setNeedsDrive()
    }

    /// Removes an exchange. None of its callbacks reaches the load after this.
    func remove(_ transfer: Transfer) {
        assertIsOwnThread()
        guard transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        if let multi = pool.multi, multi.isInside {
            // libcurl refuses this inside a callback. The callback's result ends the exchange, and
            // the job removes it.
            return later { [self] in takeBack(transfer, from: multi) }
        }
        takeBack(transfer, from: pool.multi)
    }

    /// Continues a transfer whose callbacks returned "pause".
    func unpause(_ transfer: Transfer, receiving: Bool) {
        guard let multi = pool.multi, let easy = transfer.easy else { return }
        guard !multi.isInside else {
            return later { self.unpause(transfer, receiving: receiving) }
        }
        transfer.pauses.isEnding = true
        let result = multi.unpause(easy, receiving: receiving)
        transfer.pauses.isEnding = false
        // One without a connection is not paused: libcurl has not begun with it, or reports its end by itself.
        if result == .ok || result == .badFunctionArgument {
            setNeedsDrive()
        } else {
            later { transfer.ended(with: result) }
        }
    }

    /// Looks a host up. `Transfer.found` gets the addresses, and never inside this call.
    func lookUp(_ host: String, for transfer: Transfer) -> HostResolver.Ticket {
        let key = ObjectIdentifier(transfer)
        return HostResolver.shared.ask(for: host) { [crossThreadJobs] addresses in
            crossThreadJobs.perform { $0.transfers[key]?.found(addresses, of: host) }
        }
    }

    /// Has `Transfer.reportIfSent` called in each drive, until it returns true.
    func watchSending(of transfer: Transfer) {
        sending[ObjectIdentifier(transfer)] = transfer
    }

    /// Has `Transfer.checkTimeouts` called at the transfer's `nextTimeoutCheck`, or earlier.
    func scheduleTimeoutCheck(of transfer: Transfer) {
        guard transfer.state != .over, let deadline = transfer.nextTimeoutCheck else { return }
        due.note(transfer, at: deadline)
        if limits.note(deadline) { setNeedsDrive() }
    }

    /// Has a load ask again when its `polling` says, or earlier.
    func schedulePoll(of load: URLConnection) {
        guard let deadline = load.consumerWait.polling.next else { return }
        polled[ObjectIdentifier(load)] = load
        guard deadline < pollDeadline ?? .max else { return }
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
    ///
    /// - Returns: whether there were any.
    @discardableResult
    func closeIdleConnections() -> Bool {
        assertIsOwnThread()
        guard transfers.isEmpty, !pool.isInside else { return false }
        let hadSome = !descriptors.openConnections.isEmpty
        renewPool()
        latestResponse.forget()
        return hadSome
    }

    /// Has an exchange begin anew for which no socket could be opened, where idle connections can make room.
    ///
    /// - Returns: false where none can.
    func beginsAgain(_ exchange: any CurlExchange, _ result: CurlCode) -> Bool {
        guard result == .couldntConnect, let transfer = exchange as? Transfer,
            transfer.easy?.lacksDescriptors == true, transfer.triesForDescriptor > 0,
            transfer.interruption == nil, transfer.takes(.result)
        else { return false }
        let used = Set(transfers.values.compactMap { $0.easy?.connection })
        let hasIdle = descriptors.openConnections.contains { !used.contains($0) }
        let haveOthers = TransportTable.closeIdleConnections { $0 !== self }
        guard hasIdle || haveOthers else { return false }
        transfer.triesForDescriptor -= 1
        needsDescriptor = hasIdle
        return transfer.apply(.startAgain)
    }

    /// Closes libcurl's pool; the next exchange gets a new one.
    private func renewPool() {
        needsDescriptor = false
        pool.close()
        descriptors.curlDeadline = nil
        descriptors.applyChanges()
    }

    private func takeBack(_ transfer: Transfer, from multi: CurlMultiHandle?) {
        transfers[ObjectIdentifier(transfer)] = nil
        due.remove(transfer)
        let easy = transfer.detach()
        if let easy { multi?.remove(easy) }
        if let slot = transfer.slot {
            if transfer.tls.speaksHTTP2 { limiter.noteMultiplexing(at: slot) }
            limiter.leave(slot)
            transfer.slot = nil
        }
        if transfers.isEmpty {
            idleDeadline = clock.nanoseconds + Self.poolIdleLimit
            _ = limits.note(idleDeadline)
        }
        // libcurl may have set its timer, or closed sockets.
        setNeedsDrive()
    }

    func assertIsOwnThread() {
        assert(
            pthread_equal(pthread_self(), thread) != 0,
            "A transport belongs to the thread that made it.")
    }
}
