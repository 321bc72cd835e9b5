public import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking
import Synchronization

// What others see of an operation: its manager's observer, a recording, its metrics, and the state that Foundation
// reads without the lock.

// MARK: - The manager's observer

extension URLConnectionOperation {
    private var observed: ObservedRequest {
        lock.withLock {
            ObservedRequest(
                id: number, urlRequest: guarded.request, response: guarded.response)
        }
    }

    func notifyMade() {
        guard let manager = guarded.settings.observedManager else { return }
        manager.notifyMade(observed)
    }

    /// On the network thread.
    func notifyObserver(
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        guard let observedManager else { return }
        observedManager.notify(observed, call)
    }

    func notifyObserverOfEnd() {
        guard let manager = lock.withLock({ guarded.settings.observedManager }) else { return }
        let (error, metrics) = (result.error, metrics)
        manager.notify(observed) { $0.request($1, didEndWith: error, metrics: metrics) }
    }
}

// MARK: - A recording, and the description

extension URLConnectionOperation {
    package var number: UInt64 { lock.number }

    /// Records a stored state; waiting for a slot is recorded as ready. The lock is held.
    func note(_ old: OperationMachine.Key?, to new: OperationMachine.Key?) {
        guard EventRecorder.isRecording, let new else { return }
        let old = old ?? .ready
        EventRecorder.instant(
            .operationState, subject: number, value: Int64(old.rawValue * 256 + new.rawValue),
            text: StateEdges.text(old, new))
        switch new {
        case .executing where !guarded.hasBegun:
            guarded.name()
            guarded.hasBegun = true
            EventRecorder.begin(.operation, subject: number, text: guarded.traceName)
        case .finished where guarded.hasBegun:
            guarded.name()
            EventRecorder.end(.operation, subject: number, text: guarded.traceName)
        default: break
        }
    }

    /// State, request and response, without secrets.
    var described: String {
        let (request, response) = lock.withLock { (guarded.request, guarded.response) }
        let url = request.url.map { Redaction.address($0.absoluteString) }
        return "state: \(state?.keyPath ?? "waiting"), cancelled: \(isCancelled ? "YES" : "NO") "
            + "request: \(url ?? "nil"), response: \(response?.shown ?? "nil")"
    }

    /// Calls a progress block on main, in order with the other blocks.
    func report(
        _ block: @escaping Blocks.Progress, _ bytes: Int64, _ total: Int64, _ expected: Int64
    ) {
        sender.thread.dispatchAtOnce(to: CallbackBatch.main) { [number] in
            EventRecorder.span(.callback, subject: number, text: .progress) {
                block(bytes, total, expected)
            }
        }
    }
}

/// Texts such as "ready → executing", made once.
private enum StateEdges {
    private static let count = OperationMachine.Key.allCases.count
    /// By the old state and then the new one.
    private static let all = OperationMachine.Key.allCases.flatMap { old in
        OperationMachine.Key.allCases.map { new in EventText(fixed: "\(old) → \(new)") }
    }

    static func text(_ old: OperationMachine.Key, _ new: OperationMachine.Key) -> EventText {
        all[index(old) * count + index(new)]
    }

    /// The cases' numbers are -1, 1, 2 and 3.
    private static func index(_ state: OperationMachine.Key) -> Int { max(0, state.rawValue) }
}

// MARK: - Metrics

extension URLConnectionOperation {
    /// The times of all runs that have ended or were paused, and of the queue, the serializer and the
    /// block; nil before a run has ended or was paused.
    ///
    /// From any thread. A copy has none of its own, and an archive holds none.
    public var metrics: RequestMetrics? {
        let metrics = lock.withLock { metricsSoFar }
        return metrics.instants.responseCompleted == 0 ? nil : metrics
    }

    /// With the instant at which it was queued, which is atomic. The lock is held.
    private var metricsSoFar: RequestMetrics {
        var metrics = guarded.times?.metrics ?? RequestMetrics()
        let queued = queuedAt.load(ordering: .relaxed)
        // Only a caller reads `isReady` of a running operation.
        let started = metrics.instants.started
        metrics.instants.queued = started == 0 || queued <= started ? queued : 0
        return metrics
    }

    /// The lock is held.
    private var times: OperationTimes {
        if let times = guarded.times { return times }
        let times = OperationTimes()
        guarded.times = times
        return times
    }

    /// When it is put into a queue, and when it becomes ready again before its first run.
    func noteQueued() {
        queuedAt.store(MonotonicClock.now, ordering: .relaxed)
    }

    /// Its `isReady` is read: the only sign of a queue of the caller's own.
    func noteReadinessRead() {
        visible.noteReadinessRead()
        if queuedAt.load(ordering: .relaxed) == 0 { noteQueued() }
    }

    /// The lock is held.
    func noteTime(of state: OperationMachine.Key?) {
        guard guarded.times == nil else { return }
        switch state {
        case .ready: noteQueued()
        case .executing: times.metrics.instants.started = MonotonicClock.now
        case .paused, .finished, nil: break
        }
    }

    /// Adds the times of a run's connection, on the network thread; the lock is held.
    ///
    /// - Parameter connection: nil where the operation ends without one.
    func keepTimes(of connection: URLConnection?) {
        if let run = connection?.metrics {
            times.metrics.append(run)
        } else {
            let now = MonotonicClock.now
            times.metrics.instants.responseCompleted = now
            times.metrics.readClock(at: now)
        }
    }

    func noteSerialization(from start: UInt64, to end: UInt64) {
        lock.withLock {
            times.metrics.noteSerialization(from: start, to: end)
        }
    }

    /// Just before the completion block is called, on its queue: notes the time, and calls the metrics block.
    func willCallCompletion() {
        let now = MonotonicClock.now
        let call = lock.withLock { () -> (Blocks.Metrics, RequestMetrics)? in
            // A caller may call its `completionBlock` before the end.
            guard state == .finished else { return nil }
            times.metrics.noteCallback(at: now)
            guard let block = guarded.blocks.metrics else { return nil }
            guarded.blocks.metrics = nil
            return (block, metricsSoFar)
        }
        guard let (block, metrics) = call else { return }
        EventRecorder.span(.callback, subject: number, text: .metrics) { block(metrics) }
    }
}

extension EventText {
    static let metrics = EventText(fixed: "metrics")
}

// MARK: - The state without the lock

package struct StateAnnouncement: Hashable, Sendable {
    package var keyPath: String
    package var isTrue: Bool
}

/// The copy of an operation's state that is read without its lock, and whether a queue, perhaps of the caller's own,
/// has read `isReady`.
///
/// Foundation itself reads `isReady` in each announcement, in `addDependency` and in `cancel`, in a queue or not, which
/// does not count. A queue reads it more than once, so one that reads during an announcement is noticed soon after.
///
/// ## Concurrency
/// Call from: any thread; `become` and `cancel` under the operation's lock. Lock: none; four atomics.
struct VisibleState: ~Copyable {
    private let number = Atomic<UInt32>(CountedKey(.ready).number)
    private let cancelled = Atomic<Bool>(false)
    private let announcements = Atomic<Int32>(0)
    private let isRead = Atomic<Bool>(false)

    var counted: CountedKey { CountedKey(number: number.load(ordering: .acquiring)) }
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Before another thread uses the operation.
    func begin(_ key: OperationMachine.Key?) {
        number.store(CountedKey(key).number, ordering: .releasing)
    }

    func become(_ key: OperationMachine.Key?) {
        let last = CountedKey(number: number.load(ordering: .relaxed))
        number.store(last.next(key).number, ordering: .releasing)
    }

    func cancel() { cancelled.store(true, ordering: .releasing) }

    var wasReadinessRead: Bool { isRead.load(ordering: .acquiring) }

    func noteReadinessRead() {
        if announcements.load(ordering: .acquiring) == 0 {
            isRead.store(true, ordering: .releasing)
        }
    }

    func announcing(_ announce: () -> Void) {
        announcements.add(1, ordering: .acquiringAndReleasing)
        announce()
        announcements.subtract(1, ordering: .acquiringAndReleasing)
    }
}

/// A key and the number of its changes, as one number: if two reads return the same number, nothing changed in between.
struct CountedKey: Hashable, Sendable {
    let number: UInt32

    private static let keyBits: UInt32 = 7
    private static let one: UInt32 = 8

    init(number: UInt32) {
        self.number = number
    }

    init(_ key: OperationMachine.Key?) {
        number = Self.bits(of: key)
    }

    /// Nil while the operation waits for its slot.
    var key: OperationMachine.Key? {
        OperationMachine.Key(rawValue: Int(number & Self.keyBits) - 1)
    }

    /// The count begins anew after 2^29.
    func next(_ key: OperationMachine.Key?) -> CountedKey {
        CountedKey(number: (number & ~Self.keyBits &+ Self.one) | Self.bits(of: key))
    }

    /// The cases' numbers are -1, 1, 2 and 3.
    private static func bits(of key: OperationMachine.Key?) -> UInt32 {
        UInt32((key?.rawValue ?? 0) + 1)
    }
}
