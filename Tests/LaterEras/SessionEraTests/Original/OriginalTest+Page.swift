/// Documentation/SessionTests.md, written from the list.
extension OriginalTest {
    static var page: String {
        let files = all.map(\.file).reduce(into: [String]()) { files, file in
            if files.last != file { files.append(file) }
        }
        return ([head] + files.map(table)).joined(separator: "\n\n") + "\n"
    }

    private static var head: String {
        """
        # AFNetworking 4.0.1's session tests

        <!-- Written by the tests from Tests/LaterEras/SessionEraTests/Original; change the lists there. -->

        What became of each, read beside the original's source: **A** says here what it says there,
        **B** with one thing otherwise, which the row names, **N** not at all. `LX-` numbers are
        facts measured of Foundation's `URLSession` on Linux. Of the files about serializers and
        policy, which both eras share, the A tests and those of archives are listed; of
        `AFSecurityPolicyTests` 4 of 46, for the others judge recorded chains that have expired.

        \(summary)

        A test "here" is a function of the original's name, without `test` or `testThat`, in
        `Tests/LaterEras/SessionEraTests/Original`.
        """
    }

    private static var summary: String {
        let rows = [Portability.asItIs, .substitute, .none].map { portability in
            let tests = all.filter { $0.portability == portability }
            let counts = [
                tests.count,
                tests.count { if case .here = $0.answer { true } else { false } },
                tests.count { if case .shared = $0.answer { true } else { false } },
                tests.count { if case .not = $0.answer { true } else { false } },
            ]
            return "| \(portability.rawValue) | " + counts.map(String.init).joined(separator: " | ")
                + " |"
        }
        return """
            | | tests | here | answered by another test | not to be had |
            |---|---|---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }

    private static func table(_ file: String) -> String {
        let rows = all.filter { $0.file == file }.map { test in
            "| `\(test.name)` | \(test.portability.rawValue) | \(test.answer.text) |"
        }
        return """
            ## \(file)

            | test | | what became of it |
            |---|---|---|
            \(rows.joined(separator: "\n"))
            """
    }
}

extension OriginalTest.Answer {
    fileprivate var text: String {
        switch self {
        case .here(nil): "here"
        case .here(let substitute?): "here; \(substitute)"
        case .shared(let file, let test): "`\(file)`: \(test)"
        case .not(let reason): reason
        }
    }
}
