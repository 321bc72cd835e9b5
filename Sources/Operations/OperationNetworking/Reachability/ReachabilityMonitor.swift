import Dispatch

/// Watches the kernel's interfaces, addresses and routes.
package protocol ReachabilityMonitor: AnyObject, Sendable {
    /// Reports the facts soon, and again whenever they have changed, in order, until `stop()`.
    ///
    /// Called once in a monitor's life. It does not block, and never reports before it returns.
    ///
    /// - Parameter report: called on a thread of the monitor's; with nil when the facts cannot be
    ///   read.
    func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void)

    /// Stops watching; may be called inside a report. One more report can be under way.
    func stop()
}

/// The monitor for systems without any other: it reports once that nothing is known.
final class BlindMonitor: ReachabilityMonitor {
    func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void) {
        DispatchQueue.global().async { report(nil) }
    }

    func stop() {}
}
