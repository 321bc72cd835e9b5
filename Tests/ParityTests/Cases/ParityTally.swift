/// How the cases of one file came out.
struct ParityTally {
    enum Verdict {
        case equal
        /// Differs, for the reason that is listed.
        case deliberate
        /// Differs beneath the original, in Foundation; listed with its reason.
        case foundation
        /// Of a part that a later version brings; listed.
        case later
        /// Names a case of another file that is not among those at hand.
        case absent
        /// Differs, and nothing says why.
        case other(String)
    }

    let file: String
    private(set) var equal = 0
    private(set) var deliberate = 0
    private(set) var foundation = 0
    private(set) var later = 0
    private(set) var absent = 0
    /// The cases that nothing explains, each with the difference.
    private(set) var others: [(id: String, difference: String)] = []

    init(_ file: String) {
        self.file = file
    }

    mutating func add(_ id: String, _ verdict: Verdict) {
        switch verdict {
        case .equal: equal += 1
        case .deliberate: deliberate += 1
        case .foundation: foundation += 1
        case .later: later += 1
        case .absent: absent += 1
        case .other(let difference): others.append((id, difference))
        }
    }

    /// `parity FILE equal N deliberate N other N`, and what else was counted.
    var line: String {
        var line = "parity \(file) equal \(equal) deliberate \(deliberate) other \(others.count)"
        if foundation > 0 { line += " foundation \(foundation)" }
        if later > 0 { line += " later \(later)" }
        if absent > 0 { line += " absent \(absent)" }
        return line
    }
}

/// A case that differs from its recording and is meant to.
struct ListedDifference: Sendable {
    enum Cause: Sendable, Equatable {
        /// A wound that is repaired, by its number.
        case wound(Int)
        /// A detail of the Foundation that the recorder ran on.
        case foundation
        /// A part that a later version brings.
        case later
    }

    /// The case's id; a `*` at the end stands for every id that begins so.
    let id: String
    let cause: Cause
    /// One line.
    let reason: String

    func covers(_ other: String) -> Bool {
        id.hasSuffix("*") ? other.hasPrefix(id.dropLast()) : id == other
    }

    var verdict: ParityTally.Verdict {
        switch cause {
        case .wound: .deliberate
        case .foundation: .foundation
        case .later: .later
        }
    }
}
