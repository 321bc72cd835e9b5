/// The result of a comparison.
enum Verdict: String, CaseIterable, Codable, Sendable {
    /// The results are the same, as declared.
    case equal
    /// The results differ exactly as declared.
    case different
    /// A run did not complete, or the results are not the declared ones.
    case failed
}

/// Compares the outcomes of a column with those of its reference.
struct Judgement: Equatable, Sendable {
    var verdict: Verdict
    /// The reason of a failure, or else empty.
    var failure: String

    init(_ verdict: Verdict, _ failure: String = "") {
        self.verdict = verdict
        self.failure = failure
    }

    /// The differences must be exactly the declared ones: a missing one is a failure, and so is an
    /// undeclared one.
    init(
        _ column: Column, _ outcomes: [Outcome], comparedWith reference: [Outcome],
        declared: [Change.Difference]
    ) {
        let seen = Self.differences(column, reference, outcomes)
        let declared = declared.sorted { $0.outcome < $1.outcome }
        if reference.isEmpty && outcomes.isEmpty {
            self.init(.failed, "no outcome was recorded")
        } else if seen == declared {
            self.init(seen.isEmpty ? .equal : .different)
        } else {
            let text = { Self.text($0, column) }
            let unexpected = seen.filter { !declared.contains($0) }.map(text)
            let missing = declared.filter { !seen.contains($0) }.map {
                "declared, but not seen: \(text($0))"
            }
            self.init(.failed, (unexpected + missing).joined(separator: "; "))
        }
    }

    private static func text(_ difference: Change.Difference, _ column: Column) -> String {
        let reference = column.reference.map { " (\($0.rawValue))" } ?? ""
        return "\(difference.outcome): \(difference.reference)\(reference), "
            + "\(difference.value) (\(column.rawValue))"
    }

    /// The outcomes that differ, by name, in any order. All values of a repeated name are compared.
    private static func differences(
        _ column: Column, _ reference: [Outcome], _ outcomes: [Outcome]
    ) -> [Change.Difference] {
        let old = values(reference)
        let new = values(outcomes)
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let difference = Change.Difference(
                name, in: column, was: old[name] ?? "-", is: new[name] ?? "-")
            return difference.reference == difference.value ? nil : difference
        }
    }

    private static func values(_ outcomes: [Outcome]) -> [String: String] {
        Dictionary(grouping: outcomes, by: \.name).mapValues {
            $0.map(\.value).joined(separator: ", then ")
        }
    }
}

/// How fast a column was compared with its reference, in a few runs on a machine that is busy.
enum Pace: String, Equatable, Sendable {
    case faster, slower, level
    /// There were too few runs, there is no reference, or the work differs.
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
