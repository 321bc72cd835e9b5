import ParitySupport

/// What a run of a scenario showed.
struct Observation: Sendable {
    var events: [Event] = []
    var finals: [String: [String: GoldenValue]] = [:]
    var extra: [String: GoldenValue] = [:]
    var connectionsCancelled = 0
}

extension Expectation {
    /// Every difference between an expectation and a run, in words; none when they agree.
    func mismatches(with seen: Observation) -> [String] {
        let events =
            hasPieceSums ? PieceSums.collapse(seen.events, kind: "uploadProgress") : seen.events
        var lines = compareEvents(
            areEventsListed ? events.filter { $0.kind != "downloadProgress" } : events)
        lines += compareFinals(seen.finals)
        lines += Self.compare(extra, seen.extra, "extra")
        if !areEventsListed, connectionsCancelled != seen.connectionsCancelled {
            lines.append(
                "The server saw \(seen.connectionsCancelled) clients leave; recorded were "
                    + "\(connectionsCancelled) cancelled connections.")
        }
        return lines
    }

    private func compareEvents(_ events: [Event]) -> [String] {
        var free: [Event: [Int]] = [:]
        for index in items.indices.reversed() {
            free[items[index].event, default: []].append(index)
        }
        var positions: [Int: Int] = [:]
        var lines: [String] = []
        for (position, event) in events.enumerated() {
            if let index = free[event]?.popLast() {
                positions[index] = position
            } else {
                lines.append("Extra: \(event)")
            }
        }
        for index in items.indices where positions[index] == nil {
            lines.append("Missing: \(items[index].event)")
        }
        for (first, second) in stable {
            guard let before = positions[first], let after = positions[second], before > after
            else { continue }
            lines.append("Out of order: \(items[first].event) must precede \(items[second].event)")
        }
        return lines
    }

    private func compareFinals(_ seen: [String: [String: GoldenValue]]) -> [String] {
        var lines: [String] = []
        for name in Set(finals.keys).union(seen.keys).sorted() {
            guard let expected = finals[name], let found = seen[name] else {
                lines.append("The final state of \(name) is only in one of the two.")
                continue
            }
            lines += Self.compare(expected, found, name)
        }
        return lines
    }

    /// Every expected field; a field that was not recorded is not compared.
    private static func compare(
        _ expected: [String: GoldenValue], _ seen: [String: GoldenValue], _ name: String
    ) -> [String] {
        expected.keys.sorted().compactMap { key in
            let (wanted, found) = (expected[key] ?? .null, seen[key] ?? .null)
            return wanted == found
                ? nil : "\(name).\(key) is \(found) and was recorded as \(wanted)."
        }
    }
}

/// Replaces progress in pieces of arbitrary size by its sum, where the sizes mean nothing.
enum PieceSums {
    /// One event at the place of the last piece, with the total, or with the word `broken` when
    /// the pieces do not add up to totals that grow.
    static func collapse(_ events: [Event], kind: String) -> [Event] {
        guard let last = events.lastIndex(where: { $0.kind == kind }) else { return events }
        let pieces = events.filter { $0.kind == kind }.map(numbers)
        var sum = 0
        var isSound = true
        for piece in pieces {
            sum += piece.first ?? 0
            isSound = isSound && piece.count == 3 && piece[0] > 0 && piece[1] == sum
        }
        var summary = events[last]
        summary.what =
            isSound ? "\(kind) sum=\(sum) of \(pieces.last?[2] ?? 0)" : "\(kind) broken \(pieces)"
        return events.enumerated().compactMap { index, event in
            index == last ? summary : event.kind == kind ? nil : event
        }
    }

    private static func numbers(_ event: Event) -> [Int] {
        event.what.split(separator: " ").last?.split(separator: ",").compactMap { Int($0) } ?? []
    }
}
