import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// How an operation was enqueued, for its limits.
struct QueueMember {
    /// The caller's name for operations that share a limit.
    var group: String?
    /// The number of the manager whose network it needs.
    var manager: UInt64?
    /// Whether its connections go to a socket of this machine, whatever the address.
    var isOverSocket = false
}

/// One operation's slot in a limiter, or its request for one.
///
/// ## Concurrency
/// Call from: any thread. Lock: the limiter's. Calls out on: the limiter's queue, without the lock: `announce`,
/// `cancel`.
final class Admission: @unchecked Sendable {
    // @unchecked because what changes is guarded by the limiter's lock.

    enum State {
        /// Not requested: it waits for dependencies, or is paused.
        case notReady
        case waiting
        /// It has the slot, and has not begun.
        case admitted
        /// It runs, and keeps the slot until its end.
        case begun
        /// It waits for its next try, and keeps only its slot in the queue's width.
        case waitingForRetry
        case left
        /// It waits for a group that can no longer be resumed, and is being cancelled.
        case refused

        var mayStart: Bool { self == .admitted || self == .begun || self == .left }
    }

    /// The limits that it counts in.
    struct Needs {
        /// Nil for an operation of another class.
        var origin: String?
        var group: String?
        /// The number of the manager whose network it needs; nil for addresses of this machine.
        var network: UInt64?
        /// False for a further connection of a download.
        var countsInWidth = true

        init() {}

        init(_ url: URL?, _ member: QueueMember) {
            origin = url.flatMap(Origin.init)?.description ?? ""
            group = member.group
            let host = url?.host()?.lowercased() ?? ""
            let isLocal =
                member.isOverSocket || ["file", "data"].contains(url?.scheme?.lowercased())
                || host == "localhost" || NetworkAddress.isLoopback(host)
            network = isLocal ? nil : member.manager
        }
    }

    let limiter: OperationLimiter
    let needs: Needs
    /// Called when the operation got its slot.
    let announce: @Sendable () -> Void
    /// Cancels the operation, which can no longer get a slot.
    let cancel: @Sendable () -> Void
    var priority: TransferPriority
    var state = State.notReady
    /// Its slot, or its request for one.
    var slot: OperationLimiter.Slots.Slot?
    /// When it requested or got its slot.
    var since: UInt64? { slot?.since }

    init(
        _ limiter: OperationLimiter, _ needs: Needs, _ priority: TransferPriority,
        cancel: @escaping @Sendable () -> Void = {}, announce: @escaping @Sendable () -> Void
    ) {
        self.limiter = limiter
        self.needs = needs
        self.priority = priority
        self.announce = announce
        self.cancel = cancel
    }

    /// Requests a slot, unless it has done so.
    ///
    /// - Returns: whether it has the slot; if not, `announce` is called later.
    func ask() -> Bool { limiter.ask(self) }

    /// Calls `announce` on the limiter's queue.
    func lookAgain() { limiter.announce([self]) }

    /// Whether it has its slot, or needs none.
    var mayStart: Bool { limiter.mayStart(self) }

    /// Withdraws the request, or returns the slot, of an operation that cannot start now. Does nothing once it has
    /// begun.
    func withdraw() { limiter.change { $0.withdraw(self) } }

    /// Takes a slot, if it has none, whatever the limits say.
    func begin() { limiter.change { $0.begin(self) } }

    /// Returns the slot until the next try, except that in the queue's width.
    func waitForRetry() { limiter.change { $0.waitForRetry(self) } }

    /// Changes its priority; its age stays.
    func move(to priority: TransferPriority) {
        limiter.change { $0.move(self, to: priority) }
    }

    /// Takes over a priority that may have been set since this was made, and may be set meanwhile.
    func followPriority(of operation: Operation) {
        passOnLatest(TransferPriority(of: operation)) { move(to: $0) }
    }

    /// Returns the slot for good.
    func leave() { limiter.change { $0.leave(self) } }
}

/// An operation that waits for its slot in `start`.
protocol LimitedOperation: Operation {
    /// Nil where there are no limits.
    var currentAdmission: Admission? { get }
    /// What its connection waits for; nil where it does not wait.
    var loadWait: LoadWait? { get }

    /// Called when it enters a queue with limits, or its queue gets its first limit. It requests a slot if it could
    /// start, and takes one if it runs already.
    func join(_ limiter: OperationLimiter, _ member: QueueMember)
}

/// Passes a value on, and again if another thread has changed it meanwhile, until the latest was passed.
@discardableResult
func passOnLatest<Value: Equatable>(
    _ read: @autoclosure () -> Value, to pass: (Value) -> Void
) -> Value {
    var value = read()
    while true {
        pass(value)
        let latest = read()
        if latest == value { return value }
        value = latest
    }
}

extension TransferPriority {
    /// The class of an operation's `queuePriority`.
    init(_ priority: Operation.QueuePriority) {
        switch priority {
        case .veryLow: self = .veryLow
        case .low: self = .low
        case .high: self = .high
        case .veryHigh: self = .veryHigh
        default: self = .normal
        }
    }

    /// The priority of an operation that waits: as in Foundation's queue the quality of service counts if no priority
    /// is set.
    init(of operation: Operation) {
        self.init(operation.queuePriority)
        guard self == .normal else { return }
        switch operation.qualityOfService {
        case .userInteractive: self = .veryHigh
        case .userInitiated: self = .high
        case .utility: self = .low
        case .background: self = .veryLow
        case .default: break
        @unknown default: break
        }
    }
}
