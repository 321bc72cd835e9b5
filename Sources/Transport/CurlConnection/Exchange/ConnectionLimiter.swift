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
/// Call from: the transports' thread. Lock: none. Calls out: `whenGiven`, on that thread.
final class ConnectionLimiter {
    /// What the limit for an origin counts together.
    struct Line: Hashable {
        let origin: String
        let owner: ObjectIdentifier?
    }

    private typealias Connections = Limiter<Line, () -> Void>

    /// An exchange's place in the queue, and later among those that use a connection.
    typealias Ticket = Limiter<Line, () -> Void>.Slot

    /// Exchanges at once on one HTTP/2 connection, as most servers allow.
    private static let streams = 100
    /// How long one waits for each class that it rises, in nanoseconds.
    static let ageing: UInt64 = 5_000_000_000
    /// How many origins without exchanges are remembered as multiplexing.
    private static let rememberedOrigins = 500

    // Unchecked for speed: `whenGiven` is called when nothing is being changed.
    @exclusivity(unchecked) private var limiter = Connections(.age, ageing: ageing)
    /// Origins without exchanges that were seen to multiplex.
    @exclusivity(unchecked) private var multiplexing = RecentTable<String, Void>(
        limit: ConnectionLimiter.rememberedOrigins)
    private let all: Connections.Lane

    init() {
        all = limiter.keptLane(Line(origin: "", owner: nil))
    }

    deinit {
        // Those that wait, their lanes and the lines between them retain each other.
        _ = limiter.dismiss(at: 0) { _ in true }
    }

    /// How many origins it knows, in use (once for each owner) or remembered.
    var originCount: Int { limiter.laneCount + multiplexing.count }

    /// Asks for a ticket.
    ///
    /// - Returns: the ticket, and whether it can be used at once. Of one that cannot, the caller sets
    ///   `whenGiven`.
    func ticket(at origin: String, limits: ConnectionLimits) -> (Ticket, isGiven: Bool) {
        let lane = limiter.lane(
            of: Line(origin: origin, owner: limits.owner),
            least: multiplexing.use(origin) != nil ? Self.streams : 0)
        let needs = Connections.Needs(
            Connections.Need(lane, atMost: limits.perHost),
            Connections.Need(all, atMost: limits.total))
        let ticket = limiter.ask(needs, limits.priority, at: MonotonicClock.now)
        return (ticket, ticket.isHeld)
    }

    /// Gives a ticket back, or leaves the queue.
    func leave(_ ticket: Ticket) {
        if ticket.state == .left { return }
        let lane = ticket.lane
        let given = limiter.leave(ticket, at: MonotonicClock.now)
        if lane.isForgotten, lane.least > 0 { multiplexing.set((), for: lane.key.origin) }
        tell(given)
    }

    /// The origin was seen to speak HTTP/2, so more exchanges than connections fit.
    func noteMultiplexing(at ticket: Ticket) {
        guard ticket.state != .left, ticket.lane.least == 0 else { return }
        tell(limiter.setLeast(Self.streams, atFirstOf: ticket, at: MonotonicClock.now))
    }

    private func tell(_ given: [Ticket]) {
        for ticket in given {
            // One that is told may have had another leave.
            let whenGiven = ticket.waiter
            ticket.waiter = nil
            whenGiven?()
        }
    }
}
