import ParitySupport
import TestSupport

@Suite("What Alamofire 4.9.1 did", .timeLimit(.minutes(5)))
struct RequestParityTests {
    private static let files = ParityFamily.all.map { $0.files[0] }

    private func family(_ file: String) throws -> ParityFamily {
        try #require(ParityFamily.all.first { $0.files == [file] })
    }

    @Test(arguments: files)
    func `every case is as recorded, or as a rule allows`(_ file: String) async throws {
        try await family(file).checkCases(of: file, heading: "request-" + file)
    }

    @Test(arguments: files)
    func `each rule allows its one outcome, which is shown, and refuses a wrong one`(
        _ file: String
    ) async throws {
        try await family(file).checkRules()
    }

    @Test(arguments: files)
    func `every rule is needed by a case, or has a made-up one`(_ file: String) async throws {
        try await family(file).checkNeed()
    }

    @Test(arguments: files)
    func `a case that differs in any one member from what it shows is reported`(
        _ file: String
    ) async throws {
        try await family(file).checkVariations()
    }

    @Test
    func `what is not played is reported, never skipped`() async {
        for parity in ParityFamily.all {
            let unknown = RecordedCase(["id": "unknown/case", "input": ["new": 1], "output": [:]])
            await #expect(throws: Unplayed.self, "\(parity.files)") {
                try await parity.play(unknown)
            }
        }
    }

    @Test
    func `the original's form of curl's text is still made`() throws {
        for recorded in try recordings.own("lifecycle").filter(ParityFamily.curl.isPlayed) {
            let text = GoldenValue.string(try CurlCases.originalText(recorded))
            #expect(
                RecordedComparison.isEqual(
                    ["debugDescription": text],
                    ["debugDescription": recorded.output["debugDescription"] ?? .null],
                    recorded.comparison),
                "\(recorded.id)")
        }
    }
}

@Suite("Documentation/RequestEra.md", .timeLimit(.minutes(1)))
struct RequestDifferencePageTests {
    @Test
    func `each rule's sentence has a row with its statement's number`() throws {
        let page = try String(
            contentsOf: packageFolder.appendingPathComponent("Documentation/RequestEra.md"),
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
        for rule in ParityFamily.all.flatMap(\.rules) {
            guard case .statement(let number) = rule.cause else { continue }
            let row = rows.first { $0.contains(rule.reason) }
            #expect(row != nil, "No row says: \(rule.reason)")
            #expect(row?.hasPrefix("| \(number) ") == true, "\(rule.reason)")
        }
    }
}
