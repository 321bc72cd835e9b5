import TestSupport

@Suite("Documentation/RequestEra.md", .timeLimit(.minutes(1)))
struct RequestDifferencePageTests {
    @Test
    func `each rule's sentence has a row with its statement's number`() throws {
        let page = try String(
            contentsOf: packageFolder.appendingPathComponent("Documentation/RequestEra.md"),
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        for rule in RequestParity.all.flatMap(\.rules) where rule.statement > 0 {
            let row = rows.first { $0.contains(rule.reason) }
            #expect(row != nil, "No row says: \(rule.reason)")
            #expect(row?.hasPrefix("| \(rule.statement) ") == true, "\(rule.reason)")
        }
    }
}
