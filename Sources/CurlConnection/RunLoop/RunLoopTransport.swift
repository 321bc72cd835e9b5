import EventRecorder
import Foundation
import FoundationNetworking

/// libcurl's multi interface on one thread's run loop: many exchanges, one source, one pool.
///
/// There is one transport for each thread and `TransportKey`. So an exchange makes no progress
/// while the loop runs in a mode it was not given, and a connection accepted under one requirement,
/// made through one proxy or with one client certificate never serves another.
///
/// Fairness: at most one timer action a round, at most four rounds a wake-up; what is left over
/// wakes the loop again, so other sources and timers of the loop get their turn.
///
/// ## Concurrency
/// Call from: the thread that made it; `perform` from any thread. Lock: one around the list
/// of jobs from other threads, no other. Calls out on: its thread, in its modes.
final class RunLoopTransport {
    // MARK: Set once

    let key: TransportKey
    /// How other threads reach this one.
    let crossThreadJobs: CrossThreadJobs
    let latestResponse = LatestResponse()
    private let thread = pthread_self()
    private let descriptors: DescriptorSet
    /// What a recording sees of its sockets; the descriptors hold it.
    private let socketTrace: Unmanaged<SocketTrace>
    private let limiter: ConnectionLimiter

    // MARK: The transport's thread only

    private var source: RunLoopSource?
    private var multi: CurlMultiHandle?
    private var transfers: [ObjectIdentifier: Transfer] = [:]
    private var jobs: [() -> Void] = []
    /// Transfers that handed libcurl bytes and want to know when those are out.
    private var sending: [ObjectIdentifier: Transfer] = [:]
    /// Whose end brings the next round, if one is open; without one the loop is woken.
    var pass: RunLoopPass?
    private var isDriving = false
    /// A round was asked for and has not begun.
    private var needsDrive = false
    /// The thread ends: nothing is started, no job runs any more.
    private(set) var isClosed = false
    /// How many connections libcurl may have, in use and kept.
    private var poolRoom = 0
    /// When libcurl wants its timer, and whether that is now.
    private var curlDeadline: UInt64?
    private var isCurlTimerDue = false
    /// When the first transfer, or the idle pool, needs to be looked after.
    private var timeoutCheckDeadline: UInt64?
    /// The time of this round.
    private(set) var now = MonotonicClock.now

    private static let drivesAWakeUp = 4
    private static let poolLimit = 64
    private static let poolIdleLimit: UInt64 = 60_000_000_000

    init(_ key: TransportKey, limiter: ConnectionLimiter) throws(URLError) {
        self.key = key
        self.limiter = limiter
        descriptors = try DescriptorSet()
        socketTrace = .passUnretained(descriptors.trace)
        crossThreadJobs = CrossThreadJobs(descriptors)
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

    /// The connections that hold it; while there is one, it may be needed at any time.
    var users = 0 {
        didSet { if users == 0 { lastUse = MonotonicClock.now } }
    }
    /// When the last connection gave it back.
    private(set) var lastUse: UInt64 = 0

    /// Whether it only keeps connections for later.
    var isIdle: Bool { users == 0 && transfers.isEmpty && jobs.isEmpty && !isDriving }

    /// The socket of one of its connections; nil where there is none with these ends.
    func socket(with ends: ConnectionEnds) -> Int32? {
        descriptors.connection(with: ends)
    }

    // MARK: Transfers

    /// Runs a job soon, never inside this call; in the transport's modes.
    func later(_ job: @escaping () -> Void) {
        assertIsOwnThread()
        guard !isClosed else { return }
        jobs.append(job)
        setNeedsDrive()
    }

    /// Begins an exchange as soon as there is a place for it; it is told where that fails.
    func add(_ transfer: Transfer) {
        assertIsOwnThread()
        transfers[ObjectIdentifier(transfer)] = transfer
        let (ticket, isGiven) = limiter.ticket(
            at: transfer.request.origin, limits: transfer.request.connectionLimits
        ) { [unowned self, unowned transfer] in
            // Held from here on: it may end before its turn comes.
            let transfer = transfer
            later { [self] in beginLate(transfer) }
        }
        transfer.ticket = ticket
        if isGiven { begin(transfer) }
        setNeedsDrive()
    }

    /// Gives an exchange's connection and its place back, and begins it anew.
    func addAgain(_ transfer: Transfer) {
        takeBack(transfer, from: multi)
        add(transfer)
    }

    private func begin(_ transfer: Transfer) {
        do {
            try hand(transfer, to: readyMulti())
        } catch {
            return transfer.couldNotBegin(error)
        }
        transfer.noteActivity(at: MonotonicClock.now)
        scheduleTimeoutCheck(before: transfer.nextTimeoutCheck)
    }

    private func hand(_ transfer: Transfer, to multi: CurlMultiHandle) throws {
        try makeRoom(
            in: multi, for: min(transfers.count, transfer.request.connectionLimits.total))
        // A handle for each exchange: one that is used again trips over libcurl's own memory when a
        // head begins with a folded line (7.88; Documentation/Decisions/0005).
        let easy = try CurlEasyHandle()
        if EventRecorder.isRecording, transfer.trace == nil {
            transfer.trace = TransferTrace(of: transfer, socketTrace)
            socketTrace._withUnsafeGuaranteedRef { $0.watchRecording(for: crossThreadJobs) }
        }
        try transfer.prepare(easy, sockets: descriptors)
        try multi.add(easy)
    }

    /// Begins what had to wait, unless it has ended meanwhile.
    private func beginLate(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer, transfer.mayBegin() else {
            return
        }
        begin(transfer)
    }

    /// Takes an exchange's handle off libcurl; the exchange stays, with its place.
    func setAside(_ transfer: Transfer) {
        guard let easy = transfer.easy else { return }
        transfer.easy = nil
        multi?.remove(easy)
        setNeedsDrive()
    }

    /// Gives an exchange that was set aside to libcurl once more.
    func takeUpAgain(_ transfer: Transfer) {
        guard transfers[ObjectIdentifier(transfer)] === transfer else { return }
        begin(transfer)
        setNeedsDrive()
    }

    /// Takes an exchange off; none of its callbacks reaches a delegate after this.
    func remove(_ transfer: Transfer) {
        assertIsOwnThread()
        guard transfers.removeValue(forKey: ObjectIdentifier(transfer)) != nil else { return }
        guard multi?.isInside != true else {
            // Inside a callback libcurl refuses: the callback's answer ends it, this removes it.
            return later { [self] in takeBack(transfer, from: multi) }
        }
        takeBack(transfer, from: multi)
    }

    /// Continues a transfer whose callbacks answered "pause".
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

    /// Asks for `Transfer.reportIfSent` after each round, until it says that all are out.
    func watchSending(of transfer: Transfer) {
        sending[ObjectIdentifier(transfer)] = transfer
    }

    /// Asks for `Transfer.checkTimeouts` at a time, or earlier.
    func scheduleTimeoutCheck(before deadline: UInt64?) {
        guard let deadline, deadline < timeoutCheckDeadline ?? .max else { return }
        timeoutCheckDeadline = deadline
        setNeedsDrive()
    }

    /// Closes kept connections, unless exchanges are under way.
    func closeIdleConnections() {
        assertIsOwnThread()
        guard transfers.isEmpty, multi?.isInside != true else { return }
        multi = nil
        latestResponse.forget()
        curlDeadline = nil
        descriptors.applyChanges()
    }

    private func takeBack(_ transfer: Transfer, from multi: CurlMultiHandle?) {
        transfers[ObjectIdentifier(transfer)] = nil
        let easy = transfer.detach()
        if let easy { multi?.remove(easy) }
        if let ticket = transfer.ticket {
            if easy?.isMultiplexed == true { limiter.noteMultiplexing(at: ticket) }
            limiter.leave(ticket)
            transfer.ticket = nil
        }
        if transfers.isEmpty {
            timeoutCheckDeadline = MonotonicClock.now + Self.poolIdleLimit
        }
        // libcurl may have asked for its timer, or let go of sockets.
        setNeedsDrive()
    }

    /// As many connections are kept as were in use at once: libcurl counts those in use too, and
    /// would close each that becomes free while there are more.
    private func makeRoom(in multi: CurlMultiHandle, for count: Int) throws(CurlError) {
        let wanted = max(Self.poolLimit, count)
        guard wanted > poolRoom else { return }
        poolRoom = wanted
        try multi.keepConnections(wanted)
    }

    private func readyMulti() throws(CurlError) -> CurlMultiHandle {
        if let multi { return multi }
        // Unmanaged, for libcurl calls also while it is let go of in `deinit`.
        let own = Unmanaged.passUnretained(self)
        let multi = try CurlMultiHandle(
            socketChanged: { socket, reading, writing in
                own._withUnsafeGuaranteedRef {
                    $0.watch(socket, reading: reading, writing: writing)
                }
            },
            timerChanged: { time in own._withUnsafeGuaranteedRef { $0.setCurlTimer(time) } })
        poolRoom = 0
        try makeRoom(in: multi, for: 0)
        self.multi = multi
        return multi
    }

    // MARK: Rounds

    /// Wakes the loop once, however often it is asked before the round.
    private func setNeedsDrive() {
        guard !isDriving, !needsDrive else { return }
        needsDrive = true
        if pass?.putOff(self) != true { descriptors.wakeUp() }
    }

    func wokenUp() {
        // A delegate may run the loop from inside a round; the round goes on when it returns.
        guard !isDriving else { return }
        CurlGlobal.whileOpen {
            isDriving = true
            needsDrive = false
            var rounds = 0
            while driveOnce() {
                rounds += 1
                if rounds == Self.drivesAWakeUp {
                    descriptors.wakeUp()
                    break
                }
            }
            descriptors.applyChanges()
            if descriptors.refusal != nil { descriptors.wakeUp() }
            descriptors.setDeadline(nextDeadline)
            isDriving = false
        }
    }

    /// - Returns: whether there may be more to do.
    private func driveOnce() -> Bool {
        now = MonotonicClock.now
        var didWork = runJobs()
        guard !isClosed else { return false }
        let seen = descriptors.look { socket, readable, writable, failed in
            multi?.act(on: socket, readable: readable, writable: writable, failed: failed)
        }
        if seen > 0 { EventRecorder.instant(.runLoopSource, text: .sockets) }
        if let error = descriptors.takeRefusal() {
            // A socket that is not watched would let its exchange hang, and which it is is not told.
            for transfer in Array(transfers.values) { transfer.couldNotWatch(error) }
        }
        didWork = didWork || seen > 0
        if isCurlTimerDue || curlDeadline.map({ $0 <= now }) == true {
            isCurlTimerDue = false
            curlDeadline = nil
            EventRecorder.instant(.runLoopSource, text: .timer)
            multi?.actOnTimer()
            didWork = true
        }
        while let (exchange, result) = multi?.nextFinished() { exchange.ended(with: result) }
        for (key, transfer) in sending where transfer.reportIfSent() {
            sending[key] = nil
        }
        checkTimeouts()
        return didWork || !jobs.isEmpty || isCurlTimerDue
    }

    private func runJobs() -> Bool {
        crossThreadJobs.collect(into: &jobs)
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
        guard let deadline = timeoutCheckDeadline, deadline <= now else { return }
        timeoutCheckDeadline = nil
        if transfers.isEmpty {
            closeIdleConnections()
        }
        for transfer in Array(transfers.values) {
            transfer.checkTimeouts(at: now)
        }
        for transfer in transfers.values {
            timeoutCheckDeadline = min(
                timeoutCheckDeadline ?? .max, transfer.nextTimeoutCheck ?? .max)
        }
    }

    private var nextDeadline: UInt64? {
        let next = min(curlDeadline ?? .max, timeoutCheckDeadline ?? .max)
        return isCurlTimerDue ? now : next == .max ? nil : next
    }

    // MARK: libcurl's callbacks

    func watch(_ socket: Int32, reading: Bool, writing: Bool) {
        descriptors.watch(socket, reading: reading, writing: writing)
    }

    /// A timer of zero is never armed: it is due, and runs once libcurl has returned.
    private func setCurlTimer(_ milliseconds: Int) {
        isCurlTimerDue = milliseconds == 0
        curlDeadline =
            milliseconds > 0 ? MonotonicClock.now + UInt64(milliseconds) * 1_000_000 : nil
    }

    func assertIsOwnThread() {
        assert(
            pthread_equal(pthread_self(), thread) != 0,
            "A transport belongs to the thread that made it.")
    }
}
