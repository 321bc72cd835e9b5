import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

/// What a durable queue does: accepts, sends, retries and reports entries, and writes their ends.
///
/// ## Concurrency
/// Call from: any thread; what is marked so, and all that uses the store, runs on the serial queue `disk`.
/// Lock: one each around `state`, `pending` and smaller values. Calls out on: the serial queue `sender` (the manager
/// makes and enqueues an operation), the manager's completion queue or main (outcomes); never under a lock.
final class DurableRun: Sendable {
    typealias Outcomes = @Sendable (DurableEntry, DurableOutcome) -> Void

    /// What waits to be written, in its order.
    struct Pending {
        var added: [(entry: StoredEntry, result: Awaited<UUID>)] = []
        var noted: [StoredChange] = []
        /// What the disk refused, and is written after a pause.
        var refused: [StoredChange] = []
        var isScheduled = false
    }

    let manager: HTTPRequestOperationManager
    let options: DurableQueue.Options
    let clock: NetworkClock
    let bodies: BodyStore
    let state = Locked(DurableState())
    let disk = DispatchQueue(label: "com.alamofire.networking.durable", qos: .userInitiated)
    let sender = DispatchQueue(label: "com.alamofire.networking.durable.send", qos: .userInitiated)
    let copier = DispatchQueue(label: "com.alamofire.networking.durable.copy", qos: .userInitiated)
    /// Used on `disk` alone, so no thread waits for the lock.
    let store: Locked<DurableStore>
    private let outcomes: Outcomes?
    let pending = Locked(Pending())
    private let alarm = Locked<(alarm: ClockAlarm, date: Date)?>(nil)
    /// The calendar's date, and the clock's moment, when `today` last read them.
    private let seen: Locked<(date: Date, moment: NetworkClock.Instant)>
    private let empty = Locked<[Awaited<Void>]>([])
    private let closings = Locked<[Awaited<Void>]>([])

    /// Seconds after which what the disk refused is written again.
    static let pause: TimeInterval = 5
    /// Seconds; a longer delay is cut to it.
    private static let longest: TimeInterval = 1e9

    /// On a thread that may wait for the disk.
    init(
        _ folder: URL, _ manager: HTTPRequestOperationManager, _ options: DurableQueue.Options,
        _ outcomes: Outcomes?
    ) throws {
        guard folder.isFileURL else {
            throw DurableQueueError.unusable("A durable queue needs the file URL of a folder.")
        }
        self.manager = manager
        self.options = options
        self.outcomes = outcomes
        clock = manager.configuration.clock
        seen = Locked((clock.date, clock.now))
        let (store, entries) = try DurableStore.open(
            folder.path, acceptsDamage: options.acceptsDamage, disk: options.disk)
        self.store = Locked(store)
        bodies = try BodyStore(
            in: folder.path, longest: options.maximumBodyLength, disk: options.disk)
        bodies.removeAll(but: Set(entries.compactMap(\.body?.name)))
        state.withLock { state in
            state.isSuspended = options.isSuspended
            // An earlier process may have stored a date by a calendar that was wrong.
            let policy = options.retryPolicy
            let longest = min(max(policy.maximumDelay, policy.maximumRetryAfter), Self.longest)
            let latest = clock.date + longest
            for var entry in entries {
                entry.notBefore = entry.notBefore.map { min($0, latest) }
                state.add(entry)
                options.retryPolicy.budget?.add()
            }
        }
    }

    // MARK: Sending

    /// On `disk`: ends what has expired, sends what may be sent, and sets the alarm for what is due next.
    func advance() {
        expire()
        while let item = state.withLock({ $0.begin(limit: options.maximumConcurrentEntries) }) {
            sender.async { self.send(item) }
        }
        setAlarm()
        if state.withLock({ $0.items.isEmpty }) { Self.resume(empty) }
    }

    /// On `disk`: the calendar's date. If the calendar was set back, this moves the delays, so that they end no later.
    private func today() -> Date {
        // In this order, and below in the other: a clock that is set in between moves no delay.
        let moment = clock.now
        let date = clock.date
        let before = seen.withLock { seen in
            defer { seen = (date, clock.now) }
            return seen
        }
        let passed = before.moment.duration(to: moment) / .seconds(1)
        let back = passed - date.timeIntervalSince(before.date)
        if back > 1 { state.withLock { $0.moveDelays(by: -back) } }
        return date
    }

    private func expire() {
        let now = today()
        while let id = state.withLock({ $0.due.take(until: now) }) {
            guard let item = state.withLock({ $0.items[id] }) else { continue }
            let isExpired = item.entry.expires.map { $0 <= now } ?? false
            switch item.phase {
            case .waiting where isExpired: end(id, .expired)
            case .delayed where isExpired: end(id, .expired)
            case .delayed(let date) where date <= now: state.withLock { $0.wake(id) }
            // What was sent is waited for; what the manager has not started is not.
            case .sending where isExpired && item.operation?.isExecuting == false:
                stop(id, .expired)
            default: break
            }
        }
    }

    private func setAlarm() {
        guard let next = state.withLock({ $0.isClosed ? nil : $0.due.next }) else { return }
        alarm.withLock { held in
            if let held, held.alarm.isSet, held.date <= next { return }
            held?.alarm.cancel()
            // In this order a clock that is set in between makes the alarm early, never late.
            let now = clock.now
            let wait = min(max(0, next.timeIntervalSince(clock.date)), Self.longest)
            let alarm = clock.wakeUp(at: now.advanced(by: .seconds(wait)), on: disk) {
                [weak self] in self?.advance()
            }
            held = (alarm, next)
        }
    }

    /// On `disk`: cancels the operation of an entry. One that was never started ends at once, since its operation
    /// may wait long for its own end.
    private func stop(_ id: UUID, _ ending: DurableState.Ending) {
        let operation = state.withLock { state in
            state.change(id) { $0.ending = ending }
            return state.items[id]?.operation
        }
        guard let operation else { return }
        operation.cancel()
        if !operation.wasStarted { endUnsent(id) }
    }

    /// On `disk`: an entry whose try was stopped before anything was sent.
    func endUnsent(_ id: UUID) {
        let (item, isClosed) = state.withLock { ($0.items[id], $0.isClosed) }
        guard let item, let ending = item.ending, item.phase == .sending, !isClosed else {
            return
        }
        state.withLock { $0.endTry(id, phase: .ending) }
        end(id, ending == .expired ? .expired : nil)
        disk.async { self.advance() }
    }

    // MARK: Ending

    /// On `disk`: an entry failed and is sent again.
    func delay(_ id: UUID, by seconds: TimeInterval, attempts: Int) {
        let date = today() + min(seconds, Self.longest)
        let entry = state.withLock { state in
            state.change(id) { $0.entry.attempts = attempts }
            state.delay(id, until: date)
            return state.items[id]?.entry
        }
        if let entry { note(.tried(entry)) }
    }

    /// On `disk`: an entry has ended. The queue reports it, then writes it, and then forgets it.
    func end(_ id: UUID, _ outcome: DurableOutcome?) {
        guard let item = state.withLock({ $0.items[id] }) else { return }
        state.withLock { $0.change(id) { $0.phase = .ending } }
        guard let outcomes, let outcome else { return note(.ended(id)) }
        let entry = DurableEntry(item, reason: .ending)
        (manager.completionQueue ?? .main).async {
            guard self.state.withLock({ $0.beginReport() }) else { return }
            outcomes(entry, outcome)
            self.note(.ended(id))
            guard self.state.withLock({ $0.endReport() }) else { return }
            self.disk.async { self.closeStore() }
        }
    }

    /// On `disk`: takes out an entry that is no longer wanted.
    func remove(_ id: UUID) -> Bool {
        // What a closed queue has stays for the next one.
        guard let item = state.withLock({ $0.isClosed ? nil : $0.items[id] }) else { return false }
        switch item.phase {
        case .waiting, .delayed: end(id, nil)
        case .sending: stop(id, .removed)
        case .ending: return false
        }
        return true
    }

    // MARK: The end

    /// Gives the result once every entry has ended, or the queue is closed.
    func whenEmpty(_ awaited: Awaited<Void>) {
        disk.async {
            self.empty.withLock { $0.append(awaited) }
            if self.state.withLock({ $0.items.isEmpty || $0.isClosed }) { Self.resume(self.empty) }
        }
    }

    /// Forgets a task that waits no longer.
    func forget(_ awaited: Awaited<Void>) {
        disk.async { self.empty.withLock { $0.removeAll { $0 === awaited } } }
    }

    private static func resume(_ tasks: Locked<[Awaited<Void>]>) {
        var waiting: [Awaited<Void>] = []
        tasks.withLock { swap(&$0, &waiting) }
        for awaited in waiting { awaited.give(.success(())) }
    }

    /// Stops sending, and closes the store once no outcome is being reported. What has not ended stays stored.
    func close(_ closed: Awaited<Void> = Awaited()) {
        let operations = state.withLock { state in
            state.isClosed = true
            return state.items.values.compactMap(\.operation)
        }
        for operation in operations { operation.cancel() }
        closings.withLock { $0.append(closed) }
        disk.async { self.closeStore() }
    }

    /// On `disk`.
    private func closeStore() {
        guard state.withLock({ $0.isOver }) else { return }
        var rest = Pending()
        pending.withLock { swap(&$0, &rest) }
        let changes = rest.refused + rest.noted
        do {
            try write(changes)
        } catch {
            // Ends need no space. Without them the entries would be sent again.
            try? write(changes.filter(\.isEnd))
        }
        for (entry, result) in rest.added {
            bodies.remove(entry.body)
            result.give(.failure(DurableQueueError.closed))
        }
        store.withLock { $0.close() }
        alarm.withLock { $0 }?.alarm.cancel()
        Self.resume(empty)
        Self.resume(closings)
    }
}
