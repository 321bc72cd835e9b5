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
    private var jobs = DueTimes<UInt64, DueJob>()
    /// Cancelled jobs are dropped when there are so many in all.
    private var cleanedAt = 64
    private var alarm: ClockAlarm?
    private var alarmTime: UInt64?

    init(_ clock: NetworkClock) {
        self.clock = clock
    }

    /// The next moment that the transport's own timer watches.
    var nextOfTimer: UInt64? { clock.isTurnable ? nil : next }

    /// The jobs it keeps, some of which may have been cancelled.
    var jobCount: Int { jobs.count }

    /// - Returns: whether the moment is earlier than all others.
    mutating func note(_ deadline: UInt64?) -> Bool {
        guard let deadline, deadline < next ?? .max else { return false }
        next = deadline
        return true
    }

    mutating func add(_ job: DueJob, at deadline: UInt64) -> Bool {
        if jobs.count >= cleanedAt {
            jobs.removeAll { $0.isOver }
            cleanedAt = max(64, jobs.count * 2)
        }
        jobs.add(job, at: deadline)
        return note(deadline)
    }

    func isDue(at time: UInt64) -> Bool {
        guard let next else { return false }
        return next <= time
    }

    /// Takes the jobs that are due. The rest is noted again; limits are to be noted anew.
    mutating func take(at time: UInt64) -> [DueJob] {
        next = nil
        var due: [DueJob] = []
        while let job = jobs.take(until: time) { due.append(job) }
        _ = note(jobs.next)
        return due
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

/// A job that runs at a moment, once, unless it is cancelled before.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class DueJob {
    private var job: (() -> Void)?

    init(_ job: @escaping () -> Void) {
        self.job = job
    }

    /// Whether it has run or was cancelled.
    var isOver: Bool { job == nil }

    func run() {
        job.take()?()
    }

    /// Drops the job, and what it holds.
    func cancel() {
        withExtendedLifetime(job.take()) {}
    }
}
