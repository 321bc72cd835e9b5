public import Foundation

/// Reports which thread waits for which when threads make no progress.
///
/// ```swift
/// try EventRecorder.start()
/// let watch = StallWatch(limit: 2, queues: [manager.operationQueue]) { print($0) }
/// ```
///
/// It follows the recording, and checks every quarter of the limit, at least once a second, on a
/// thread of its own. A ``Stall`` is a cycle of threads and locks, or of operations' dependencies.
/// Past the limit so is a wait for a lock, a full operation queue, or a thread that sleeps in a block or,
/// if it has a run loop, anywhere else than in that. So is a queue whose blocks wait behind such a
/// thread; on main, behind any.
///
/// What a thread waits for inside a caller's block, a semaphore for example, is not recorded: the
/// report names the block instead. A stall is reported once, also if the same members stall again.
///
/// Until `end`, each event takes two locks. Without a recording there are no events, but the
/// watch's thread still checks the operation queues.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the observed state. Calls out on: its own
/// thread (`report`) and the caller's of `isTold` (`fits`), without the lock.
public final class StallWatch: @unchecked Sendable {
    // @unchecked because what changes is used under the condition's lock, and `look` only on the
    // watch's thread.
    private let limit: UInt64
    private let report: @Sendable (Stall) -> Void
    private let condition = NSCondition()
    private var state = WaitState()
    /// The recording that the observed events belong to.
    private var recording: UInt32 = 0
    private var reported: [Stall] = []
    private var isOver = false
    private var listener: UInt64 = 0
    private var look: QueueLook

    /// Begins to watch; the recording may begin before or after.
    ///
    /// - Parameters:
    ///   - limit: seconds after which a wait is reported; at least 0.01.
    ///   - queues: queues whose operations are checked too, for their dependencies and their
    ///     progress.
    ///   - report: called once for each stall; without one the stall is printed on standard error.
    public init(
        limit: TimeInterval = 5, queues: [OperationQueue] = [],
        report: @escaping @Sendable (Stall) -> Void = StallWatch.print
    ) {
        self.limit = UInt64(min(max(limit, 0.01), 1e6) * 1e9)
        self.report = report
        look = QueueLook(queues)
        listener = EventListeners.add { [weak self] in self?.observe($0) }
        Thread.detachNewThread { [weak self, period = max(limit, 0.01) / 4] in
            EventRecorder.nameThread("StallWatch")
            while true {
                usleep(UInt32(min(period, 1) * 1e6))
                guard let self, self.check() else { return }
            }
        }
    }

    deinit { EventListeners.remove(listener) }

    /// Ends the watch; a check under way may still report.
    ///
    /// - Returns: the stalls found so far.
    @discardableResult
    public func end() -> [Stall] {
        EventListeners.remove(listener)
        return condition.withLock {
            isOver = true
            return reported
        }
    }

    /// The stalls found so far.
    public var stalls: [Stall] { condition.withLock { reported } }

    /// Waits until a stall that `fits` accepts was found, also earlier. It may return before `report`
    /// is called for that stall.
    ///
    /// - Parameters:
    ///   - patience: seconds.
    ///   - fits: called once for each stall.
    /// - Returns: false where none was found in that time.
    public func isTold(
        within patience: TimeInterval, where fits: (Stall) -> Bool = { _ in true }
    ) -> Bool {
        let end = Date(timeIntervalSinceNow: patience)
        var seen = 0
        while true {
            let found = condition.withLock {
                while reported.count == seen, condition.wait(until: end) {}
                return reported[seen...]
            }
            // The caller's code runs without the lock.
            if found.contains(where: fits) { return true }
            if found.isEmpty { return false }
            seen += found.count
        }
    }

    /// Prints a stall on standard error.
    public static func print(_ stall: Stall) {
        FileHandle.standardError.write(Data((stall.description + "\n").utf8))
    }

    private func observe(_ event: Event) {
        let recording = EventRecorder.recording
        condition.withLock {
            if recording != self.recording {
                // A span that began in another recording has no end in this one.
                state = WaitState()
                self.recording = recording
            }
            state.note(event)
        }
    }

    /// - Returns: false once the watch is over.
    private func check() -> Bool {
        let observed = condition.withLock { isOver ? nil : (self.state, self.recording) }
        guard let (last, recording) = observed else { return false }
        let state = recording == EventRecorder.recording ? last : WaitState()
        let now = EventRecorder.now
        var found = look.stalls(at: now, limit: limit)
        var gone: [UInt32] = []
        found +=
            WaitGraph(state, at: now, limit: limit) { thread in
                let answer = KernelState(of: thread)
                if answer == .gone { gone.append(thread) }
                return answer
            }.stalls
        let new = condition.withLock {
            self.state.forget(gone)
            let new = found.filter { stall in !reported.contains { $0.identity == stall.identity } }
            reported += new
            condition.broadcast()
            return new
        }
        for stall in new { report(stall) }
        return true
    }
}
