import Foundation

/// Documentation/RequestTests.md, written from the list and the functions that are here.
extension OriginalFile {
    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    /// The functions of the original's names, in their order.
    ///
    /// - Throws: if a file is not there.
    func functions() throws -> [String] {
        try places.flatMap { place in
            let file = Self.folder.appendingPathComponent(place + ".swift")
            let text = try String(contentsOf: file, encoding: .utf8)
            return text.matches(of: #/@Test(?:\([^@]*?\))?\s+func\s+`([A-Z][^`]*)`\(/#)
                .map { String($0.1) }
        }
    }

    /// How many tests of the original are here.
    func countHere() throws -> Int {
        try functions().reduce(0) { $0 + (tables[$1] ?? 1) }
    }

    static func page() throws -> String {
        try ([head(), summary()] + all.map { try $0.table() }).joined(separator: "\n\n") + "\n"
    }

    private static func head() -> String {
        """
        # Alamofire 4.9.1's tests

        <!-- Written by the tests from Tests/RequestEraTests/Original; change the lists there. -->

        What became of each. A test that is here is a function of the original's name, without `test`
        or `testThat`, in `Tests/RequestEraTests/Original`; it says what the original's test says, and
        was written anew. **A**: as it is; **B**: with one thing put in place of what Linux lacks.
        `≈` marks a name that may be spelled another way in the original: there the behaviour is what
        counts.
        """
    }

    private static func summary() throws -> String {
        let rows = try all.map { file in
            "| \(file.name) | \(file.count) | \(try file.countHere()) | \(file.absences.count) |"
        }
        return """
            | file | tests | here | not here |
            |---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private func table() throws -> String {
        let rows = try functions().map { name in
            let substitute = substitutes[name] ?? substitutes[""]
            let shown = uncertain.contains(name) ? "`\(name)` ≈" : "`\(name)`"
            let number = tables[name].map { ", \($0) tests" } ?? ""
            let outcome = substitute.map { "; \($0)" } ?? ""
            return "| \(shown) | \(substitute == nil ? "A" : "B") | here\(number)\(outcome) |"
        }
        let others = absences.map { "| `\($0.name)` | N | \($0.reason) |" }
        return """
            ## \(name)

            | test | | what became of it |
            |---|---|---|
            \((rows + others).joined(separator: "\n"))
            """
    }
}
