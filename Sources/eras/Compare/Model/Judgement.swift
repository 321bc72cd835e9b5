/// The result of a comparison.
enum Verdict: String, Codable, Sendable {
    /// The results are the same, as declared.
    case equal
    /// The results differ exactly as declared.
    case different
    /// An era did not complete, or the results are not the declared ones.
    case failed
}

/// Pure: compares the outcomes of a scenario in the two eras.
struct Judgement: Equatable, Sendable {
    var verdict: Verdict
    /// The change's sentence where the results differ, the reason where it failed, else empty.
    var difference: String

    init(_ verdict: Verdict, _ difference: String) {
        self.verdict = verdict
        self.difference = difference
    }

    /// The differences must be exactly the declared ones: a missing one is a failure, and so is one
    /// that was not declared.
    init(connection: [Outcome], session: [Outcome], change: Change) {
        let seen = Self.differences(connection, session)
        let declared = change.differences.sorted { $0.outcome < $1.outcome }
        if connection.isEmpty && session.isEmpty {
            self.init(.failed, "no outcome was recorded")
        } else if seen == declared {
            self.init(
                seen.isEmpty ? .equal : .different, seen.isEmpty ? "" : change.sentence)
        } else {
            let unexpected = seen.filter { !declared.contains($0) }.map(Self.text)
            let missing = declared.filter { !seen.contains($0) }.map {
                "declared, but not seen: \(Self.text($0))"
            }
            self.init(.failed, (unexpected + missing).joined(separator: "; "))
        }
    }

    private static func text(_ difference: Change.Difference) -> String {
        "\(difference.outcome): \(difference.connection) (connection), "
            + "\(difference.session) (session)"
    }

    /// The outcomes that differ, by name. Their order does not matter. All values of a repeated
    /// name are compared.
    private static func differences(
        _ connection: [Outcome], _ session: [Outcome]
    ) -> [Change.Difference] {
        let old = values(connection)
        let new = values(session)
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let difference = Change.Difference(
                outcome: name, connection: old[name] ?? "-", session: new[name] ?? "-")
            return difference.connection == difference.session ? nil : difference
        }
    }

    private static func values(_ outcomes: [Outcome]) -> [String: String] {
        Dictionary(grouping: outcomes, by: \.name).mapValues {
            $0.map(\.value).joined(separator: ", then ")
        }
    }
}
