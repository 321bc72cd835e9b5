public import Foundation
public import HTTPSemantics

// Limits beyond the queue's own. They belong to `operationQueue`, and so to all managers that share it; a queue of
// another class than a manager's initial one has none, and there they are the manager's. An operation is in the queue
// from the beginning, is started when it waits for no other, and waits in `start` for its place: by `queuePriority`
// and by age.
extension OperationManager {
    /// How many operations may run at once to one scheme, host and port; nil, the default, is no limit.
    public var maximumOperationsPerOrigin: Int? {
        get { existingLimiter?.originLimit }
        set { limiter.originLimit = newValue }
    }

    /// How many operations of a group may run at once; nil is no limit.
    public func maxConcurrentOperationCount(ofGroup group: String) -> Int? {
        existingLimiter?.limit(ofGroup: group)
    }

    /// Sets how many operations of a group may run at once.
    ///
    /// - Parameters:
    ///   - count: 1 or more; nil is no limit.
    ///   - group: what `enqueue(_:group:)` names.
    public func setMaxConcurrentOperationCount(_ count: Int?, ofGroup group: String) {
        limiter.setLimit(count, ofGroup: group)
    }

    /// Whether waiting operations of a group are held back.
    public func isSuspended(group: String) -> Bool {
        existingLimiter?.isSuspended(group) ?? false
    }

    /// Holds the waiting operations of a group back, or lets them go on; running ones go on.
    public func setSuspended(_ isSuspended: Bool, group: String) {
        limiter.setSuspended(isSuspended, group)
    }

    /// Seconds after which an operation that is held back counts as one of the next higher priority; 5 by default.
    ///
    /// In the highest priority the oldest operation is first: after four such intervals an operation of the lowest
    /// priority has started, or waits only for older ones. Since a place is not free at once, an operation rises
    /// sooner by twice the time that places were in use lately, and at most by one interval.
    public var priorityAgeingInterval: TimeInterval {
        get { existingLimiter?.ageing ?? 5 }
        set { limiter.ageing = newValue }
    }

    /// Whether this manager's operations to other machines are held back, as while there is no network; see
    /// `HTTPRequestOperationManager.holdsWhileOffline`. It counts for what is enqueued after a first limit was set.
    public var isOffline: Bool {
        get { existingLimiter?.isOffline(number) ?? false }
        set { (newValue ? limiter : existingLimiter)?.setOffline(newValue, number) }
    }

    /// What ageing goes by; the system's clock at first.
    public var clock: NetworkClock {
        get { existingLimiter?.clock ?? .system }
        set { limiter.clock = newValue }
    }
}
