import TestSupport

/// Words that only this project used, in comments, texts and pages; Documentation/Glossary.md has
/// those that are used instead.
@Suite("Comments and pages use the field's words", .timeLimit(.minutes(5)))
struct WordTests {
    /// What CHANGELOG.md says of earlier versions stays.
    private static let unreadPages = ["CHANGELOG.md"]

    /// Words without a second meaning here, in lower case; the blanks around count.
    private static let words = [
        " wound ", " wounds ", " let go ", " lets go ", " rests ", " is told ", " are told ",
        " somebody ", " nobody ", " hand over ", " hands over ", " handed over ", " hands on ",
        " handed on ", " lane ", " lanes ",
    ]
    /// What has a word of the list for a reason.
    private static let exceptions = [
        "A. Nobody": "the author in a fixed document of LoopbackServer"
    ]
    private static let longestSentence = 35

    // MARK: Reading

    /// The words of a list in a text. Signs count as blanks, what is in backticks does not count.
    private static func found(in text: String) -> [String] {
        let text = exceptions.keys.reduce(text) { $0.replacing($1, with: "x") }
        let prose = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .map { $0.isMultiple(of: 2) ? String($1) : " x " }.joined()
        let plain = prose.lowercased().map { $0.isLetter || $0 == "'" ? $0 : " " }
        let spaced = " " + String(plain).split(separator: " ").joined(separator: " ") + " "
        return words.filter(spaced.contains)
    }

    /// What `SourceText` leaves out of a line: comments, and texts between quotation marks.
    private static func prose(of line: String, code: String) -> String {
        var bytes = Array(line.utf8)
        for (index, byte) in code.utf8.enumerated() where byte != UInt8(ascii: " ") {
            if bytes.indices.contains(index) { bytes[index] = UInt8(ascii: " ") }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The paragraphs of comments: each with its first line's number. Code and lists end one.
    private static func paragraphs(of lines: [String]) -> [(line: Int, text: String)] {
        var found: [(line: Int, text: String)] = []
        var isCode = false
        var isContinued = false
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("//") else {
                (isCode, isContinued) = (false, false)
                continue
            }
            let text = trimmed.drop { $0 == "/" }.drop { $0 == " " }
            if text.hasPrefix("```") { isCode.toggle() }
            if isCode || text.isEmpty || text.hasPrefix("```") || text.hasPrefix("## ") {
                isContinued = false
            } else if isContinued, !text.hasPrefix("- ") {
                found[found.count - 1].text += " " + text
            } else {
                found.append((index + 1, String(text)))
                isContinued = true
            }
        }
        return found
    }

    private static func sentences(of text: String) -> [Substring] {
        text.split(separator: /[.!?] +(?=[A-Z0-9`(])/)
    }

    /// README.md and others beside it, and all below `Documentation`, in English. Decisions and `CHANGELOG.md` quote
    /// names that were used once, in backticks.
    private static let pages: [String] = {
        let root = PackageSources.root.path
        let above = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let below = FileManager.default.enumerator(atPath: root + "/Documentation")?
            .compactMap { ($0 as? String).map { "Documentation/" + $0 } }
        return (above + (below ?? [])).filter { $0.hasSuffix(".md") && !$0.contains("zh-Hans") }
    }()

    // MARK: Tests

    @Test
    func `no comment and no text of a module has a word of the list`() {
        let files = PackageSources.all
        #expect(Set(files.map(\.module)).count >= 5)
        for file in files {
            for (index, (line, code)) in zip(file.lines, file.text.code).enumerated() {
                let words = Self.found(in: Self.prose(of: line, code: code))
                #expect(words.isEmpty, "\(file.path):\(index + 1)")
            }
            // A word may be at the end of one line and the beginning of the next.
            for (line, text) in Self.paragraphs(of: file.lines) {
                #expect(Self.found(in: text).isEmpty, "\(file.path):\(line)")
            }
        }
    }

    @Test
    func `no page has a word of the list`() throws {
        #expect(Self.pages.count > 100)
        for page in Self.pages where !Self.unreadPages.contains(page) {
            let url = PackageSources.root.appendingPathComponent(page)
            var isCode = false
            for (index, line) in try String(contentsOf: url, encoding: .utf8)
                .components(separatedBy: "\n").enumerated()
            {
                if line.hasPrefix("```") { isCode.toggle() }
                if !isCode { #expect(Self.found(in: line).isEmpty, "\(page):\(index + 1)") }
            }
        }
    }

    @Test
    func `no sentence of a comment has more than 35 words`() {
        for file in PackageSources.all {
            for (line, text) in Self.paragraphs(of: file.lines) {
                for sentence in Self.sentences(of: text) {
                    let count = sentence.split(separator: " ").count
                    #expect(count <= Self.longestSentence, "\(file.path):\(line) \(count)")
                }
            }
        }
    }

    @Test
    func `each page that is left out exists`() {
        for page in Self.unreadPages {
            #expect(Self.pages.contains(page), "\(page)")
        }
    }

    @Test
    func `the glossary has at most 60 lines, and a meaning for each term`() throws {
        let url = PackageSources.root.appendingPathComponent("Documentation/Glossary.md")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        #expect(lines.count <= 60)
        for line in lines where line.hasPrefix("|") {
            let cells = line.split(separator: "|")
            #expect(cells.count == 2 && cells.allSatisfy { !$0.isEmpty }, "\(line)")
        }
    }

    @Test(
        arguments: [
            ("The lock is told, and nobody waits.", [" is told ", " nobody "]),
            ("A `lane` of `nobody`; rests of Swift", [" rests "]),
            ("arrests, planes, the rest, toldest", []), ("Wounds\n65", [" wounds "]),
        ] as [(String, [String])])
    func `a word is found whole, in any case, and not in backticks`(
        _ text: String, _ words: [String]
    ) {
        #expect(Self.found(in: text) == words.sorted { Self.index($0) < Self.index($1) })
    }

    private static func index(_ word: String) -> Int { words.firstIndex(of: word) ?? -1 }

    @Test
    func `comments and texts are read, and code is not`() {
        let source = "let nobody = \"lets go\" // rests\n/// A wound\n/// goes on. Next"
        let lines = source.components(separatedBy: "\n")
        let code = SourceText(source).code
        let words = zip(lines, code).map { Self.found(in: Self.prose(of: $0, code: $1)) }
        #expect(words == [[" lets go ", " rests "], [" wound "], []])
        let paragraphs = Self.paragraphs(of: lines)
        #expect(paragraphs.map(\.line) == [2] && paragraphs[0].text == "A wound goes on. Next")
        #expect(Self.sentences(of: paragraphs[0].text) == ["A wound goes on", "Next"])
    }
}
