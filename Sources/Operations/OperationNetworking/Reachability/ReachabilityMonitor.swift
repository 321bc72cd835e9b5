import Dispatch

/// Watches the way to a target.
package protocol ReachabilityMonitor: AnyObject, Sendable {
    /// Reports the status soon, and again whenever it or the interface has changed, in order, until
    /// `stop()`.
    ///
    /// Called once in a monitor's life. It does not block.
    ///
    /// - Parameter report: called on a thread of the monitor's; with `.unknown` when the system does
    ///   not tell.
    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void)

    /// Stops watching; may be called inside a report. One more report can be under way.
    func stop()
}

/// The monitor for systems without any other: it reports once that nothing is known.
final class BlindMonitor: ReachabilityMonitor {
    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void) {
        DispatchQueue.global().async { report(.unknown) }
    }

    func stop() {}
}

/// The monitor that a manager has started last. Starts and stops are counted, so that a report of an
/// earlier run can be dropped.
package struct MonitorRun {
    package private(set) var number = 0
    private var monitor: (any ReachabilityMonitor)?

    package init() {}

    /// Ends the run before it, if any.
    ///
    /// - Parameter report: called on a thread of the monitor's with the status and the run's number.
    package mutating func begin(
        _ monitor: any ReachabilityMonitor,
        _ report: @escaping @Sendable (NetworkReachabilityStatus, Int) -> Void
    ) {
        end()
        self.monitor = monitor
        let run = number
        monitor.start { report($0, run) }
    }

    package mutating func end() {
        number += 1
        monitor?.stop()
        monitor = nil
    }
}
