import Foundation
import TestSupport
import Testing

@Suite("MIGRATION.md", .timeLimit(.minutes(5)))
struct PageTests {
    private let lines: [String]

    init() throws {
        let page = packageFolder.appendingPathComponent(RenameList.pagePath)
        lines = try String(contentsOf: page, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The files whose code the page shows, in order.
    private var snippets: [String] {
        lines.compactMap { line in
            let parts = line.split(separator: " ")
            return line.hasPrefix("<!-- begin: snippet ") && parts.count == 5
                ? String(parts[3]) : nil
        }
    }

    @Test
    func `every code block comes from a file`() {
        var isWritten = false
        for line in lines {
            if line.hasPrefix("<!-- begin: ") { isWritten = true }
            if line == "<!-- end -->" { isWritten = false }
            #expect(isWritten || !line.hasPrefix("```"), "\(line)")
        }
    }

    @Test
    func `there are seventeen pairs, each old and new`() {
        let old = snippets.filter { $0.hasPrefix("Tests/Programs/AFNetworkingTests/OldSources/") }
        let new = snippets.filter { $0.hasPrefix("Tests/Programs/MigrationTests/NewSources/") }
        #expect(old.count == 17)
        #expect(new.count == 17)
        #expect(Set(snippets).count == 34)
    }

    @Test
    func `every new source is shown, and none has an old name`() throws {
        let folder = packageFolder.appendingPathComponent(
            "Tests/Programs/MigrationTests/NewSources")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            Set(names.map { "Tests/Programs/MigrationTests/NewSources/" + $0 }).isSubset(
                of: snippets))
        for name in names {
            let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
            #expect(!text.contains("AFNetworking"), "\(name)")
        }
    }
}
