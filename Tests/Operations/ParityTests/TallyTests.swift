import ParitySupport
import TestSupport

/// The lines that say how the recorded scenarios and the recorded errors came out.
///
/// The scenarios are those of the other suites, which play them too; all wait for the same run.
@Suite("The tally of the recorded scenarios", .timeLimit(.minutes(5)))
struct TallyTests {
    @Test
    func `every recorded scenario is equal, or differs on purpose`() async throws {
        var tally = ParityTally(GoldenCase.file)
        let all = try GoldenCase.all.get()
        for golden in all {
            if Impossible.scenarios[golden.id] != nil {
                tally.add(golden.id, .deliberate)
            } else if let scenario = Parity.scenarios.first(where: { $0.id == golden.id }) {
                tally.add(golden.id, await scenario.verdict(golden))
            } else if !Recordings.areFromElsewhere {
                tally.add(golden.id, .other("No such scenario is played."))
            } else if case .equal? = await Scenario(plain: golden)?.verdict(golden) {
                tally.add(golden.id, .equal)
            } else {
                print("unplayed \(golden.id): \(golden.description)")
                tally.add(golden.id, .absent)
            }
        }
        tally.tell(of: all.count)
    }

    @Test(arguments: plain)
    func `a recording of one operation that runs to its end plays itself`(_ id: String) async throws
    {
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

    @Test
    func `every recorded error has its domain, code and keys, or differs on purpose`() async throws
    {
        let cases = try recordings.cases("errors")
        var tally = ParityTally("errors")
        for recorded in cases where !OperationErrorCases.isOne(recorded.id) {
            tally.add(recorded.id, await ErrorCases.verdict(recorded))
        }
        for (id, verdict) in try await OperationErrorCases.verdicts() {
            tally.add(id, verdict)
        }
        tally.tell(of: cases.count)
    }

    @Test
    func `an error's case is found outside the folder that its own file is in`() async throws {
        for recorded in try recordings.own("errors") {
            guard let name = recorded.input["case"]?.string else { continue }
            if case .absent = await ErrorCases.verdict(recorded) {
                Issue.record("\(name) is absent.")
            }
        }
        let unknown = RecordedCase(["input": ["case": "multipart.json#none"], "output": .null])
        guard case .absent = await ErrorCases.verdict(unknown) else {
            Issue.record("A case that is nowhere was found.")
            return
        }
    }

    @Test
    func `an error that is recorded in two ways is told`() async throws {
        let recorded = try #require(
            recordings.own("errors").first { $0.id == "response/http/nil-404" })
        let other = recorded.with(output: .requestError(-1000, "Another sentence"))
        guard case .equal = await ErrorCases.verdict(recorded),
            case .other = await ErrorCases.verdict(other)
        else {
            Issue.record("The error of the case was not compared.")
            return
        }
    }
}
