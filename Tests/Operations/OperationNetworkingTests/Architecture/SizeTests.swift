import TestSupport

/// How much there is, against the table of Documentation/Size.md: a figure may fall, and rises only with a line there
/// that says which user gains what.
@Suite("The package grows for a reason only", .timeLimit(.minutes(5)))
struct SizeTests {
    private static let file = PackageSources.root.appendingPathComponent("Documentation/Size.md")

    /// What is counted, in the table's order.
    private static let figures: [(name: String, count: Int)] = {
        var all: [(String, Int)] = []
        for (module, files) in PackageSources.modules.sorted(by: { $0.key < $1.key }) {
            all.append(("`\(module)`, files", files.count))
            all.append(("`\(module)`, lines", lines(files.map(\.lines))))
        }
        let sources = PackageSources.all.map(\.lines)
        all.append(("`Sources`, files", sources.count))
        all.append(("`Sources`, lines", lines(sources)))
        all.append(("longest file, lines", sources.map { $0.count - 1 }.max() ?? 0))
        let tests = PackageSources.texts(in: "Tests").map(\.text)
        all.append(("`Tests`, files", tests.count))
        all.append(("`Tests`, lines", tests.reduce(0) { $0 + $1.count { $0 == "\n" } }))
        all.append(("tests", tests.reduce(0) { $0 + $1.ranges(of: "@Test").count }))
        let walk = PackageSources.root.appendingPathComponent("Documentation/Architecture.md")
        let text = (try? String(contentsOf: walk, encoding: .utf8)) ?? ""
        all.append(("files on the way of `manager.get`", RequestWalk(text, []).steps.count))
        return all
    }()

    private static func lines(_ files: [[String]]) -> Int {
        files.reduce(0) { $0 + $1.count - 1 }
    }

    /// The figures of the page, by their names.
    private static func allowed(in page: String) -> [String: Int] {
        let rows = page.split(separator: "\n").compactMap { line -> (String, Int)? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 2, let count = Int(cells[1]) else { return nil }
            return (cells[0], count)
        }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    @Test func `no figure is larger than Size.md says, and none is missing there`() throws {
        var page = try String(contentsOf: Self.file, encoding: .utf8)
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1" {
            let head = page.prefix(upTo: page.range(of: "| what |")?.lowerBound ?? page.endIndex)
            let rows = Self.figures.map { "| \($0.name) | \($0.count) |\n" }.joined()
            page = head + "| what | at most |\n|---|---:|\n" + rows
            try page.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        let allowed = Self.allowed(in: page)
        for (name, count) in Self.figures {
            guard let limit = allowed[name] else {
                Issue.record("Documentation/Size.md has no row for \(name), \(count).")
                continue
            }
            #expect(count <= limit, "\(name): say in Documentation/Size.md which user gains what.")
        }
        #expect(Set(allowed.keys).subtracting(Self.figures.map(\.name)) == [])
    }
}
