import Testing

/// How the cases of one file came out.
package struct ParityTally {
    package enum Verdict {
        case equal
        /// Differs, for the reason that is listed.
        case deliberate
        /// Differs beneath the original, in Foundation; listed with its reason.
        case foundation
        /// Of recordings from elsewhere: names a case that is not at hand, or a scenario that
        /// nothing here plays.
        case absent
        /// Differs, and nothing says why.
        case other(String)
    }

    package let file: String
    package private(set) var equal = 0
    package private(set) var deliberate = 0
    package private(set) var foundation = 0
    package private(set) var absent = 0
    /// The cases that nothing explains, each with the difference.
    package private(set) var others: [(id: String, difference: String)] = []
    private var reasons: [String: [String]] = [:]

    package init(_ file: String) {
        self.file = file
    }

    package mutating func add(_ id: String, _ verdict: Verdict, because reason: String? = nil) {
        if let reason { reasons[reason, default: []].append(id) }
        switch verdict {
        case .equal: equal += 1
        case .deliberate: deliberate += 1
        case .foundation: foundation += 1
        case .absent: absent += 1
        case .other(let difference): others.append((id, difference))
        }
    }

    /// The cases that were counted.
    package var count: Int { equal + deliberate + foundation + absent + others.count }

    /// `parity FILE equal N deliberate N other N`, and what else was counted.
    package var line: String {
        var line = "parity \(file) equal \(equal) deliberate \(deliberate) other \(others.count)"
        if foundation > 0 { line += " foundation \(foundation)" }
        if absent > 0 { line += " absent \(absent)" }
        return line
    }
    /// Prints the line, with the reasons that were given; an issue for what nothing explains, and
    /// where others than so many cases were counted.
    package func tell(of count: Int, _ heading: String = "") {
        print(heading + line)
        for (reason, ids) in reasons.sorted(by: { $0.key < $1.key }) {
            print("  \(ids.count) \(reason) \(ids.prefix(6).joined(separator: " "))")
        }
        for other in others { Issue.record("\(other.id): \(other.difference)") }
        #expect(self.count == count && (absent == 0 || Recordings.areFromElsewhere), "\(file)")
    }
}
