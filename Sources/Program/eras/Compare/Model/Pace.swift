/// How fast a column was compared with its reference, in a few runs on a machine that is busy.
enum Pace: String, Equatable, Sendable {
    case faster, slower, level
    /// There were too few runs, or there is no reference.
    case unknown = ""

    /// The fewest runs that are compared.
    static let fewestRuns = 3

    /// One is faster where four fifths of its runs took less time than every run of the other, and
    /// its median is a tenth less, and at least a millisecond.
    ///
    /// Four fifths, because one run in five may be slow on a busy machine.
    init(_ walls: [Double], comparedWith reference: [Double]) {
        guard min(walls.count, reference.count) >= Self.fewestRuns else {
            self = .unknown
            return
        }
        if Self.isFaster(walls, reference) {
            self = .faster
        } else if Self.isFaster(reference, walls) {
            self = .slower
        } else {
            self = .level
        }
    }

    private static func isFaster(_ one: [Double], _ other: [Double]) -> Bool {
        let (one, other) = (one.sorted(), other.sorted())
        let counted = one.count - one.count / 5
        let difference = other[(other.count - 1) / 2] - one[(one.count - 1) / 2]
        return one[counted - 1] < other[0]
            && difference >= max(1, other[(other.count - 1) / 2] / 10)
    }
}
