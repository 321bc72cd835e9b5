import Foundation
import Testing

@Suite("The guide's pages", .timeLimit(.minutes(1)))
struct GuidePageTests {
    // MARK: Languages

    @Test(arguments: GuidePages.pairs.indices)
    func `each heading of one language is in the other, with the same code`(pair: Int) throws {
        let (english, chinese) = GuidePages.pairs[pair]
        let (old, new) = (try GuidePages.text(english), try GuidePages.text(chinese))
        #expect(GuidePages.difference(old, new) == nil, "\(chinese)")
        #expect(GuidePages.headings(old).count > 3)
        #expect(GuidePages.code(old) == GuidePages.code(new), "\(chinese)")
        #expect(new.contains("线程"))
    }

    @Test
    func `a heading that one language lacks is told`() {
        let page = "# A\n\n## 1. One\n\n## 2. Two\n"
        #expect(GuidePages.difference(page, page) == nil)
        #expect(
            GuidePages.difference(page, "# 甲\n\n## 1. 一\n") == "Chinese lacks \"## 2. Two\"")
        #expect(
            GuidePages.difference(page, "# 甲\n\n## 2. 二\n")
                == "\"## 1. One\" stands against \"## 2. 二\"")
        #expect(
            GuidePages.difference("# A\n", "# 甲\n```\n# no heading\n```\n## 乙\n")
                == "English lacks \"## 乙\"")
    }

    @Test
    func `the Chinese pages use the words that Chinese developers use`() throws {
        let all = try GuidePages.pairs.map { try GuidePages.text($0.1) }.joined()
        for word in ["RunLoop", "递归锁", "操作队列"] { #expect(all.contains(word), "\(word)") }
    }

    // MARK: Tasks

    @Test
    func `each of forty-nine tasks shows code that is compiled, and none of it is left out`()
        throws
    {
        let page = try GuidePages.text("Documentation/Guide/en/Tasks.md")
        let sections = page.components(separatedBy: "\n## ").dropFirst()
        #expect(sections.count == 49)
        var shown: Set<String> = []
        for (index, section) in sections.enumerated() {
            #expect(section.hasPrefix("\(index + 1). "))
            let files = section.matches(of: /<!-- begin: snippet (\S+) -->\n```swift\n\S/)
            #expect(files.count == 1, "task \(index + 1)")
            for file in files { shown.insert(String(file.1)) }
        }
        for file in shown {
            #expect(file.hasPrefix("Tests/"))
            #expect(try GuidePages.text(file).contains("// snippet: begin"))
        }
        let folder = GuidePages.root.appendingPathComponent(
            "Tests/Programs/ProgramTests/Guide/Tasks")
        let own = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(
            Set(own.map { "Tests/Programs/ProgramTests/Guide/Tasks/" + $0 }).isSubset(of: shown))
    }

    // MARK: Programs

    @Test
    func `each of twelve programs is shown whole, with its imports and what it prints`() throws {
        let page = try GuidePages.text("Documentation/Guide/en/Programs.md")
        let sections = page.components(separatedBy: "\n## ").dropFirst()
        #expect(sections.count == 12)
        var printing: Set<String> = []
        for (index, section) in sections.enumerated() {
            #expect(section.hasPrefix("\(index + 1). "))
            let files = section.matches(
                of: /<!-- begin: file Tests\/(\S+)\.swift -->\n```swift\nimport Foundation\n/)
            #expect(files.count == 1, "program \(index + 1)")
            for file in files where file.1.hasPrefix("Consumer/") {
                let name = file.1.split(separator: "/").dropLast().last.map(String.init) ?? ""
                #expect(section.contains("<!-- begin: output \(name) -->\n```\n"))
                printing.insert(name + ".txt")
            }
        }
        // scripts/test-documents runs a program for each file.
        let folder = GuidePages.root.appendingPathComponent("Tests/Consumer/Output")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(files) == printing)
    }

    // MARK: Foundation

    /// The lines of the page, each with the tests that it names.
    private func promises() throws -> [(line: String, tests: [(suite: String, name: String)])] {
        let page = try GuidePages.text("Documentation/Guide/en/Foundation.md")
        return page.components(separatedBy: "\n- **").dropFirst().map { part in
            let tests = part.matches(of: /\n  - `(\w+)`: (.+)/)
            return (
                String(part.prefix { $0 != "\n" }), tests.map { (String($0.1), String($0.2)) }
            )
        }
    }

    @Test
    func `each line on what URLSession lacks names one test, and the test exists`() throws {
        var files: [String: String] = [:]
        let folder = GuidePages.root.appendingPathComponent("Tests")
        let all = FileManager.default.enumerator(atPath: folder.path)
        for case let path as String in all ?? .init() where path.hasSuffix("Tests.swift") {
            let file = folder.appendingPathComponent(path)
            files[file.deletingPathExtension().lastPathComponent, default: ""] += try String(
                contentsOf: file, encoding: .utf8)
        }
        let promises = try promises()
        #expect(promises.count >= 18)
        for (line, tests) in promises {
            #expect(tests.count == 1, "\(line)")
            for (suite, name) in tests {
                let text = try #require(files[suite], "no file \(suite).swift")
                #expect(text.contains("`\(name)`("), "\(suite) has no test \(name)")
            }
        }
    }

    @Test
    func `each number on that page is a statement`() throws {
        let page = try GuidePages.text("Documentation/Guide/en/Foundation.md")
        let statements = try GuidePages.text("Documentation/Statements.md")
        let numbers = Set(
            page.matches(of: /\(LX-\d+\)/).map { String($0.0.dropFirst().dropLast()) })
        #expect(numbers.count >= 15)
        for number in numbers {
            #expect(statements.contains("<a id=\"\(number)\"></a>"), "\(number)")
        }
    }

    // MARK: Products and links

    @Test
    func `both front pages have a row for every library`() throws {
        let manifest = try GuidePages.text("Package.swift")
        let products = manifest.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(products.count > 10)
        for path in [GuidePages.pairs[1].0, GuidePages.pairs[1].1] {
            let page = try GuidePages.text(path)
            for product in products {
                #expect(page.contains("\n| `\(product)` | "), "\(path): \(product)")
            }
        }
    }

    @Test
    func `each link of a page leads to a file, and to a heading of it`() throws {
        var count = 0
        for path in try GuidePages.all {
            let page = URL(fileURLWithPath: path, relativeTo: GuidePages.root)
            for line in GuidePages.prose(try GuidePages.text(path)) {
                for link in line.matches(of: /\]\(([^()\s:]+)\)/) {
                    count += 1
                    let parts = link.1.split(
                        separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                    let place =
                        parts[0].isEmpty
                        ? page
                        : URL(
                            fileURLWithPath: String(parts[0]), relativeTo: page)
                    let exists = FileManager.default.fileExists(atPath: place.path)
                    #expect(exists, "\(path): \(link.1)")
                    guard exists, parts.count == 2, place.pathExtension == "md" else { continue }
                    let text = try String(contentsOf: place, encoding: .utf8)
                    let isAnchor =
                        GuidePages.headings(text).map(GuidePages.anchor).contains(String(parts[1]))
                        || text.contains("<a id=\"\(parts[1])\">")
                    #expect(isAnchor, "\(path): \(link.1)")
                }
            }
        }
        #expect(count > 100)
    }
}
