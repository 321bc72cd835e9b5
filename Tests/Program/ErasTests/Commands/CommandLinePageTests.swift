import TestSupport

@testable import eras

/// The options and codes of the pages on `eras fetch` are those that it has.
@Suite("The pages on the command line", .timeLimit(.minutes(1)))
struct CommandLinePageTests {
    private static func page(_ path: String) throws -> String {
        try String(
            contentsOf: packageFolder.appendingPathComponent("Documentation/\(path)"),
            encoding: .utf8)
    }

    /// The words between back quotes that begin with a hyphen.
    private static func options(_ text: some StringProtocol) -> [String] {
        String(text).matches(of: /`([^`]+)`/).flatMap { $0.1.split(separator: " ") }
            .filter { $0.hasPrefix("-") && $0.count > 1 }.map(String.init)
    }

    private static let known = Set(
        FetchOptions.help.split { $0.isWhitespace || $0 == "," }.map(String.init))

    @Test func `each option of the last column is one of eras fetch`() throws {
        let rows = try Self.page("Migration/CommandLine.md").split(separator: "\n")
            .filter { $0.hasPrefix("| ") && !$0.hasPrefix("| curl |") }
        #expect(rows.count >= 19)
        let options = rows.flatMap { Self.options($0.split(separator: "|").last ?? "") }
        #expect(options.count >= 20)
        for option in options { #expect(Self.known.contains(option), "\(option)") }
    }

    @Test func `help and guide say what ends a server that a script has started`() throws {
        #expect(ServeOptions.help.contains("SIGTERM"))
        for language in ["en", "zh-Hans"] {
            let lines = try Self.page("Guide/\(language)/CommandLine.md").split(separator: "\n")
            let line = lines.firstIndex { $0.contains("`eras serve &`") }
            #expect(line.map { lines[$0].contains("SIGTERM") } == true, "\(language)")
        }
    }

    @Test(arguments: ["en", "zh-Hans"])
    func `the guide has each exit code, and options that there are`(language: String) throws {
        let page = try Self.page("Guide/\(language)/CommandLine.md")
        let codes = page.matches(of: /\n\| (\d+) \|/).compactMap { Int32($0.1) }
        #expect(codes == ExitCode.allCases.map(\.rawValue))
        let commands = page.components(separatedBy: "```sh\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
            .flatMap { $0.split(separator: "\n") }.filter { $0.contains("eras fetch") }
        #expect(commands.count >= 9)
        for command in commands {
            // What a pipe or a substitution has is another program's.
            let own = command.split(separator: "|")[0].replacing(/"\$\(.*\)"/, with: "")
            let words = own.components(separatedBy: "eras fetch").last?.split(separator: " ") ?? []
            for word in words where word.hasPrefix("-") && word.count > 1 {
                #expect(Self.known.contains(String(word)), "\(command)")
            }
        }
    }
}
