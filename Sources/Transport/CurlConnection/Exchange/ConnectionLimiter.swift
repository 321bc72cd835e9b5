import Foundation
import HTTPSemantics
import Scheduling

/// Limits how many exchanges of one owner use connections to one origin, and how many in all. The others wait,
/// to one origin by priority and age, and else in the order in which they came.
///
/// libcurl's own queue takes time that grows with the square of its length, and needs a handle for each
/// exchange that waits. Here an exchange costs the same however many wait, but for the logarithm of the
/// number of origins that the limit for all keeps waiting.
///
/// ## Concurrency
/// Call from: the transports' thread. Lock: none. Calls out: the slots' waiters, on that thread.
final class ConnectionLimiter {
    /// What the limit for an origin counts together.
    struct Key: Hashable {
        let origin: String
        let owner: ObjectIdentifier?
    }

    private typealias Connections = Limiter<Key, () -> Void>

    /// An exchange's permission to use a connection, or its wait for it.
    typealias Slot = Limiter<Key, () -> Void>.Slot

    /// Exchanges at once on one HTTP/2 connection, as most servers allow.
    private static let streams = 100
    /// How long one waits for each class that it rises, in nanoseconds.
    static let ageing: UInt64 = 5_000_000_000
    /// How many origins without exchanges are remembered as multiplexing.
    private static let rememberedOrigins = 500

    // Unchecked for speed: waiters are called when nothing is being changed.
    @exclusivity(unchecked) private var limiter = Connections(.age, ageing: ageing)
    /// Origins without exchanges that were seen to multiplex.
    @exclusivity(unchecked) private var multiplexing = RecentTable<String, Void>(
        limit: ConnectionLimiter.rememberedOrigins)
    private let all: Connections.Resource

    init() {
        all = limiter.keptResource(Key(origin: "", owner: nil))
    }

    deinit {
        // A queue and the resource that blocks it retain each other.
        _ = limiter.dismiss(at: 0) { _ in true }
    }

    /// How many origins it knows, in use (once for each owner) or remembered.
    var originCount: Int { limiter.resourceCount + multiplexing.count }

    /// Asks for a connection.
    ///
    /// - Returns: the slot, and whether it can be used at once. Of one that cannot, the caller sets
    ///   `waiter`.
    func slot(at origin: String, limits: ConnectionLimits) -> (Slot, isGiven: Bool) {
        let resource = limiter.resource(
            of: Key(origin: origin, owner: limits.owner),
            minimum: multiplexing.use(origin) != nil ? Self.streams : 0)
        let needs = Connections.Needs(
            Connections.Need(resource, atMost: limits.perHost),
            Connections.Need(all, atMost: limits.total))
        let slot = limiter.ask(needs, limits.priority, at: MonotonicClock.now)
        return (slot, slot.isHeld)
    }

    /// Gives a slot back, or leaves the queue.
    func leave(_ slot: Slot) {
        if slot.state == .left { return }
        let resource = slot.resource
        let granted = limiter.leave(slot, at: MonotonicClock.now)
        if resource.isForgotten, resource.minimum > 0 {
            multiplexing.set((), for: resource.key.origin)
        }
        notify(granted)
    }

    /// The origin was seen to speak HTTP/2, so more exchanges than connections fit.
    func noteMultiplexing(at slot: Slot) {
        guard slot.state != .left, slot.resource.minimum == 0 else { return }
        notify(limiter.setMinimum(Self.streams, atFirstOf: slot, at: MonotonicClock.now))
    }

    private func notify(_ granted: [Slot]) {
        for slot in granted {
            // An earlier one's call may have had this one leave.
            let waiter = slot.waiter
            slot.waiter = nil
            waiter?()
        }
    }
}

/// How many exchanges of one thread and one set of modes may use connections at once, and who counts.
struct ConnectionLimits: Hashable {
    /// To one scheme, host and port; at least 1.
    var perHost = 6
    /// To all; at least 1.
    var total = 256
    /// The session whose exchanges alone count for `perHost`; nil: those that no session has count together.
    var owner: ObjectIdentifier?
    var priority = TransferPriority.normal
}
