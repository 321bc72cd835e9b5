/// A row of two columns, the original's event and this package's.
package struct TraceRow: Sendable, Equatable {
    package enum Mark: String, Sendable, CaseIterable {
        case same = " "
        /// The same except for a detail that Foundation decides.
        case like = ":"
        /// The same event elsewhere in the order, or progress in pieces of another size: the
        /// recordings differ in both as well.
        case moved = "~"
        case different = "!"
        /// This package cannot observe it.
        case unseen = "?"
    }

    package let mark: Mark
    package let original: TraceEvent?
    package let port: TraceEvent?

    /// The rows of a recording and a run. Events that are the same, in the same order, share a row.
    static func rows(_ recorded: [TraceEvent], _ run: PortTrace) -> [TraceRow] {
        let anchors = anchors(of: run.events)
        let seen = Set(run.events.compactMap(\.place))
        let open: Mark = run.verdict == .equal ? .moved : .different
        var rows: [TraceRow] = []
        var place = 0
        var others: [(Mark, TraceEvent)] = []
        // Adds the events before the next one that both have.
        func flush(until end: Int) {
            var left: [(Mark, TraceEvent)] = (place..<end).map { index in
                let mark: Mark =
                    seen.contains(index) ? .moved : run.unseen.contains(index) ? .unseen : open
                return (mark, recorded[index])
            }
            for (mark, event) in others {
                let isOther = mark == open && mark == .different
                if isOther, let index = left.firstIndex(where: { $0.0 == .different }) {
                    for (mark, event) in left[...index].dropLast() {
                        rows.append(TraceRow(mark: mark, original: event, port: nil))
                    }
                    rows.append(TraceRow(mark: mark, original: left[index].1, port: event))
                    left.removeFirst(index + 1)
                } else {
                    rows.append(TraceRow(mark: mark, original: nil, port: event))
                }
            }
            rows += left.map { TraceRow(mark: $0.0, original: $0.1, port: nil) }
            others = []
            place = end
        }
        for (index, event) in run.events.enumerated() {
            switch event {
            case .other(let value): others.append((open, TraceEvent(value)))
            case .same(let same), .like(let same, _):
                guard recorded.indices.contains(same) else { continue }
                var (mark, shown) = (Mark.same, recorded[same])
                if case .like(_, let value) = event { (mark, shown) = (.like, TraceEvent(value)) }
                guard anchors.contains(index) else {
                    others.append((.moved, shown))
                    continue
                }
                flush(until: same)
                rows.append(TraceRow(mark: mark, original: recorded[same], port: shown))
                place = same + 1
            }
        }
        flush(until: recorded.count)
        return rows
    }

    /// The indices of a run's longest subsequence that is in the recording's order.
    private static func anchors(of events: [PortTrace.Step]) -> Set<Int> {
        var best: [(length: Int, before: Int?)] = []
        var places: [Int?] = []
        for (index, event) in events.enumerated() {
            guard let place = event.place else {
                places.append(nil)
                best.append((0, nil))
                continue
            }
            let before = (0..<index).filter { places[$0].map { $0 < place } ?? false }
                .max { best[$0].length < best[$1].length }
            places.append(place)
            best.append((1 + (before.map { best[$0].length } ?? 0), before))
        }
        var result: Set<Int> = []
        var last = best.indices.max { best[$0].length < best[$1].length }
        while let index = last, best[index].length > 0 {
            result.insert(index)
            last = best[index].before
        }
        return result
    }
}
