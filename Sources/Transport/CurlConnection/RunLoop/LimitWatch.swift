import HTTPSemantics

/// The times at which a transport's timeouts and jobs are due.
///
/// The transport's own timer follows the system's clock. A clock that a test turns calls back by itself.
struct LimitWatch {
    let clock: NetworkClock
    /// When a timeout is to be checked, or a job is due.
    private(set) var next: UInt64?
    private var jobs = DueTimes<UInt64, DueJob>()
    /// The number of jobs at which cancelled ones are dropped.
    private var cleanedAt = 64
    private var alarm: ClockAlarm?
    private var alarmTime: UInt64?

    init(_ clock: NetworkClock) {
        self.clock = clock
    }

    /// The next time for the transport's own timer.
    var nextOfTimer: UInt64? { clock.isTurnable ? nil : next }

    /// How many jobs there are, cancelled ones included.
    var jobCount: Int { jobs.count }

    /// - Returns: whether the time is earlier than all others.
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

    /// Removes the jobs that are due. `next` is then that of the other jobs; the caller adds the timeouts again.
    mutating func take(at time: UInt64) -> [DueJob] {
        next = nil
        var due: [DueJob] = []
        while let job = jobs.take(until: time) { due.append(job) }
        _ = note(jobs.next)
        return due
    }

    /// Has a clock that a test turns wake the transport at the next time.
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

/// A job that runs once at a time, unless it is cancelled before.
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

    func cancel() {
        withExtendedLifetime(job.take()) {}
    }
}
