/// Merges marks of a track that would cover each other.
///
/// Merged marks become one mark with their number. Bars of operations, sockets and the server are
/// never merged, because each is one operation, socket or connection.
struct MarkReduction {
    /// The axis's length, in milliseconds.
    var duration: Double
    /// The number of mergeable marks of a track beyond which marks at larger distances are merged.
    var limit = 240

    /// Dots, about six pixels wide, cover each other within such a part of the axis.
    private static let dotParts = 250.0
    /// Bars are less than two pixels wide within such a part of the axis.
    private static let barParts = 500.0

    func reduced(_ track: TimelineTrack) -> TimelineTrack {
        var coarseness = 1.0
        var reduced = track
        var excess = 0
        repeat {
            reduced.spans = spans(track.spans, within: duration / Self.barParts * coarseness)
            reduced.dots = dots(track.dots, within: duration / Self.dotParts * coarseness)
            coarseness *= 2
            let fixed = reduced.spans.lazy.filter { !Self.mergeable.contains($0.kind) }.count
            excess = reduced.spans.count - fixed + reduced.dots.count - limit
        } while excess > 0 && coarseness <= 64
        return reduced
    }

    // MARK: Bars

    static let mergeable: Set<TimelineSpan.Kind> = [
        .asleep, .computing, .block, .delegateCall, .callback, .serialization, .lockHeld, .lockWait,
    ]

    private struct Layer: Hashable {
        var kind: TimelineSpan.Kind
        var depth: Int
        var row: Int
    }

    private func spans(_ spans: [TimelineSpan], within distance: Double) -> [TimelineSpan] {
        var result: [TimelineSpan] = []
        var subjects: [Int: MergedWords] = [:]
        var names: [Int: MergedWords] = [:]
        var last: [Layer: Int] = [:]
        for span in spans.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
            let layer = Layer(kind: span.kind, depth: span.depth, row: span.row)
            if Self.mergeable.contains(span.kind), let index = last[layer],
                belong(result[index], span, within: distance)
            {
                subjects[index, default: MergedWords(result[index].subject)].add(span.subject)
                names[index, default: MergedWords(result[index].name)].add(span.name)
                result[index].end = max(result[index].end, span.end)
                result[index].count += span.count
                result[index].detail = ""
                result[index].isUnfinished = result[index].isUnfinished || span.isUnfinished
                continue
            }
            last[layer] = result.count
            result.append(span)
        }
        for (index, words) in subjects { result[index].subject = words.text }
        for (index, words) in names { result[index].name = words.text }
        return result
    }

    private func belong(
        _ group: TimelineSpan, _ span: TimelineSpan, within distance: Double
    ) -> Bool {
        // Sleeps are merged across short gaps; other bars only within one part of the axis.
        span.kind == .asleep
            ? span.start - group.end < distance : span.end - group.start < distance
    }

    // MARK: Dots

    private struct Line: Hashable {
        var kind: TimelineDot.Kind
        var row: Int
    }

    private func dots(_ dots: [TimelineDot], within distance: Double) -> [TimelineDot] {
        var result: [TimelineDot] = []
        var subjects: [Int: MergedWords] = [:]
        var names: [Int: MergedWords] = [:]
        var last: [Line: Int] = [:]
        for dot in dots.sorted(by: { $0.time < $1.time }) {
            let line = Line(kind: dot.kind, row: dot.row)
            if let index = last[line], dot.time - result[index].time < distance {
                subjects[index, default: MergedWords(result[index].subject)].add(dot.subject)
                names[index, default: MergedWords(result[index].name)].add(dot.name)
                result[index].count += dot.count
                result[index].bytes &+= dot.bytes
                result[index].detail = ""
                continue
            }
            last[line] = result.count
            result.append(dot)
        }
        for (index, words) in subjects { result[index].subject = words.text }
        for (index, words) in names { result[index].name = words.text }
        return result
    }
}

/// Joins different texts: three, and the number of others, as "operation 1, 2, 5 and 4 more".
private struct MergedWords {
    private var words: [String]

    init(_ first: String) {
        words = first.isEmpty ? [] : [first]
    }

    mutating func add(_ word: String) {
        if !word.isEmpty, !words.contains(word) { words.append(word) }
    }

    var text: String {
        var noun = Substring()
        let shown = words.prefix(3).map { word in
            guard let blank = word.lastIndex(of: " "), Int(word[word.index(after: blank)...]) != nil
            else { return word }
            if word[..<blank] == noun { return String(word[word.index(after: blank)...]) }
            noun = word[..<blank]
            return word
        }.joined(separator: ", ")
        return words.count > 3 ? "\(shown) and \(words.count - 3) more" : shown
    }
}
