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
