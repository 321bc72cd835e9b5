import Testing

/// The lines that say how the recorded scenarios and the recorded errors came out.
///
/// The scenarios are those of the other suites, which play them too; all wait for the same run.
@Suite("The tally of the recorded scenarios", .timeLimit(.minutes(5)))
struct TallyTests {
    @Test("Every recorded scenario is equal, or differs on purpose")
    func scenarios() async throws {
        var tally = ParityTally(GoldenCase.file)
        for golden in try GoldenCase.all.get() {
            if Impossible.scenarios[golden.id] != nil {
                tally.add(golden.id, .deliberate)
            } else if let scenario = Parity.scenarios.first(where: { $0.id == golden.id }) {
                tally.add(golden.id, await scenario.verdict(golden))
            } else if !GoldenCase.areFromElsewhere {
                tally.add(golden.id, .other("No such scenario is played."))
            } else if case .equal? = await Scenario(plain: golden)?.verdict(golden) {
                tally.add(golden.id, .equal)
            } else {
                print("unplayed \(golden.id): \(golden.description)")
            }
        }
        tell(tally)
    }

    @Test("A recording of one operation that runs to its end plays itself", arguments: plain)
    func plainRecording(_ id: String) async throws {
        let golden = try #require(GoldenCase.own.get().first { $0.id == id })
        let scenario = try #require(Scenario(plain: golden))
        let seen = try await Plays.observation(of: scenario)
        #expect(try Disagreement(scenario, golden, seen).lines == [])
    }

    private static let plain = [
        "success-200", "success-json", "success-204", "status-404", "status-500-json", "chunked",
        "redirect-noblock", "connection-op-404", "no-completion-blocks", "direct-start",
        "truncated-body", "connection-refused",
    ]

    @Test("Every recorded error has its domain, code and keys, or differs on purpose")
    func errors() async throws {
        let file = try GoldenFile("errors")
        let responses = try ErrorCases.responses()
        var tally = ParityTally(file.name)
        for recorded in file.cases where !OperationErrorCases.isOne(recorded.id) {
            tally.add(
                recorded.id,
                try ErrorCases.verdictElsewhere(recorded)
                    ?? ErrorCases.verdict(recorded, responses))
        }
        for (id, verdict) in try await OperationErrorCases.verdicts() {
            tally.add(id, verdict)
        }
        tell(tally)
    }

    private func tell(_ tally: ParityTally) {
        print(tally.line)
        for (id, difference) in tally.others {
            Issue.record("\(id): \(difference)")
        }
    }
}
