public import Foundation

/// A clock that stands still until it is turned.
///
/// ```swift
/// let clock = TurnableClock()
/// manager.configuration.clock = clock.clock
/// // … once the request is out:
/// clock.turn(by: 61)      // its limit of 60 seconds has passed
/// ```
///
/// What is due is called while it is turned, in the order of the moments, before ``turn(by:)`` returns; what
/// names a queue is handed to that. A connection ends on its own thread soon after.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around the time and the alarms. Calls out on: the thread
/// that turns, not under it.
public final class TurnableClock: @unchecked Sendable {
    // @unchecked because time and alarms are touched under the condition's lock alone.
    private struct Plan {
        let due: UInt64
        let number: Int
        let alarm: ClockAlarm
        let queue: DispatchQueue?
    }

    private let condition = NSCondition()
    /// Not the system's time, so that a mixture of both is seen soon.
    private var time: UInt64 = 3_600_000_000_000
    private var calendar: Date
    private var plans: [Plan] = []
    private var made = 0

    /// Makes a clock that stands at a date.
    public init(at date: Date = Date()) {
        calendar = date
    }

    /// The clock that it turns, for a configuration.
    public var clock: NetworkClock { NetworkClock(hands: self) }

    /// The calendar's date, which goes on as the clock is turned. Setting it changes no delay, just as setting
    /// a machine's calendar does not.
    public var date: Date {
        get { condition.withLock { calendar } }
        set { condition.withLock { calendar = newValue } }
    }

    var nanoseconds: UInt64 { condition.withLock { time } }

    // MARK: Turning

    /// Lets so many seconds pass, and calls what is due meanwhile, also what is set only then.
    public func turn(by seconds: TimeInterval) {
        let end = condition.withLock { advanced(by: seconds) }
        while let plan = next(until: end) { ring(plan) }
        condition.withLock { pass(to: end) }
    }

    /// Lets the time pass until the next alarm, and calls all that are due then.
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

    // MARK: Who waits

    /// Seconds until each alarm that is set, the next first.
    public var alarms: [TimeInterval] {
        condition.withLock {
            tidyUp()
            return plans.map { $0.due > time ? Double($0.due - time) / 1e9 : 0 }.sorted()
        }
    }

    /// Blocks until alarms are set on the clock.
    ///
    /// - Parameters:
    ///   - count: how many alarms must be set.
    ///   - patience: seconds of real time.
    /// - Returns: whether they were set in that time.
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

    /// Takes the next plan that is due until a time, which is then the clock's.
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

    /// Drops what was taken back.
    private func tidyUp() {
        plans.removeAll { !$0.alarm.isSet }
    }
}
