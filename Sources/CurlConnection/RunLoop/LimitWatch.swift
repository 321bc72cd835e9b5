import HTTPSemantics

/// The moments of a transport's clock at which something is due: limits of transfers, and jobs.
///
/// The system's clock is watched by the transport's own timer. One that somebody turns says by itself when
/// a moment has come.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
struct LimitWatch {
    let clock: NetworkClock
    /// When the limits are checked next, or a job is due.
    private(set) var next: UInt64?
    private var jobs: [(due: UInt64, job: () -> Void)] = []
    private var alarm: ClockAlarm?
    private var alarmTime: UInt64?

    init(_ clock: NetworkClock) {
        self.clock = clock
    }

    /// The next moment that the transport's own timer watches.
    var nextOfTimer: UInt64? { clock.isTurnable ? nil : next }

    /// - Returns: whether the moment is earlier than all others.
    mutating func note(_ deadline: UInt64?) -> Bool {
        guard let deadline, deadline < next ?? .max else { return false }
        next = deadline
        return true
    }

    mutating func add(_ job: @escaping () -> Void, at deadline: UInt64) -> Bool {
        jobs.append((deadline, job))
        return note(deadline)
    }

    func isDue(at time: UInt64) -> Bool {
        guard let next else { return false }
        return next <= time
    }

    /// Takes the jobs that are due. The rest is noted again; limits are to be noted anew.
    mutating func take(at time: UInt64) -> [() -> Void] {
        next = nil
        guard !jobs.isEmpty else { return [] }
        let due = jobs.filter { $0.due <= time }
        jobs.removeAll { $0.due <= time }
        for job in jobs { _ = note(job.due) }
        return due.map(\.job)
    }

    /// Has a clock that is turned wake the transport at the next moment.
    mutating func arm(_ wakeUpEvent: WakeUpEvent) {
        guard clock.isTurnable, alarmTime != next else { return }
        disarm()
        alarmTime = next
        alarm = next.map {
            clock.wakeUp(at: NetworkClock.Instant(nanoseconds: $0)) { wakeUpEvent.signal() }
        }
    }

    mutating func disarm() {
        alarm?.cancel()
        (alarm, alarmTime) = (nil, nil)
    }
}
