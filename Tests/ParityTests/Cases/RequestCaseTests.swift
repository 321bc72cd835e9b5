import Testing

@Suite("Recorded cases: requests", .timeLimit(.minutes(5)))
struct RequestCaseTests {
    @Test(
        "Every request is as recorded, or listed",
        arguments: ["query-strings", "json-plist-requests"])
    func requests(_ name: String) throws {
        let file = try GoldenFile(name)
        var tally = ParityTally(file.name)
        var listed: [String: Int] = [:]
        for recorded in file.cases {
            let (verdict, rule) = RequestDifferences.verdict(recorded)
            tally.add(recorded.id, verdict)
            if let rule { listed["\(rule.cause): \(rule.reason)", default: 0] += 1 }
        }
        print(tally.line)
        for (reason, count) in listed.sorted(by: { $0.key < $1.key }) {
            print("  \(count) \(reason)")
        }
        for other in tally.others { Issue.record("\(other.id): \(other.difference)") }
        #expect(tally.equal > 0)
    }
}
