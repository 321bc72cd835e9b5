import TestSupport

/// The pages that show pairs of sources.
@Suite("Pages of pairs", .timeLimit(.minutes(1)))
struct PairPageTests {
    struct Page: Sendable, CustomTestStringConvertible {
        var path: String
        var count: Int
        var before: String
        var after: String
        /// What the sources after it do not contain.
        var oldModule: String

        var testDescription: String { path }
    }

    private static let folder = "Tests/Programs/"
    private static let pages = [
        Page(
            path: "MIGRATION.md", count: 17, before: folder + "OldAFNetworking/",
            after: folder + "ProgramTests/Migration/Operations/", oldModule: "AFNetworking"),
        Page(
            path: "Documentation/Migration/Alamofire.md", count: 12,
            before: folder + "OldAlamofire/",
            after: folder + "ProgramTests/Migration/Requests/", oldModule: "Alamofire"),
        Page(
            path: "Documentation/Migration/Sessions.md", count: 12,
            before: folder + "OldAFNetworking/Sessions/",
            after: folder + "ProgramTests/Migration/Sessions/", oldModule: "AFNetworking"),
    ]

    private func text(_ path: String) throws -> String {
        try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
    }

    /// The files whose code a page shows, in order, each with the code as the page has it.
    private func snippets(_ page: Page) throws -> [(file: String, code: String)] {
        let opening = "<!-- begin: snippet "
        return try text(page.path).components(separatedBy: opening).dropFirst().compactMap { part in
            guard let arrow = part.range(of: " -->\n```swift\n"),
                let end = part.range(of: "```\n<!-- end -->")
            else { return nil }
            let code = part[arrow.upperBound..<end.lowerBound]
            return (String(part[..<arrow.lowerBound]), String(code))
        }
    }

    @Test(arguments: pages)
    func `every code block comes from a file`(_ page: Page) throws {
        var isWritten = false
        for line in try text(page.path).components(separatedBy: "\n") {
            if line.hasPrefix("<!-- begin: ") { isWritten = true }
            if line == "<!-- end -->" { isWritten = false }
            #expect(isWritten || !line.hasPrefix("```"), "\(line)")
        }
    }

    @Test(arguments: pages)
    func `each pair is old and then new, of files of one name`(_ page: Page) throws {
        let files = try snippets(page).map(\.file)
        let old = stride(from: 0, to: files.count, by: 2).map { files[$0] }
        let new = stride(from: 1, to: files.count, by: 2).map { files[$0] }
        #expect(old.count == page.count && Set(files).count == 2 * page.count)
        #expect(old.allSatisfy { $0.hasPrefix(page.before) })
        #expect(
            new == old.map { $0.replacingOccurrences(of: page.before, with: page.after) })
    }

    @Test(arguments: pages)
    func `the page shows the files' code as it is now`(_ page: Page) throws {
        for (file, code) in try snippets(page) {
            let source = try text(file).filter { $0 != " " }
            for line in code.split(separator: "\n") {
                #expect(source.contains(line.filter { $0 != " " }), "\(file): \(line)")
            }
        }
    }

    @Test(arguments: pages)
    func `every new source is shown, and none has an old name`(_ page: Page) throws {
        let folder = packageFolder.appendingPathComponent(page.after)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let shown = Set(try snippets(page).map(\.file))
        #expect(Set(names.map { page.after + $0 }).isSubset(of: shown))
        for name in names {
            #expect(!(try text(page.after + name)).contains(page.oldModule), "\(name)")
        }
    }
}
