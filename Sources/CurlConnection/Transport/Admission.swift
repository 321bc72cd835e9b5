import Foundation

/// Which exchanges may use a connection: so many to one origin, so many in all. The others wait in
/// the order they came.
///
/// libcurl could queue them itself, but its queue takes time that grows with the square of its
/// length, and a waiting exchange here costs no handle. An exchange that comes, waits or ends costs
/// the same, however many origins and waiters there are, but for the logarithm of the number of
/// origins that the limit for all keeps waiting.
///
/// ## Concurrency
/// Call from: the transports' thread. Lock: none. Calls out: a place that is given is told there.
final class Admission {
    /// An exchange's place in the line, and later at the origin; it goes by the limits it came
    /// with.
    final class Place {
        fileprivate enum State {
            case waiting, inUse, left
        }

        /// Kept by the admission until the place is left.
        fileprivate unowned let line: Line
        fileprivate let number: Int
        fileprivate let limits: ConnectionLimits
        fileprivate var state = State.waiting
        fileprivate var whenGiven: (() -> Void)?

        fileprivate init(
            _ line: Line, _ number: Int, _ limits: ConnectionLimits,
            _ whenGiven: @escaping () -> Void
        ) {
            self.line = line
            self.number = number
            self.limits = limits
            self.whenGiven = whenGiven
        }
    }

    /// Who uses connections to an origin, and who waits for one; kept while there is anybody.
    fileprivate final class Line {
        let origin: String
        var inUse = 0
        /// Whether many exchanges share one connection (HTTP/2).
        var isMultiplexed: Bool
        var waiting = WaitingLine<Place> { $0.state != .waiting }
        /// The place for which it is in `kept`, by number; one entry at a time is the valid one.
        var keptFor: Int?

        init(_ origin: String, isMultiplexed: Bool) {
            self.origin = origin
            self.isMultiplexed = isMultiplexed
        }

        func hasRoom(_ limits: ConnectionLimits) -> Bool {
            inUse < max(limits.perHost, isMultiplexed ? Admission.streams : 1)
        }
    }

    /// Exchanges at once on one HTTP/2 connection, as most servers allow.
    private static let streams = 100
    /// Origins that are known to multiplex while nobody uses them.
    private static let rememberedOrigins = 500

    private var lines: [String: Line] = [:]
    /// Origins that were seen to multiplex and that nobody uses now.
    private var multiplexing = RecentValues<String, Void>(limit: Admission.rememberedOrigins)
    /// Lines whose first the limit for all keeps waiting, and nothing else: by that limit, the oldest
    /// on top. Programs set few different limits.
    private var kept: [Int: KeptLines] = [:]
    private var inUse = 0
    private var count = 0

    /// How many origins it knows, used now or remembered.
    var originCount: Int { lines.count + multiplexing.count }

    /// Asks for a place.
    ///
    /// - Parameter whenGiven: called when one is free; not called where it is given at once.
    /// - Returns: the place, and whether it can be used at once.
    func place(
        at origin: String, limits: ConnectionLimits, whenGiven: @escaping () -> Void
    ) -> (Place, isGiven: Bool) {
        count += 1
        let line = line(to: origin)
        let place = Place(line, count, limits, whenGiven)
        let isGiven = line.waiting.isEmpty && hasRoom(limits) && line.hasRoom(limits)
        if isGiven {
            line.inUse += 1
            inUse += 1
            place.state = .inUse
            place.whenGiven = nil
        } else {
            line.waiting.append(place)
            keep(line)
        }
        return (place, isGiven)
    }

    private func line(to origin: String) -> Line {
        if let known = lines[origin] { return known }
        let line = Line(origin, isMultiplexed: multiplexing.value(of: origin) != nil)
        lines[origin] = line
        return line
    }

    /// Gives a place back, or leaves the line.
    func leave(_ place: Place) {
        let old = place.state
        place.state = .left
        place.whenGiven = nil
        switch old {
        case .inUse:
            inUse -= 1
            place.line.inUse -= 1
        case .waiting:
            // Those behind it may have other limits.
            place.line.waiting.noteLeaving()
        case .left:
            return
        }
        giveFreePlaces(first: place.line)
    }

    /// The origin was seen to speak HTTP/2, so more exchanges than connections fit.
    func noteMultiplexing(at place: Place) {
        guard place.state != .left, !place.line.isMultiplexed else { return }
        place.line.isMultiplexed = true
        giveFreePlaces(first: place.line)
    }

    private func giveFreePlaces(first line: Line) {
        while let place = line.waiting.first(), hasRoom(place.limits), line.hasRoom(place.limits) {
            give(place)
        }
        keep(line)
        forget(line)
        // Who was kept waiting by the limit for all is let in by age.
        while let place = oldestKept() {
            give(place)
            keep(place.line)
        }
    }

    private func give(_ place: Place) {
        _ = place.line.waiting.removeFirst()
        place.state = .inUse
        place.line.inUse += 1
        inUse += 1
        let whenGiven = place.whenGiven
        place.whenGiven = nil
        whenGiven?()
    }

    private func forget(_ line: Line) {
        guard line.inUse == 0, line.waiting.isEmpty else { return }
        lines[line.origin] = nil
        if line.isMultiplexed { multiplexing.set((), for: line.origin) }
    }

    /// Notes that only the limit for all keeps the line's first waiting, where that is so.
    private func keep(_ line: Line) {
        guard let place = line.waiting.first(), line.hasRoom(place.limits) else {
            line.keptFor = nil
            return
        }
        guard line.keptFor != place.number else { return }
        line.keptFor = place.number
        let total = place.limits.total
        let lines = kept[total] ?? KeptLines()
        kept[total] = lines
        lines.push(line, place.number)
    }

    /// The oldest of those that only the limit for all kept waiting and keeps no more.
    private func oldestKept() -> Place? {
        var oldest: (place: Place, total: Int)?
        for (total, lines) in kept where inUse < max(total, 1) {
            guard let place = lines.oldest() else {
                kept[total] = nil
                continue
            }
            if place.number < oldest?.place.number ?? .max { oldest = (place, total) }
        }
        guard let oldest else { return nil }
        kept[oldest.total]?.pop()
        oldest.place.line.keptFor = nil
        return oldest.place
    }

    private func hasRoom(_ limits: ConnectionLimits) -> Bool {
        inUse < max(limits.total, 1)
    }
}

/// Lines of which the limit for all keeps the first waiting, by its age: a binary heap whose entries
/// may be out of date.
///
/// ## Concurrency
/// Call from: the admission's thread. Lock: none.
private final class KeptLines {
    private var entries: [(line: Admission.Line, number: Int)] = []
    private var cleanedAt = 64

    func push(_ line: Admission.Line, _ number: Int) {
        if entries.count >= cleanedAt { clean() }
        entries.append((line, number))
        var index = entries.count - 1
        while index > 0, entries[index].number < entries[(index - 1) / 2].number {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// The first of the line that has waited longest; nil where there is none.
    func oldest() -> Admission.Place? {
        while let entry = entries.first {
            if isValid(entry), let place = entry.line.waiting.first() { return place }
            pop()
        }
        return nil
    }

    func pop() {
        guard entries.count > 1 else { return entries.removeAll() }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2]
            where child < entries.count && entries[child].number < entries[least].number {
                least = child
            }
            if least == index { return }
            entries.swapAt(index, least)
            index = least
        }
    }

    private func isValid(_ entry: (line: Admission.Line, number: Int)) -> Bool {
        entry.line.keptFor == entry.number && entry.line.waiting.first()?.number == entry.number
    }

    /// A sorted list is a heap.
    private func clean() {
        entries = entries.filter(isValid).sorted { $0.number < $1.number }
        cleanedAt = max(64, entries.count * 2)
    }
}

/// How many exchanges of one thread and one set of modes use connections at once.
struct ConnectionLimits: Hashable {
    /// To one scheme, host and port; at least 1.
    var perHost = 6
    /// To all; at least 1.
    var total = 256
}
