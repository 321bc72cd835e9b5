import TestSupport

/// `Documentation/Migration/Differences.md` and the lists of this folder.
@Suite("Differences that are meant", .timeLimit(.minutes(5)))
struct DifferencePageTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

    @Test
    func `every wound that a difference names has a row on the page`() throws {
        let named = try wounds(in: Self.folder)
        #expect(named.count > 10)
        let page = packageFolder.appendingPathComponent(
            "Documentation/Migration/Differences.md")
        let reported = try rows(of: String(contentsOf: page, encoding: .utf8))
        #expect(named.subtracting(reported).sorted() == [])
    }

    /// The numbers in `wound: 9` and `.wound(9)`.
    private func wounds(in folder: URL) throws -> Set<Int> {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var found: Set<Int> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /wound(?:: |\()([0-9]+)/) {
                found.insert(Int(match.1) ?? 0)
            }
        }
        return found
    }

    /// The numbers in the first column of the table.
    private func rows(of page: String) -> Set<Int> {
        let lines = page.split(separator: "\n").drop { !$0.hasPrefix("## Known defects") }
        let cells = lines.filter { $0.hasPrefix("| ") }.compactMap {
            $0.split(separator: "|").first
        }
        return Set(
            cells.flatMap { $0.split(separator: ",") }.compactMap {
                Int($0.trimmingCharacters(in: .whitespaces))
            })
    }
}
