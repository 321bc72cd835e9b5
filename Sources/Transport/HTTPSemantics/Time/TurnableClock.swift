public import Foundation

/// A clock that stands still until it is advanced.
///
/// ```swift
/// let clock = TurnableClock()
/// manager.configuration.clock = clock.clock
/// // … once the request is out:
/// clock.turn(by: 61)      // its limit of 60 seconds has passed
/// ```
///
/// Due blocks are called while the clock is advanced, in the order of their times, before
/// ``turn(by:)`` returns; those with a queue are dispatched to it. A connection ends on its own
/// thread soon after.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the time and the alarms. Calls out on: the
/// thread that advances the clock, without the lock.
public final class TurnableClock: @unchecked Sendable {
    // @unchecked because time and alarms are touched under the condition's lock alone.
    private struct Plan {
        let due: UInt64
        let number: Int
        let alarm: ClockAlarm
        let queue: DispatchQueue?
    }

    private let condition = NSCondition()
    /// Differs from the system's time, so that mixing both clocks is noticed.
    private var time: UInt64 = 3_600_000_000_000
    private var calendar: Date
    private var plans: [Plan] = []
    private var made = 0

    /// Makes a clock that stands at a date.
    public init(at date: Date = Date()) {
        calendar = date
    }

    /// The clock to configure, which this object advances.
    public var clock: NetworkClock { NetworkClock(turnable: self) }

    /// The calendar's date, which advances with the clock. Setting it changes no delay, just as
    /// setting the system's date does not.
    public var date: Date {
        get { condition.withLock { calendar } }
        set { condition.withLock { calendar = newValue } }
    }

    var nanoseconds: UInt64 { condition.withLock { time } }

    // MARK: Advancing

    /// Advances the time by a number of seconds, and calls what is due, also what is scheduled
    /// meanwhile.
    public func turn(by seconds: TimeInterval) {
        let end = condition.withLock { advanced(by: seconds) }
        while let plan = next(until: end) { ring(plan) }
        condition.withLock { pass(to: end) }
    }

    /// Advances the time to the next alarm, and calls all that are due then.
    ///
    /// - Returns: false where no alarm is set.
    @discardableResult
    public func turnToNext() -> Bool {
        guard let end = condition.withLock({ nextDue }) else { return false }
        while let plan = next(until: end) { ring(plan) }
        return true
    }

    private func ring(_ plan: Plan) {
        if let queue = plan.queue {
            queue.async(execute: plan.alarm.ring)
        } else {
            plan.alarm.ring()
        }
    }

    // MARK: Alarms

    /// Seconds until each alarm, the next first.
    public var alarms: [TimeInterval] {
        condition.withLock {
            tidyUp()
            return plans.map { $0.due > time ? Double($0.due - time) / 1e9 : 0 }.sorted()
        }
    }

    /// Blocks until alarms are scheduled on the clock.
    ///
    /// - Parameters:
    ///   - count: how many alarms must be scheduled.
    ///   - patience: seconds of real time.
    /// - Returns: whether they were scheduled in that time.
    @discardableResult
    public func waitForAlarms(_ count: Int = 1, within patience: TimeInterval = 60) -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        return condition.withLock {
            while true {
                tidyUp()
                if plans.count >= count { return true }
                guard condition.wait(until: limit) else { return plans.count >= count }
            }
        }
    }

    func set(_ alarm: ClockAlarm, at due: UInt64, on queue: DispatchQueue?) {
        let isDue = condition.withLock {
            guard due > time else { return true }
            made += 1
            tidyUp()
            plans.append(Plan(due: due, number: made, alarm: alarm, queue: queue))
            condition.broadcast()
            return false
        }
        if isDue { (queue ?? ClockAlarm.shared).async(execute: alarm.ring) }
    }

    // MARK: Under the lock

    private func advanced(by seconds: TimeInterval) -> UInt64 {
        guard seconds > 0 else { return time }
        return time + UInt64((min(seconds, 1e9) * 1e9).rounded())
    }

    private var nextDue: UInt64? {
        tidyUp()
        return plans.map(\.due).min()
    }

    /// Removes the next alarm that is due until a time, and sets the clock to the alarm's time.
    private func next(until end: UInt64) -> Plan? {
        condition.withLock {
            tidyUp()
            let due = plans.filter { $0.due <= end }
            guard let plan = due.min(by: { ($0.due, $0.number) < ($1.due, $1.number) }) else {
                return nil
            }
            plans.removeAll { $0.number == plan.number }
            pass(to: plan.due)
            return plan
        }
    }

    private func pass(to end: UInt64) {
        guard end > time else { return }
        calendar += Double(end - time) / 1e9
        time = end
    }

    /// Removes cancelled alarms.
    private func tidyUp() {
        plans.removeAll { !$0.alarm.isSet }
    }
}
