import Testing

@Suite("Recorded cases: responses", .timeLimit(.minutes(5)))
struct ResponseCaseTests {
    @Test("every response is judged and decoded as recorded, or listed")
    func responses() throws {
        let file = try GoldenFile("response-serialization")
        var tally = ParityTally(file.name)
        for recorded in file.cases { tally.add(recorded.id, ResponseDifferences.verdict(recorded)) }
        print(tally.line)
        for other in tally.others { Issue.record("\(other.id): \(other.difference)") }
        #expect(tally.equal > 0)
    }

    @Test("a recording that differs from what is seen is told")
    func difference() throws {
        let file = try GoldenFile("response-serialization")
        let recorded = try #require(file.cases.first { $0.input["serializer"] == .string("http") })
        var output = recorded.output.members
        output["objectClass"] = .string("NSString")
        let changed = RecordedCase(
            id: recorded.id, input: recorded.input, output: .object(output),
            authority: recorded.authority, note: recorded.note)
        guard case .equal = ResponseDifferences.verdict(recorded),
            case .other = ResponseDifferences.verdict(changed)
        else {
            Issue.record("The comparison let a difference through.")
            return
        }
    }
}
