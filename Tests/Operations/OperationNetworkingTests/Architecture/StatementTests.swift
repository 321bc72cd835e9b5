import TestSupport

/// The numbers that sources, tests and documentation cite, and the pages that explain them.
@Suite("Cited numbers lead somewhere", .timeLimit(.minutes(5)))
struct StatementTests {
    private static let page = "Documentation/Statements.md"

    /// A row of the page.
    private struct Statement {
        let anchor: String
        let number: String
        let sentence: String
        let source: String

        init?(_ line: Substring) {
            let row = /\| <a id="([^"]+)"><\/a>([^|]+) \| ([^|]+) \| ([^|]+) \|/
            guard let match = line.wholeMatch(of: row) else { return nil }
            (anchor, number) = (String(match.1), String(match.2))
            (sentence, source) = (String(match.3), String(match.4))
        }

        /// Its own number, and one for each clause: "(2)" in UM-06 is UM-06.2.
        var numbers: [String] {
            [number] + (1...9).filter { sentence.contains("(\($0))") }.map { "\(number).\($0)" }
        }
    }

    private static let root = PackageSources.root
    /// What may cite: sources, tests and pages. This file's own examples lead nowhere.
    private static let paths: [String] = {
        let folders = ["Sources", "Tests", "Documentation"].flatMap { folder in
            let found = FileManager.default.enumerator(atPath: root.path + "/" + folder)
            return (found?.compactMap { $0 as? String } ?? []).map { folder + "/" + $0 }
        }
        let pages = try? FileManager.default.contentsOfDirectory(atPath: root.path)
        let name = URL(fileURLWithPath: #filePath).lastPathComponent
        let texts = folders.filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/" + name) }
        let all = texts + (folders + (pages ?? [])).filter { $0.hasSuffix(".md") }
        return all.filter { $0 != page && !$0.contains("/.") }
    }()
    private static let citations: [String: Citations] = paths.reduce(into: [:]) {
        $0[$1] = Citations(inPage: text(of: $1))
    }
    private static let statements = text(of: page).split(separator: "\n").compactMap(Statement.init)

    /// The numbers that have a row, a decision's page, or a place among the promises.
    private static let known: Set<String> = {
        let decisions = paths.compactMap {
            $0.firstMatch(of: /^Documentation\/Decisions\/([0-9]+)-/).flatMap { Int($0.1) }
        }
        let promises = text(of: "Documentation/Security.md").split(separator: "\n")
            .drop { !$0.hasSuffix(" promises") }.dropFirst().prefix { !$0.hasPrefix("#") }
            .compactMap { $0.firstMatch(of: /^[0-9]+/).flatMap { Int($0.0) } }
        return Set(
            statements.flatMap(\.numbers) + decisions.map { "decision \($0)" }
                + promises.map { "promise \($0)" })
    }()

    private static func text(of path: String) -> String {
        (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
    }

    @Test
    func `each number that is cited has its statement, decision or promise`() {
        #expect(Self.citations.count > 500 && Self.known.count > 300)
        for (path, citations) in Self.citations {
            for number in citations.numbers.subtracting(Self.known).sorted() {
                Issue.record("\(path) cites \(number), which is nowhere.")
            }
        }
    }

    @Test
    func `each statement is cited somewhere`() {
        for number in Self.statements.map(\.number) {
            let isCited = Self.citations.values.contains { $0.contain(number) }
            #expect(isCited, "\(Self.page) has \(number), which nobody cites.")
        }
    }

    @Test
    func `each statement is one sentence, with a source, at an anchor of its number, once`() {
        #expect(Set(Self.statements.map(\.number)).count == Self.statements.count)
        for statement in Self.statements {
            #expect(statement.anchor == statement.number.replacing(" ", with: "-"))
            #expect(statement.sentence.hasSuffix(".") && !statement.sentence.contains(". "))
            #expect(!statement.source.isEmpty)
        }
    }

    @Test(
        arguments: [
            ("(OP-13; RFC 9110 section 5)", ["OP-13"]), ("UTF-8, SHA-256 and X-1", []),
            ("R61, nonces: R7 or T13", ["R61", "R7", "T13"]), ("UM-06.8).", ["UM-06", "UM-06.8"]),
            ("wounds 11, 49)\", 3", ["defect 11", "defect 49"]),
            ("defect 11; defects 12 and 13", ["defect 11", "defect 12", "defect 13"]),
            ("a wound, 30 s", []),
            ("wound 13, 30 operations", ["defect 13"]), ("id: 4, wound: 9,", ["defect 9"]),
            (".wound(41), \"7\"", ["defect 41"]), ("(wound\n    /// 35).", ["defect 35"]),
            ("decision 22; 5", ["decision 22"]), ("wounded 3, a wound of 4", []),
        ] as [(String, Set<String>)])
    func `numbers are found in words, lists, ranges and calls`(
        _ text: String, _ numbers: Set<String>
    ) {
        #expect(Citations(in: text).numbers == numbers)
    }

    @Test
    func `a range has the numbers between its ends, and no others`() {
        let citations = Citations(in: "QS-2 to QS-4, wounds 38 to 41, OP-1 to QS-9")
        #expect(citations.contain("QS-3") && citations.contain("defect 40"))
        #expect(!citations.contain("QS-5") && !citations.contain("OP-3"))
        #expect(!citations.contain("defect 42"))
    }

    @Test
    func `a number without a statement is seen`() {
        let text = "OP-99, wound 13, UM-02.9, decision 999, QS-1"
        let page = "| wound | here |\n|---|---|\n| 3, 99 | a |\n\n| 98 | b |"
        let numbers = Citations(in: text).numbers.union(Citations(inPage: page).numbers)
        #expect(
            numbers.subtracting(Self.known) == ["OP-99", "UM-02.9", "decision 999", "defect 99"])
    }
}
