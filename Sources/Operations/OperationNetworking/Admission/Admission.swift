import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// What the limits need to know about an operation that is enqueued.
struct QueueMember {
    /// The caller's name for operations that share a limit.
    var group: String?
    /// The number of its manager: it waits while that manager reports no network.
    var manager: UInt64?
    /// Whether it connects to a Unix domain socket; then it needs no network, whatever the URL's host.
    var isOverSocket = false
}

/// An operation's entry in a limiter, from joining it to leaving it. A download may have several: one for each further
/// connection and for its next try.
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
        /// It runs, or was paused while it ran. It keeps the slot until its end; a file download gives it
        /// back while it waits for its next try.
        case begun
        /// A file download that waits for its next try, and keeps only its slot in the queue's width.
        case waitingForRetry
        case left
        /// It waits for a group that can no longer be resumed, and is being cancelled.
        case refused

        var mayStart: Bool { self == .admitted || self == .begun || self == .left }
    }

    /// The limits that it counts in.
    struct Needs {
        /// Nil for an `Operation` of the caller's own class, which counts only in the queue's width.
        var origin: String?
        var group: String?
        /// The number of the manager whose network it needs; nil without a manager, and for requests that need no
        /// network: to this machine, over a Unix domain socket, `file:` and `data:`.
        var network: UInt64?
        /// False for entries of a download that counts in the width already: of further connections and of the next try.
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
    /// Called when the operation got its slot, and by `lookAgain`, perhaps without one.
    let announce: @Sendable () -> Void
    /// Cancels the operation, which can no longer get a slot.
    let cancel: @Sendable () -> Void
    var priority: TransferPriority
    var state = State.notReady
    /// Its slot, or its request for one.
    var slot: OperationLimiter.Slots.Slot?
    /// While it waits, when it requested the slot; after that, when it got it.
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
    /// - Returns: whether it has the slot. If not, `announce` is called when it gets one, or `cancel` if it cannot get
    ///   one any more.
    func ask() -> Bool { limiter.ask(self) }

    /// Calls `announce` on the limiter's queue.
    func lookAgain() { limiter.announce([self]) }

    /// Whether no limit keeps it from running: it has its slot, or has left the limiter.
    var mayStart: Bool { limiter.mayStart(self) }

    /// Withdraws the request, or returns the slot, of an operation that cannot start now. Does nothing once it has
    /// begun.
    func withdraw() { limiter.change { $0.withdraw(self) } }

    /// Takes a slot, if it has none, whatever the limits say.
    func begin() { limiter.change { $0.begin(self) } }

    /// Returns the slot until the next try, but still counts in the queue's width.
    func waitForRetry() { limiter.change { $0.waitForRetry(self) } }

    /// Changes its priority; its age stays.
    func move(to priority: TransferPriority) {
        limiter.change { $0.move(self, to: priority) }
    }

    /// Copies the operation's priority, and again if another thread changes it during the copying.
    func followPriority(of operation: Operation) {
        passOnLatest(TransferPriority(of: operation)) { move(to: $0) }
    }

    /// Returns the slot for good.
    func leave() { limiter.change { $0.leave(self) } }
}

/// An operation whose `start` returns at once, and which loads when it has its slot.
protocol LimitedOperation: Operation {
    /// Nil where there are no limits.
    var currentAdmission: Admission? { get }
    /// What its load waits for while it executes: a connection, or the next try. Otherwise nil.
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
    /// The priority that corresponds to an operation's `queuePriority`.
    init(_ priority: Operation.QueuePriority) {
        switch priority {
        case .veryLow: self = .veryLow
        case .low: self = .low
        case .high: self = .high
        case .veryHigh: self = .veryHigh
        default: self = .normal
        }
    }

    /// The priority with which an operation waits. If `queuePriority` is `.normal`, its `qualityOfService` decides.
    /// Foundation's queue does so only if `queuePriority` was never set, and with a width other than 1.
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
