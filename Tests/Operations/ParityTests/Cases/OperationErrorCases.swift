import ParitySupport

/// The recorded errors that whole operations end with, `operation/SCENARIO/OPERATION`.
enum OperationErrorCases {
    private static let prefix = "operation/"

    static func isOne(_ id: String) -> Bool { id.hasPrefix(prefix) }

    /// How each of them comes out; of another folder's one may be of a scenario that nothing here
    /// plays.
    static func verdicts() async throws -> [(id: String, verdict: ParityTally.Verdict)] {
        var verdicts: [(id: String, verdict: ParityTally.Verdict)] = []
        for recorded in try recordings.cases("errors") where isOne(recorded.id) {
            let id = recorded.input["scenario"]?.string
            if let scenario = Parity.scenarios.first(where: { $0.id == id }) {
                verdicts.append((recorded.id, await verdict(recorded, scenario)))
            } else if !Recordings.areFromElsewhere {
                verdicts.append((recorded.id, .other("No such scenario is played.")))
            } else if let guess = try id.flatMap(GoldenCase.named).flatMap(Scenario.init(plain:)),
                case .equal = await verdict(recorded, guess)
            {
                verdicts.append((recorded.id, .equal))
            } else {
                print("unplayed \(recorded.id)")
                verdicts.append((recorded.id, .absent))
            }
        }
        return verdicts
    }

    private static func verdict(
        _ recorded: RecordedCase, _ scenario: Scenario
    ) async -> ParityTally.Verdict {
        let name = recorded.input["op"]?.string ?? "A"
        do {
            let seen = try await Plays.observation(of: scenario).finals[name]?["error"] ?? .null
            let expected = ErrorRecord.expected(recorded.output)
            if seen == expected { return .equal }
            let isListed = DeliberateDifference.changes(of: scenario.id)
                .contains(.final(name, "error", seen))
            return isListed
                ? .deliberate : .other("The error is \(seen) and was recorded as \(expected).")
        } catch {
            return .other("\(error)")
        }
    }
}
