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

        <!-- Written by the tests from Tests/LaterEras/RequestEraTests/Original; change the lists there. -->

        What became of each. A test that is here is a function of the original's name, without `test`
        or `testThat`, in `Tests/LaterEras/RequestEraTests/Original`, written anew. **A**: as it is; **B**: with
        one thing otherwise, which the row names.

        The original's own files were also built against module `Alamofire` and run on Linux, last on
        28 November 2026, each class in a process of its own, over HTTP/1.1 and over HTTP/2. "Its own" is what
        was seen; a row says where a test of its own cannot be built or does not pass, and why.

        They ran in a network namespace in which httpbin answers at `httpbin.org` and nginx at the other hosts:
        at `expired.badssl.com` with an expired certificate and two intermediates behind it, at
        `revoked.badssl.com` with one that a list among the program's resources names. The certificates of
        `alamofire.org`, which ended in 2025, were signed anew: their keys and dates are others, all else is
        byte for byte; with those of the original each of the 79 tests passed on a clock of December 2019.

        Beside them stands one file that exports the module. What was changed: `import SystemConfiguration` and
        the tests of its flags are left out, one `as AnyObject` is a cast, `Foundation.URLSession` is
        `URLSession`, and what tests see of Alamofire's internals (the delegate's requests, the session's trust
        policies, two initializers of requests) is this package's.
        """
    }

    private static func summary() throws -> String {
        let rows = try all.map { file in
            "| \(file.name) | \(file.count) | \(try file.countHere()) | \(file.absences.count) | "
                + "\(file.built ?? file.count) | \(file.passing ?? file.count) |"
        }
        let built = all.reduce(0) { $0 + ($1.built ?? $1.count) }
        let passing = all.reduce(0) { $0 + ($1.passing ?? $1.count) }
        return """
            | file | tests | here | not here | its own, built | its own, passing |
            |---|---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            | all | \(all.reduce(0) { $0 + $1.count }) | | | \(built) | \(passing) |
            """
    }

    private func table() throws -> String {
        let rows = try functions().map { name in
            let substitute = substitutes[name] ?? substitutes[""]
            let number = tables[name].map { ", \($0) tests" } ?? ""
            let outcome = substitute.map { "; \($0)" } ?? ""
            let own = failures[name].map { ". Its own: \($0)" } ?? ""
            return
                "| `\(name)` | \(substitute == nil ? "A" : "B") | here\(number)\(outcome)\(own) |"
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
