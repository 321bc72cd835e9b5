import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// Who enqueues an operation, for its limits.
struct QueueMember {
    /// The caller's name for those that share a limit.
    var group: String?
    /// The number of the manager whose network it needs.
    var manager: UInt64?
    /// Whether its connections go to a socket of this machine, whatever the address.
    var isOverSocket = false
}

/// One operation's way to its slot in a limiter.
///
/// ## Concurrency
/// Call from: any thread. Lock: the limiter's. Calls out on: the limiter's queue, without the lock: `announce`.
final class Admission: @unchecked Sendable {
    // @unchecked because what changes is guarded by the limiter's lock.

    enum State {
        /// It has not asked, since it waits for others, or is paused.
        case notReady
        case waiting
        case admitted
        /// It was started with its slot, which it keeps until its end.
        case begun
        /// It waits for its next try, and keeps its slot in the queue alone.
        case resting
        case left
        /// Nobody can give it a slot any more, and it is being cancelled.
        case refused

        var mayStart: Bool { self == .admitted || self == .begun || self == .left }
    }

    /// What it needs a slot of.
    struct Needs {
        /// Nil for an operation of another class.
        var origin: String?
        var group: String?
        /// The number of the manager whose network it needs; nil for what stays on this machine.
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
    /// Has the operation look whether it has its slot.
    let announce: @Sendable () -> Void
    /// Ends the operation, to which nobody can give a slot any more.
    let cancel: @Sendable () -> Void
    var priority: TransferPriority
    var state = State.notReady
    /// Its slot, or where it waits for one.
    var slot: OperationLimiter.Slots.Slot?
    /// When it began to wait, or got its slot.
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

    /// Asks for a slot, the first time.
    ///
    /// - Returns: whether there is one already; if not, it is announced.
    func ask() -> Bool { limiter.ask(self) }

    /// Has the operation look for its slot, on the limiter's queue: one that it waited for has ended.
    func lookAgain() { limiter.announce([self]) }

    /// Whether it has its slot, or needs none.
    var mayStart: Bool { limiter.mayStart(self) }

    /// The operation cannot start now: others may have its slot. It asks again at its start. Does nothing once
    /// it has begun.
    func withdraw() { limiter.withdraw(self) }

    /// The operation was started, and has a slot from now on, whatever the limits say.
    func begin() { limiter.begin(self) }

    /// The operation waits for its next try: others may have its slot, but that in the queue.
    func rest() { limiter.rest(self) }

    /// It waits in another class, as long as it did.
    func move(to priority: TransferPriority) { limiter.move(self, to: priority) }

    /// The operation has ended, or will never need its slot.
    func leave() { limiter.leave(self) }
}
