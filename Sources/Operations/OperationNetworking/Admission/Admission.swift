import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import Scheduling

/// One operation's way through a manager's gate.
///
/// ## Concurrency
/// Call from: any thread. Lock: the gate's. Calls out on: the gate's queue, without the lock: `announce`.
final class Admission: @unchecked Sendable {
    // @unchecked because what changes is guarded by the gate's lock.

    enum State {
        /// Its dependencies have not ended.
        case notReady
        case waiting
        case admitted
        /// It was started with its place, which it keeps until its end.
        case begun
        case left
        /// Nobody can let it in any more, and it is being cancelled.
        case refused

        var hasPlace: Bool { self == .admitted || self == .begun }
    }

    /// What is held out of the queue.
    struct Held {
        let operation: Operation
        let queue: OperationQueue
        /// Puts it into the queue.
        let add: @Sendable () -> Void
    }

    let gate: AdmissionGate
    /// In the order in which they were enqueued.
    let number: UInt64
    /// The lanes that it needs a place in.
    let origin: String
    let group: String?
    /// Whether it stays on this machine, which needs no network.
    let isLocal: Bool
    let priority: TransferPriority
    /// Has the queue ask again whether the operation may start.
    let announce: @Sendable () -> Void
    /// Ends the operation, which nobody can let in any more.
    let cancel: @Sendable () -> Void
    var state = State.notReady
    /// Its place, or where it waits for one.
    var slot: AdmissionGate.Places.Slot?
    /// When it began to wait, or got its place.
    var since: UInt64? { slot?.since }
    /// The operation, until it is in the queue.
    var held: Held?
    /// Whether it is on its way there.
    var isEntering = false

    /// - Parameter isOverSocket: whether its connection goes to a socket of this machine, whatever the address.
    init(
        _ gate: AdmissionGate, to url: URL?, group: String?, priority: TransferPriority,
        isOverSocket: Bool = false, cancel: @escaping @Sendable () -> Void = {},
        announce: @escaping @Sendable () -> Void
    ) {
        self.gate = gate
        number = gate.nextNumber()
        origin = url.flatMap(Origin.init)?.description ?? ""
        let host = url?.host()?.lowercased() ?? ""
        isLocal =
            isOverSocket || ["file", "data"].contains(url?.scheme?.lowercased())
            || host == "localhost" || NetworkAddress.isLoopback(host)
        self.group = group
        self.priority = priority
        self.announce = announce
        self.cancel = cancel
    }

    /// Whether the operation, whose dependencies have ended, may start; asks for a place the first time.
    var mayStart: Bool { gate.mayStart(self) }

    /// Asks for a place, for an operation whose dependencies have ended.
    ///
    /// - Returns: whether it may enter the queue now; if not, the gate adds it later.
    func mayEnter(or held: Held) -> Bool { gate.mayEnter(self, or: held) }

    /// Has what is held enter the queue without a place, since it was cancelled and will end there.
    func letGo() { gate.letGo(self) }

    /// The operation cannot start now: others may have its place. It asks again once it can, which it finds out
    /// in the queue. Does nothing once it has begun.
    func withdraw() { gate.withdraw(self) }

    /// The operation was started, and has a place from now on, whatever the limits say.
    func begin() { gate.begin(self) }

    /// The operation will end at its start, for which it needs no place.
    func needsNoPlace() { gate.release(self) }

    /// The operation has ended, or will never need its place.
    func leave() { gate.leave(self) }
}
