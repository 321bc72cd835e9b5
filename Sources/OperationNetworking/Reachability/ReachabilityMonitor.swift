import Dispatch

/// Watches what the kernel knows of interfaces, addresses and routes.
protocol ReachabilityMonitor: AnyObject, Sendable {
    /// Reports the facts soon, and again whenever they have changed, in order, until `stop()`.
    ///
    /// Called once in a monitor's life. It does not wait, and never reports before it returns.
    ///
    /// - Parameter report: called on a thread of the monitor's; nil when the facts are not to be
    ///   had.
    func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void)

    /// Ends the watch; may be called from within a report. One more report can be under way.
    func stop()
}

/// The monitor of a system that has no other: it knows nothing, and says so once.
final class BlindMonitor: ReachabilityMonitor {
    func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void) {
        DispatchQueue.global().async { report(nil) }
    }

    func stop() {}
}
