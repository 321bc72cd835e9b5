import TestSupport

/// The pages that list the originals' own tests: each row leads to a test or a recorded case that is there.
@Suite("The lists of the originals' tests", .timeLimit(.minutes(1)))
struct OriginalTestPageTests {
    /// Page, and the folder of the functions that its rows call "here".
    private static let pages: KeyValuePairs = [
        "ImageTests.md": "Images/NetworkImagesTests",
        "RequestTests.md": "LaterEras/RequestEraTests/Original",
        "SessionTests.md": "LaterEras/SessionEraTests/Original",
    ]
    private static let tests = packageFolder.appendingPathComponent("Tests")

    private struct Row {
        let name: String
        let letter: String
        let answer: String

        /// The function of a test that is here: the name without `test` or `testThat`, as Swift writes it.
        var function: String {
            guard name.hasPrefix("test") else { return name }
            let rest = name.dropFirst(name.hasPrefix("testThat") ? 8 : 4)
            let capitals = rest.prefix { $0.isUppercase }.count
            // An abbreviation is in lower case but for the first letter of the word behind it.
            let lowered = capitals > 1 && capitals < rest.count ? capitals - 1 : capitals
            return rest.prefix(lowered).lowercased() + rest.dropFirst(lowered)
        }

        /// How many of the original's tests it is about.
        var count: Int { answer.firstMatch(of: /^here, (\d+) tests/).flatMap { Int($0.1) } ?? 1 }

        /// The files and names of tests and recorded cases that answer for it.
        var places: [(file: String, name: String)] {
            answer.replacing(/\. (Its own|Difference): .*/, with: "")
                .replacing("; `", with: "\n`").split(separator: "\n").compactMap { part in
                    part.wholeMatch(of: /`([^`]+)`: (.+)/).map { (String($0.1), String($0.2)) }
                }
        }
    }

    /// The sections of a page: the original's file, how many tests its head says, its rows.
    private static func sections(
        of page: String
    ) throws -> [(file: String, count: Int?, rows: [Row])] {
        let url = packageFolder.appendingPathComponent("Documentation/" + page)
        let parts = try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n## ")
        return parts.dropFirst().map { part in
            let lines = part.components(separatedBy: "\n")
            let head = lines[0].wholeMatch(of: /(\w+): (\d+) tests?/)
            let rows = lines.compactMap { line -> Row? in
                line.wholeMatch(of: /\| `([^`]+)` \| (?:([ABN]) \| )?(.+) \|/).map {
                    Row(name: String($0.1), letter: String($0.2 ?? ""), answer: String($0.3))
                }
            }
            return (head.map { String($0.1) } ?? lines[0], head.flatMap { Int($0.2) }, rows)
        }
    }

    /// The texts of Swift files and recordings below a folder of `Tests`, by their names; two may have one name.
    private static func texts(below folder: String = "") throws -> [String: String] {
        let recordings = packageFolder.appendingPathComponent("Sources/Foundations/CTraces/Golden")
        let roots = [tests.appendingPathComponent(folder)] + (folder.isEmpty ? [recordings] : [])
        let files = roots.flatMap { root in
            FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)?
                .compactMap { $0 as? URL } ?? []
        }
        var texts: [String: String] = [:]
        for file in files {
            let isRecording = file.path.contains("/Golden/")
            guard file.pathExtension == "swift" || isRecording else { continue }
            let name = isRecording ? file : file.deletingPathExtension()
            texts[name.lastPathComponent, default: ""] += try String(
                contentsOf: file, encoding: .utf8)
        }
        return texts
    }

    @Test(arguments: pages.map(\.key))
    func `each file has as many tests as its head says, and each of AFNetworking's once`(
        _ page: String
    ) throws {
        for section in try Self.sections(of: page) {
            #expect(section.rows.reduce(0) { $0 + $1.count } == section.count, "\(section.file)")
            let names = section.rows.map(\.name).filter { $0.hasPrefix("test") }
            #expect(Set(names).count == names.count, "\(section.file)")
        }
    }

    @Test(arguments: pages.map(\.key))
    func `each test and recorded case that answers for one is there`(_ page: String) throws {
        let texts = try Self.texts()
        for row in try Self.sections(of: page).flatMap(\.rows) {
            for (file, name) in row.places {
                let text = texts[file] ?? ""
                let exists =
                    file.hasSuffix(".json")
                    ? text.contains("\"id\": \"\(name)\"")
                    : text.contains("`\(name)`(")
                #expect(exists, "\(row.name): \(file) has no \(name)")
            }
        }
    }

    @Test(arguments: pages.map(\.key))
    func `each test is here, or another answers for it, or the row says why not`(
        _ page: String
    ) throws {
        let folder = try #require(Self.pages.first { $0.key == page }).value
        let text = try Self.texts(below: folder).values.joined()
        for row in try Self.sections(of: page).flatMap(\.rows) {
            if row.answer.hasPrefix("here") {
                let name = NSRegularExpression.escapedPattern(for: row.function)
                let pattern = try Regex("@Test[^{}]*?\\sfunc\\s+`?\(name)`?\\(")
                let isHere = text.contains(pattern)
                #expect(isHere, "\(row.name): no test \(row.function)()")
            } else if row.letter == "N" {
                #expect(row.places.isEmpty && row.answer.count > 20, "\(row.name)")
            }
        }
    }

    @Test func `each test under an Alamofire test's name has its row`() throws {
        let here = try Self.sections(of: "RequestTests.md").flatMap(\.rows)
            .filter { $0.answer.hasPrefix("here") }.map(\.name)
        let text = try Self.texts(below: "LaterEras/RequestEraTests/Original").values.joined()
        let functions = text.matches(of: /@Test(?:\([^@]*?\))?\s+func\s+`([A-Z][^`]*)`\(/)
        #expect(here.sorted() == functions.map { String($0.1) }.sorted())
    }
}
