public import Foundation
public import HTTPSemantics

// Limits beyond the queue's own. They count for operations that are enqueued after the first of them was
// set. What is held back enters `operationQueue` when it may start; `operations`, `snapshot()` and
// `waitUntilAllOperationsAreFinished()` know of it before. It waits by `queuePriority`, as it was when it was enqueued, and by age.
extension OperationManager {
    /// How many operations may run at once to one scheme, host and port; nil, the default, is no limit.
    public var maximumOperationsPerOrigin: Int? {
        get { existingGate?.originLimit }
        set { gate.originLimit = newValue }
    }

    /// How many operations of a group may run at once; nil is no limit.
    public func maxConcurrentOperationCount(ofGroup group: String) -> Int? {
        existingGate?.limit(ofGroup: group)
    }

    /// Sets how many operations of a group may run at once.
    ///
    /// - Parameters:
    ///   - count: 1 or more; nil is no limit.
    ///   - group: what `enqueue(_:group:)` names.
    public func setMaxConcurrentOperationCount(_ count: Int?, ofGroup group: String) {
        gate.setLimit(count, ofGroup: group)
    }

    /// Whether waiting operations of a group are held back.
    public func isSuspended(group: String) -> Bool {
        existingGate?.isSuspended(group) ?? false
    }

    /// Holds the waiting operations of a group back, or lets them go on; running ones go on.
    public func setSuspended(_ isSuspended: Bool, group: String) {
        gate.setSuspended(isSuspended, group)
    }

    /// Seconds after which an operation that is held back counts as one of the next higher priority; 5 by default.
    ///
    /// In the highest priority the oldest operation is first: after four such intervals an operation of the lowest
    /// priority has started, or waits only for older ones. Since a place is not free at once, an operation rises
    /// sooner by twice the time that places were in use lately, and at most by one interval.
    public var priorityAgeingInterval: TimeInterval {
        get { existingGate?.ageing ?? 5 }
        set { gate.ageing = newValue }
    }

    /// Whether operations to other machines are held back, as while there is no network; see
    /// `HTTPRequestOperationManager.holdsWhileOffline`.
    public var isOffline: Bool {
        get { existingGate?.isOffline ?? false }
        set { gate.isOffline = newValue }
    }

    /// What ageing goes by; the system's clock at first.
    public var clock: NetworkClock {
        get { existingGate?.clock ?? .system }
        set { gate.clock = newValue }
    }
}
