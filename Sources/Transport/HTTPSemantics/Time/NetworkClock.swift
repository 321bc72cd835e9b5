import EventRecorder
public import Foundation

/// The clock of limits, delays and ages: the system's, or one that a test controls.
///
/// A `URLConnectionConfiguration` has one, and so have managers; ``system`` is the default. A
/// ``TurnableClock`` stands still until it is advanced, so testing a limit of a minute takes no
/// minute. A `NetworkClock` is one of Swift's clocks: `Task.sleep(until:clock:)` takes it.
///
/// ``now`` never goes back. ``date`` is the system's date, which goes back when that is set back; with a
/// ``TurnableClock`` it is that clock's, which a test may set.
/// Certificates are judged by the system's date, or by `SecurityPolicy.verificationTime`. Measurements always use the
/// system's clock.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; a ``TurnableClock`` has one. Calls out on: the given
/// queue, or without one as ``wakeUp(after:on:_:)`` says.
public struct NetworkClock: Clock, Hashable, Sendable {
    /// The system's clock.
    public static let system = NetworkClock(turnable: nil)

    /// The clock that a test controls; nil for the system's.
    let turnable: TurnableClock?

    /// An instant of a clock; to compare instants of different clocks has no meaning.
    public struct Instant: InstantProtocol {
        /// Since the clock's zero.
        package let nanoseconds: UInt64

        package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

        /// A later instant, or an earlier one for a negative duration, clamped to what can be
        /// represented.
        public func advanced(by duration: Duration) -> Instant {
            let span = NetworkClock.nanoseconds(duration)
            let (sum, isOver) =
                span < 0
                ? nanoseconds.subtractingReportingOverflow(span.magnitude)
                : nanoseconds.addingReportingOverflow(span.magnitude)
            return Instant(nanoseconds: isOver ? (span < 0 ? 0 : .max) : sum)
        }

        /// How much later the other instant is.
        public func duration(to other: Instant) -> Duration {
            other < self
                ? .zero - NetworkClock.duration(ofNanoseconds: nanoseconds - other.nanoseconds)
                : NetworkClock.duration(ofNanoseconds: other.nanoseconds - nanoseconds)
        }

        /// Whether one instant is before another.
        public static func < (one: Instant, other: Instant) -> Bool {
            one.nanoseconds < other.nanoseconds
        }
    }

    // MARK: The time

    /// The monotonic time.
    public var now: Instant { Instant(nanoseconds: nanoseconds) }

    /// The calendar's date.
    public var date: Date { turnable?.date ?? Date() }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Whether a ``TurnableClock`` controls it.
    package var isTurnable: Bool { turnable != nil }

    /// The monotonic time as a number; that of the system is `MonotonicClock.now`.
    package var nanoseconds: UInt64 { turnable?.nanoseconds ?? EventRecorder.now }

    /// The monotonic time so many seconds from now, in nanoseconds. Nil, for no limit, unless the seconds are above 0 and
    /// below 10⁹ (about 31 years).
    package func deadline(in seconds: TimeInterval) -> UInt64? {
        guard seconds > 0, seconds < 1e9 else { return nil }
        return nanoseconds + Self.nanoseconds(seconds)
    }

    // MARK: Scheduling

    /// Calls a block once, after a number of seconds.
    ///
    /// - Parameters:
    ///   - seconds: 0 or less is soon, but not inside this call; 10⁹ (about 31 years) or more is never.
    ///   - queue: where the block runs. Without one it runs on a queue that all alarms share, or on the thread that
    ///     advances a ``TurnableClock``; there it must not block.
    /// - Returns: the alarm, which calls the block even if the caller does not keep it.
    @discardableResult
    public func wakeUp(
        after seconds: TimeInterval, on queue: DispatchQueue? = nil,
        _ block: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        guard seconds.isNaN || seconds < 1e9 else { return ClockAlarm(block) }
        let instant = Instant(nanoseconds: nanoseconds + Self.nanoseconds(seconds))
        return wakeUp(at: instant, on: queue, block)
    }

    /// Calls a block once, at an instant or soon after it.
    @discardableResult
    public func wakeUp(
        at instant: Instant, on queue: DispatchQueue? = nil,
        _ block: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        let alarm = ClockAlarm(block)
        if let turnable {
            turnable.set(alarm, at: instant.nanoseconds, on: queue)
        } else if instant <= now {
            (queue ?? ClockAlarm.shared).async(execute: alarm.ring)
        } else {
            alarm.ring(at: instant.nanoseconds, on: queue ?? ClockAlarm.shared)
        }
        return alarm
    }

    // MARK: Identity

    /// Whether both are the same clock.
    public static func == (one: NetworkClock, other: NetworkClock) -> Bool {
        one.turnable === other.turnable
    }

    /// Hashes the identity of the controlling clock.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(turnable.map(ObjectIdentifier.init))
    }

    /// Clamped to 0...10⁹ seconds (about 31 years); NaN is 0.
    static func nanoseconds(_ seconds: TimeInterval) -> UInt64 {
        seconds > 0 ? UInt64((min(seconds, 1e9) * 1e9).rounded()) : 0
    }

    /// Clamped to what can be represented.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, rest) = duration.components
        let (whole, isOver) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isOverAgain) = whole.addingReportingOverflow(rest / 1_000_000_000)
        guard isOver || isOverAgain else { return sum }
        return seconds < 0 ? -Int64.max : .max
    }

    static func duration(ofNanoseconds nanoseconds: UInt64) -> Duration {
        .nanoseconds(Int64(clamping: nanoseconds))
    }
}
