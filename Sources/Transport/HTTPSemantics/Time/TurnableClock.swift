public import Foundation

/// A clock for tests, whose time changes only when ``turn(by:)`` or ``turnToNext()`` is called.
///
/// ```swift
/// let clock = TurnableClock()
/// manager.configuration.clock = clock.clock
/// // … when the request was sent:
/// clock.turn(by: 61)      // its limit of 60 seconds is over
/// ```
///
/// An alarm is a block that is to be called at a time (``NetworkClock/wakeUp(after:on:_:)``). ``turn(by:)`` calls the alarms
/// of the time that passes, in the order of their times, before it returns; an alarm with a queue is dispatched to
/// that. A load whose time limit is over ends on the network thread, soon after ``turn(by:)`` has returned.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the time and the alarms. Calls out on: the
/// thread that turns the clock, not under the lock.
public final class TurnableClock: @unchecked Sendable {
    // @unchecked because time and alarms are used only under the lock of the condition.
    private struct Plan {
        let due: UInt64
        let alarm: ClockAlarm
        let queue: DispatchQueue?
    }

    private let condition = NSCondition()
    /// Begins at a value that differs from the system's time, so that a mistake of one for the other is noticed.
    private var time: UInt64 = 3_600_000_000_000
    private var calendar: Date
    private var plans = DueTimes<UInt64, Plan>()

    /// Makes a clock whose date is the given one.
    public init(at date: Date = Date()) {
        calendar = date
    }

    /// The clock to set in a configuration; this object sets its time.
    public var clock: NetworkClock { NetworkClock(turnable: self) }

    /// The date, which turning the clock changes too. Setting it calls no alarms, like setting the system's date.
    public var date: Date {
        get { condition.withLock { calendar } }
        set { condition.withLock { calendar = newValue } }
    }

    var nanoseconds: UInt64 { condition.withLock { time } }

    // MARK: Turning

    /// Advances the time by a number of seconds, and calls the alarms of this time, also those that are set by another
    /// alarm's block.
    public func turn(by seconds: TimeInterval) {
        let end = condition.withLock { advanced(by: seconds) }
        while let plan = next(until: end) { ring(plan) }
        condition.withLock { pass(to: end) }
    }

    /// Advances the time to that of the next alarm, and calls all alarms with this time.
    ///
    /// - Returns: false if no alarm is set.
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

    /// The number of seconds until each alarm, in ascending order.
    public var alarms: [TimeInterval] {
        condition.withLock {
            tidyUp()
            return plans.elements.map { $0.due > time ? Double($0.due - time) / 1e9 : 0 }.sorted()
        }
    }

    /// Blocks the calling thread until a number of alarms is set.
    ///
    /// - Parameters:
    ///   - count: the number of alarms.
    ///   - patience: the longest wait, in seconds of the system's time.
    /// - Returns: whether so many alarms are set.
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
            tidyUp()
            plans.add(Plan(due: due, alarm: alarm, queue: queue), at: due)
            condition.broadcast()
            return false
        }
        if isDue { (queue ?? ClockAlarm.shared).async(execute: alarm.ring) }
    }

    // MARK: Under the lock

    private func advanced(by seconds: TimeInterval) -> UInt64 {
        return time + NetworkClock.nanoseconds(seconds)
    }

    private var nextDue: UInt64? {
        tidyUp()
        return plans.next
    }

    /// Removes the first alarm whose time is not later than the given one, and advances the clock to the alarm's time.
    private func next(until end: UInt64) -> Plan? {
        condition.withLock {
            tidyUp()
            let plan = plans.take(until: end)
            if let plan { pass(to: plan.due) }
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
