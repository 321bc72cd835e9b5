import Foundation
import Testing

@testable import eras

@Suite("Completion in bash", .timeLimit(.minutes(1)))
struct CompletionTests {
    /// What bash proposes for the last word.
    private func proposals(_ words: String...) throws -> Set<String> {
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        let ask = "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _eras; echo \"${COMPREPLY[*]}\""
        bash.arguments = ["-c", CompletionOptions.script + ask, "bash", "eras"] + words
        let output = Pipe()
        bash.standardOutput = output
        try bash.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        bash.waitUntilExit()
        return Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }

    @Test func `commands, their options and what they take are proposed`() throws {
        #expect(try proposals("f") == ["fetch"])
        #expect(try proposals("--v") == ["--version"])
        #expect(
            try proposals("fetch", "--co") == [
                "--connect-timeout", "--compressed", "--cookie", "--cookie-jar",
            ])
        #expect(try proposals("fetch", "http://h/", "-j") == ["-j"])
        #expect(try proposals("compare", "ten").contains("ten-json-gets"))
        #expect(try proposals("compare", "--").isDisjoint(with: ["--child", "--ground"]))
        #expect(try proposals("lesson", "ch") == ["check"])
        #expect(try proposals("help", "g") == ["gallery"])
    }

    @Test func `where no word fits, it is the shell that proposes files`() throws {
        #expect(try proposals("fetch", "-i", "urls") == [])
        #expect(CompletionOptions.script.contains("complete -o default -F _eras eras\n"))
    }

    @Test func `a shell is named, and it is bash`() throws {
        #expect(try Command(["completion", "bash"]) == .completion)
        for arguments in [[], ["fish"], ["bash", "bash"]] {
            #expect(throws: UsageError(sentence: "completion needs bash.", topic: .completion)) {
                try Command(["completion"] + arguments)
            }
        }
    }
}
