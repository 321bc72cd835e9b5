import EventRecorder
import HTTPSemantics
import Locking

// What a wake-up of the run loop does.
//
// A drive acts on the timer at most once, and a wake-up drives at most four times. Where more is to be done the
// transport wakes the loop again, so that other sources and timers of the loop are called meanwhile.

extension RunLoopTransport {
    private static let drivesAWakeUp = 4

    /// Has the transport driven soon. Several calls before that wake the loop once.
    func setNeedsDrive() {
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
                if rounds == Self.drivesAWakeUp || isLong {
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

    /// Whether the drive has lasted 30 ms, so that other sources of the loop are called next. Each peer may keep a call
    /// of libcurl's busy for a while (`CallWatch`).
    private var isLong: Bool { MonotonicClock.now - now > 30_000_000 }

    /// - Returns: whether there may be more to do.
    private func driveOnce() -> Bool {
        nowBefore = now
        now = MonotonicClock.now
        limitTime = clock.isTurnable ? clock.nanoseconds : now
        decodingLeft = Self.decodingInADrive
        var didWork = runJobs()
        guard !isClosed else { return false }
        let seen = descriptors.look(while: { !isLong }) { socket, readable, writable, failed in
            pool.multi?.act(on: socket, readable: readable, writable: writable, failed: failed)
        }
        if seen > 0 { EventRecorder.instant(.runLoopSource, text: .sockets) }
        if let error = descriptors.takeRefusal() {
            // An exchange whose socket is not watched would hang, and libcurl does not say which it is.
            for transfer in Array(transfers.values) { transfer.couldNotWatch(error) }
        }
        didWork = didWork || seen > 0
        // A timer waits once where the sockets took long, and not again.
        skipsTimer = !skipsTimer && isLong
        if !skipsTimer, descriptors.takeTimer(at: now) {
            EventRecorder.instant(.runLoopSource, text: .timer)
            pool.multi?.actOnTimer()
            pool.hasBegun()
            didWork = true
        }
        while let (exchange, result) = pool.multi?.nextFinished() {
            if !beginsAgain(exchange, result) { exchange.ended(with: result) }
        }
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
        for transfer in due.take(at: limitTime) {
            transfer.checkTimeouts(at: limitTime)
            scheduleTimeoutCheck(of: transfer)
        }
        _ = limits.note(due.next)
        guard transfers.isEmpty, let deadline = idleDeadline else { return }
        if deadline <= limitTime {
            idleDeadline = nil
            closeIdleConnections()
        } else {
            _ = limits.note(deadline)
        }
    }

    /// Asks those again whose delegates or streams signal nothing, where it is time to.
    private func poll() {
        guard let deadline = pollDeadline, deadline <= now else { return }
        pollDeadline = nil
        for load in Array(polled.values) where load.consumerWait.polling.isDue(at: now) {
            load.askAgain()
        }
        for (key, load) in polled {
            if let next = load.consumerWait.polling.next {
                pollDeadline = min(pollDeadline ?? .max, next)
            } else {
                polled[key] = nil
            }
        }
    }

    private var nextDeadline: UInt64? {
        let next = min(
            descriptors.curlDeadline ?? .max, limits.nextOfTimer ?? .max, pollDeadline ?? .max)
        return next == .max ? nil : next
    }
}

/// The transfers whose limits are to be looked at, the one that is due first at the head.
///
/// A heap. Each transfer knows its index (`Transfer.dueIndex`), so to note or remove one costs the logarithm of their
/// number at most.
struct DueTransfers {
    private var heap: [(moment: UInt64, transfer: Transfer)] = []

    /// When the first is due.
    var next: UInt64? { heap.first?.moment }
    var count: Int { heap.count }

    /// Has a transfer due at a moment, unless it is due earlier already.
    mutating func note(_ transfer: Transfer, at moment: UInt64) {
        if let index = transfer.dueIndex {
            guard moment < heap[index].moment else { return }
            heap[index].moment = moment
            rise(index)
        } else {
            transfer.dueIndex = heap.count
            heap.append((moment, transfer))
            rise(heap.count - 1)
        }
    }

    mutating func remove(_ transfer: Transfer) {
        guard let index = transfer.dueIndex else { return }
        exchange(index, heap.count - 1)
        heap.removeLast()
        transfer.dueIndex = nil
        guard index < heap.count else { return }
        rise(index)
        sink(index)
    }

    mutating func removeAll() {
        for entry in heap { entry.transfer.dueIndex = nil }
        heap = []
    }

    /// Removes those that are due.
    mutating func take(at now: UInt64) -> [Transfer] {
        var due: [Transfer] = []
        while let first = heap.first, first.moment <= now {
            due.append(first.transfer)
            remove(first.transfer)
        }
        return due
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
            exchange(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while 2 * index + 1 < heap.count {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            let least =
                right < heap.count && heap[right].moment < heap[left].moment ? right : left
            guard heap[least].moment < heap[index].moment else { return }
            exchange(index, least)
            index = least
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].transfer.dueIndex = one
        heap[other].transfer.dueIndex = other
    }
}

/// Jobs from other threads for one transport.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class CrossThreadJobs: Sendable {
    /// Called on the transport's thread, so a job need not hold it.
    typealias Job = @Sendable (RunLoopTransport) -> Void

    /// Nil once the transport is closed.
    private let waiting = Locked<[Job]?>([])
    private let wakeUpEvent: WakeUpEvent

    init(_ wakeUpEvent: WakeUpEvent) {
        self.wakeUpEvent = wakeUpEvent
    }

    /// Runs a job on the transport's thread, in its modes.
    func perform(_ job: @escaping Job) {
        waiting.withLock { $0?.append(job) }
        wakeUpEvent.signal()
    }

    /// Drops what was not collected, and what comes later.
    func close() {
        withExtendedLifetime(take(leaving: nil)) {}
    }

    /// Takes all that wait, in their order.
    func collect() -> [Job] {
        take(leaving: [])
    }

    /// Jobs are released outside the lock: what they hold is the caller's.
    private func take(leaving rest: [Job]?) -> [Job] {
        waiting.withLock { waiting in
            guard let jobs = waiting else { return [] }
            waiting = rest
            return jobs
        }
    }
}
