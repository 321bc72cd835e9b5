import Testing

@Suite("Recorded cases: multipart", .timeLimit(.minutes(5)))
struct MultipartCaseTests {
    @Test func `every multipart request is as recorded, or listed`() throws {
        let file = try GoldenFile("multipart")
        var tally = ParityTally(file.name)
        var listed: [String: [String]] = [:]
        for recorded in file.cases {
            let (verdict, rule) = MultipartDifferences.verdict(recorded)
            tally.add(recorded.id, verdict)
            if let rule { listed["\(rule.cause): \(rule.reason)", default: []].append(recorded.id) }
        }
        print(tally.line)
        for (reason, ids) in listed.sorted(by: { $0.key < $1.key }) {
            print("  \(reason) \(ids.joined(separator: " "))")
        }
        for other in tally.others { Issue.record("\(other.id): \(other.difference)") }
        #expect(tally.equal > 0)
    }
}
