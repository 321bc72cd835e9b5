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
    // What changes here and in the two classes is unchecked for speed: `whenGiven` is called when nothing is being
    // changed.

    /// An exchange's place in the queue, and later among those that use a connection. The limits are
    /// those of the exchange.
    final class Ticket {
        fileprivate enum State {
            case waiting, inUse, left
        }

        /// Kept by the limiter until the ticket is left.
        fileprivate unowned let queue: OriginQueue
        fileprivate let number: Int
        fileprivate let limits: ConnectionLimits
        fileprivate let since: UInt64
        @exclusivity(unchecked) fileprivate var state = State.waiting
        /// Called when it was waited for and can be used.
        @exclusivity(unchecked) var whenGiven: (() -> Void)?

        fileprivate init(
            _ queue: OriginQueue, _ number: Int, _ limits: ConnectionLimits, since: UInt64
        ) {
            self.queue = queue
            self.number = number
            self.limits = limits
            self.since = since
        }
    }

    /// What the limit for an origin counts together.
    fileprivate struct Line: Hashable {
        let origin: String
        let owner: ObjectIdentifier?
    }

    /// The exchanges of one owner with one origin; it exists while there are any.
    fileprivate final class OriginQueue {
        let line: Line
        @exclusivity(unchecked) var inUse = 0
        /// Whether many exchanges share one connection (HTTP/2).
        @exclusivity(unchecked) var isMultiplexed: Bool
        @exclusivity(unchecked) var waiting = PriorityLine<Ticket>(since: \.since) {
            $0.state != .waiting
        }
        /// The limit for all by which it is in `kept`.
        @exclusivity(unchecked) var keptBy: Int?

        init(_ line: Line, isMultiplexed: Bool) {
            self.line = line
            self.isMultiplexed = isMultiplexed
        }

        /// Who gets the next place.
        func first() -> Ticket? {
            waiting.first(at: { MonotonicClock.now }, ageing: ConnectionLimiter.ageing)
        }

        func hasRoom(_ limits: ConnectionLimits) -> Bool {
            inUse < max(limits.perHost, isMultiplexed ? ConnectionLimiter.streams : 1)
        }
    }

    /// Exchanges at once on one HTTP/2 connection, as most servers allow.
    private static let streams = 100
    /// How long one waits for each class that it rises, in nanoseconds.
    static let ageing: UInt64 = 5_000_000_000
    /// How many origins without exchanges are remembered as multiplexing.
    private static let rememberedOrigins = 500

    @exclusivity(unchecked) private var queues: [Line: OriginQueue] = [:]
    /// Origins without exchanges that were seen to multiplex.
    @exclusivity(unchecked) private var multiplexing = RecentTable<String, Void>(
        limit: ConnectionLimiter.rememberedOrigins)
    /// Queues whose first ticket waits for the limit for all alone, by that limit and then by its number.
    /// Programs set few different limits.
    @exclusivity(unchecked) private var kept: [Int: KeyedHeap<Line, Int>] = [:]
    @exclusivity(unchecked) private var inUse = 0
    @exclusivity(unchecked) private var count = 0

    /// How many origins it knows, in use (once for each owner) or remembered.
    var originCount: Int { queues.count + multiplexing.count }

    /// Asks for a ticket.
    ///
    /// - Returns: the ticket, and whether it can be used at once. Of one that cannot, the caller sets
    ///   `whenGiven`.
    func ticket(at origin: String, limits: ConnectionLimits) -> (Ticket, isGiven: Bool) {
        count += 1
        let queue = queue(of: Line(origin: origin, owner: limits.owner))
        let isGiven = queue.waiting.isEmpty && hasRoom(limits) && queue.hasRoom(limits)
        let since = isGiven ? 0 : MonotonicClock.now
        let ticket = Ticket(queue, count, limits, since: since)
        if isGiven {
            queue.inUse += 1
            inUse += 1
            ticket.state = .inUse
        } else {
            queue.waiting.append(ticket, limits.priority)
            keep(queue)
        }
        return (ticket, isGiven)
    }

    private func queue(of line: Line) -> OriginQueue {
        if let known = queues[line] { return known }
        let queue = OriginQueue(line, isMultiplexed: multiplexing.use(line.origin) != nil)
        queues[line] = queue
        return queue
    }

    /// Gives a ticket back, or leaves the queue.
    func leave(_ ticket: Ticket) {
        let old = ticket.state
        ticket.state = .left
        ticket.whenGiven = nil
        switch old {
        case .inUse:
            inUse -= 1
            ticket.queue.inUse -= 1
        case .waiting:
            // Those behind it may have other limits.
            ticket.queue.waiting.noteLeaving(ticket.limits.priority)
        case .left:
            return
        }
        giveFreePlaces(first: ticket.queue)
    }

    /// The origin was seen to speak HTTP/2, so more exchanges than connections fit.
    func noteMultiplexing(at ticket: Ticket) {
        guard ticket.state != .left, !ticket.queue.isMultiplexed else { return }
        ticket.queue.isMultiplexed = true
        giveFreePlaces(first: ticket.queue)
    }

    private func giveFreePlaces(first queue: OriginQueue) {
        while let ticket = queue.first(), hasRoom(ticket.limits),
            queue.hasRoom(ticket.limits)
        {
            give(ticket)
        }
        keep(queue)
        forget(queue)
        // The limit for all lets in the oldest ticket first.
        while let ticket = oldestKept() {
            give(ticket)
            keep(ticket.queue)
        }
    }

    private func give(_ ticket: Ticket) {
        ticket.queue.waiting.removeFirst(ticket.limits.priority)
        ticket.state = .inUse
        ticket.queue.inUse += 1
        inUse += 1
        let whenGiven = ticket.whenGiven
        ticket.whenGiven = nil
        whenGiven?()
    }

    private func forget(_ queue: OriginQueue) {
        guard queue.inUse == 0, queue.waiting.isEmpty else { return }
        queues[queue.line] = nil
        if queue.isMultiplexed { multiplexing.set((), for: queue.line.origin) }
    }

    /// Has the queue in `kept` where its first ticket waits for the limit for all alone, and only there.
    private func keep(_ queue: OriginQueue) {
        let ticket = queue.first().flatMap { queue.hasRoom($0.limits) ? $0 : nil }
        let total = ticket?.limits.total
        if let old = queue.keptBy, old != total {
            kept[old]?.remove(queue.line)
            if kept[old]?.first == nil { kept[old] = nil }
        }
        queue.keptBy = total
        guard let ticket, let total else { return }
        kept[total, default: KeyedHeap()].set(queue.line, ticket.number)
    }

    /// The oldest ticket that waited for the limit for all alone and now has room.
    private func oldestKept() -> Ticket? {
        var oldest: Ticket?
        // The keys alone, because a heap that is looked at would be copied when it changes.
        for total in Array(kept.keys) where inUse < max(total, 1) {
            guard let (line, number) = kept[total]?.first, let queue = queues[line] else {
                continue
            }
            guard let ticket = queue.first(), ticket.number == number else {
                // Another ticket has risen to its head, which may wait for something else.
                keep(queue)
                return oldestKept()
            }
            if number < oldest?.number ?? .max { oldest = ticket }
        }
        return oldest
    }

    private func hasRoom(_ limits: ConnectionLimits) -> Bool {
        inUse < max(limits.total, 1)
    }
}
