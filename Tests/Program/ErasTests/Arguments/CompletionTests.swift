import TestSupport

@testable import eras

@Suite("Completion in shells", .timeLimit(.minutes(1)))
struct CompletionTests {
    /// What bash proposes for the last word.
    private func proposals(_ words: String...) throws -> Set<String> {
        let bash = Process()
        bash.executableURL = URL(fileURLWithPath: "/bin/bash")
        let ask = "COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _eras; echo \"${COMPREPLY[*]}\""
        bash.arguments = ["-c", CompletionScript.text(for: .bash) + ask, "bash", "eras"] + words
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
        #expect(CompletionScript.text(for: .bash).contains("complete -o default -F _eras eras\n"))
    }

    /// The shells that are there read the script without a complaint.
    @Test(arguments: CompletionOptions.Shell.allCases)
    func `the script is one of its shell, with each command and option`(
        shell: CompletionOptions.Shell
    ) throws {
        let script = CompletionScript.text(for: shell)
        for topic in HelpTopic.allCases where topic.options != nil {
            #expect(script.contains(topic.rawValue))
            for option in HelpText.spellings(of: topic) {
                #expect(script.contains(option.long.dropFirst(shell == .fish ? 2 : 0)))
            }
        }
        let folders = ["/bin", "/usr/bin"].map { "\($0)/\(shell.rawValue)" }
        guard let path = folders.first(where: FileManager.default.isExecutableFile) else { return }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("script-\(UUID().uuidString)")
        try Data(script.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = ["-n", file.path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    @Test func `a shell is named`() throws {
        #expect(try Command(["completion", "bash"]) == .completion(.bash))
        #expect(try Command(["completion", "fish"]) == .completion(.fish))
        for arguments in [[], ["tcsh"], ["bash", "bash"]] {
            let error = UsageError(
                sentence: "completion needs bash, zsh or fish.", topic: .completion)
            #expect(throws: error) {
                try Command(["completion"] + arguments)
            }
        }
    }
}
