import TestSupport

@testable import eras

@Suite("The manual page and the version", .timeLimit(.minutes(1)))
struct ManualPageTests {
    @Test func `the page has each command, each option and each sentence of the help`() {
        let page = ManualPage.text.replacing("\\-", with: "-").replacing("\\e", with: "\\")
        let plain = page.replacing(/\\f[BIR]/, with: "")
        for topic in HelpTopic.allCases {
            for option in HelpText.spellings(of: topic) {
                #expect(page.contains("\\fB\(option.long)\\fR"))
            }
            let words = HelpText.text(for: topic).split(whereSeparator: \.isWhitespace)
            for word in words.dropFirst(2) {
                #expect(plain.contains(word), "\(word)")
            }
        }
        let lines = page.split(separator: "\n")
        #expect(lines.count { $0 == ".nf" } == lines.count { $0 == ".fi" })
        let version = "\"\(ProgramVersion.date)\" \"eras \(ProgramVersion.text)\""
        #expect(lines.first == ".TH ERAS 1 \(version) \"User Commands\"")
    }

    @Test func `no line of the page is a request that roff does not have`() {
        let known: Set = ["TH", "SH", "SS", "B", "I", "TP", "PP", "nf", "fi"]
        for line in ManualPage.text.split(separator: "\n") where line.hasPrefix(".") {
            #expect(known.contains(line.dropFirst().prefix { $0 != " " }.description), "\(line)")
        }
    }

    @Test func `the version is that of the newest heading with a date in the changelog`() throws {
        let log = try String(
            contentsOf: packageFolder.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
        let heading = log.firstMatch(of: /\n## (\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)\n/)
        #expect(heading.map { String($0.1) } == ProgramVersion.text)
        #expect(heading.map { String($0.2) } == ProgramVersion.date)
    }
}
