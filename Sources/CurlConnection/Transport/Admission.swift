import Foundation

/// Which exchanges may use a connection: so many to one origin, so many in all. The others wait in
/// the order they came.
///
/// libcurl could queue them itself, but its queue takes time that grows with the square of its
/// length, and a waiting exchange here costs no handle.
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
        var isMultiplexed = false
        /// A list that is taken from at `first`; what has left it meanwhile is passed over.
        var waiting: [Place] = []
        var first = 0

        init(_ origin: String) {
            self.origin = origin
        }

        var next: Place? { first < waiting.count ? waiting[first] : nil }

        func passOver() {
            first += 1
            if first > 64, first * 2 > waiting.count {
                waiting.removeFirst(first)
                first = 0
            }
        }
    }

    /// Exchanges at once on one HTTP/2 connection, as most servers allow.
    private static let streams = 100

    private var lines: [String: Line] = [:]
    private var inUse = 0
    private var count = 0

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
        let isGiven = line.next == nil && hasRoom(line, limits)
        if isGiven {
            line.inUse += 1
            inUse += 1
            place.state = .inUse
            place.whenGiven = nil
        } else {
            line.waiting.append(place)
        }
        return (place, isGiven)
    }

    private func line(to origin: String) -> Line {
        if let known = lines[origin] { return known }
        let line = Line(origin)
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
        case .waiting where place.line.next === place:
            // Those behind it may have other limits.
            break
        case .waiting, .left:
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
        while give(in: line) {}
        if line.inUse == 0, line.next == nil, !line.isMultiplexed {
            lines[line.origin] = nil
        }
        // Who was kept waiting by the limit for all is let in by age.
        while let oldest = lines.values.compactMap({ line in
            line.next.flatMap { $0.state == .left || hasRoom(line, $0.limits) ? $0 : nil }
        }).min(by: { $0.number < $1.number }) {
            _ = give(in: oldest.line)
        }
    }

    /// - Returns: whether somebody got a place, or was passed over.
    private func give(in line: Line) -> Bool {
        guard let place = line.next else { return false }
        if case .waiting = place.state {
            guard hasRoom(line, place.limits) else { return false }
            place.state = .inUse
            line.inUse += 1
            inUse += 1
        }
        line.passOver()
        let whenGiven = place.whenGiven
        place.whenGiven = nil
        whenGiven?()
        return true
    }

    private func hasRoom(_ line: Line, _ limits: ConnectionLimits) -> Bool {
        inUse < max(limits.total, 1)
            && line.inUse < max(limits.perHost, line.isMultiplexed ? Self.streams : 1)
    }
}

/// How many exchanges of one thread and one set of modes use connections at once.
struct ConnectionLimits: Hashable {
    /// To one scheme, host and port; at least 1.
    var perHost = 6
    /// To all; at least 1.
    var total = 256
}
