/// Which bytes of a file are stored, in segments that are loaded one by one.
///
/// The segments cover the file without a gap: the first begins at 0, and each ends where the next begins.
struct SegmentMap: Hashable {
    struct Segment: Hashable {
        /// Stays the same while the segment's bounds change.
        let id: Int
        let start: Int64
        /// The bytes from `start` up to here are stored.
        var position: Int64
        /// Nil while the length of the file is unknown.
        var end: Int64?
        /// Whether a connection loads it.
        var isTaken = false

        var isComplete: Bool { position == end }
        /// How many bytes are missing, if known.
        var missing: Int64? { end.map { $0 - position } }
    }

    private(set) var segments: [Segment]
    private var nextID = 1

    /// A file of which the first bytes are stored, or none.
    init(stored: Int64 = 0, length: Int64?) {
        segments = [Segment(id: 0, start: 0, position: stored, end: length)]
    }

    /// A file of which the first bytes are stored, and ranges behind them, in order and without overlaps.
    init(stored: Int64, ranges: [Range<Int64>], length: Int64) {
        self.init(stored: stored, length: length)
        for range in ranges {
            segments[segments.count - 1].end = range.lowerBound
            segments.append(
                Segment(
                    id: nextID, start: range.lowerBound, position: range.upperBound, end: length))
            nextID += 1
        }
    }

    subscript(id: Int) -> Segment? { segments.first { $0.id == id } }

    var first: Segment { segments[0] }
    var isComplete: Bool { segments.allSatisfy(\.isComplete) }
    /// The number of stored bytes.
    var stored: Int64 { segments.reduce(0) { $0 + ($1.position - $1.start) } }

    /// Sets the length of the file, if it is unknown.
    mutating func set(length: Int64) {
        if segments[segments.count - 1].end == nil { segments[segments.count - 1].end = length }
    }

    mutating func add(_ count: Int, to id: Int) {
        change(id) { $0.position += Int64(count) }
    }

    mutating func release(_ id: Int) {
        change(id) { $0.isTaken = false }
    }

    /// The segment for the first connection of a try: the first incomplete one, or the last of a complete file, so
    /// that the server confirms the length.
    mutating func takeFirst() -> Segment {
        let index = segments.firstIndex { !$0.isComplete } ?? segments.count - 1
        segments[index].isTaken = true
        return segments[index]
    }

    /// The segment for a further connection: the first one without a connection, or a piece of the one with the most
    /// missing bytes.
    ///
    /// - Parameters:
    ///   - free: how many connections, this one included, may be added; all get equal pieces.
    ///   - minimum: the least length of a piece.
    /// - Returns: nil if no segment can be divided.
    mutating func takeNext(free: Int, minimum: Int64) -> Segment? {
        if let index = segments.firstIndex(where: { !$0.isTaken && !$0.isComplete }) {
            segments[index].isTaken = true
            return segments[index]
        }
        let missing = segments.indices.map { (index: $0, count: segments[$0].missing ?? 0) }
        guard let (index, count) = missing.max(by: { $0.count < $1.count }) else { return nil }
        let pieces = min(Int64(free) + 1, count / max(1, minimum))
        guard pieces > 1, let end = segments[index].end else { return nil }
        let middle = segments[index].position + count / pieces
        segments[index].end = middle
        let new = Segment(id: nextID, start: middle, position: middle, end: end, isTaken: true)
        nextID += 1
        segments.insert(new, at: index + 1)
        return new
    }

    /// The segment behind another, if it has no bytes.
    func empty(behind id: Int) -> Segment? {
        guard let index = segments.firstIndex(where: { $0.id == id }), index + 1 < segments.count
        else { return nil }
        let next = segments[index + 1]
        return next.position == next.start ? next : nil
    }

    /// Joins a segment with the one behind it, which has no bytes.
    mutating func takeOver(behind id: Int) {
        guard let next = empty(behind: id), let index = segments.firstIndex(of: next) else {
            return
        }
        segments[index - 1].end = next.end
        segments.remove(at: index)
    }

    /// Joins the first segment, if it is complete, with the second, whose id the result has.
    mutating func joinFirst() {
        guard segments.count > 1, segments[0].isComplete else { return }
        let next = segments.remove(at: 1)
        segments[0] = Segment(
            id: next.id, start: 0, position: next.position, end: next.end, isTaken: next.isTaken)
    }

    private mutating func change(_ id: Int, _ change: (inout Segment) -> Void) {
        if let index = segments.firstIndex(where: { $0.id == id }) { change(&segments[index]) }
    }
}
