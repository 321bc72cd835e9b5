import TestSupport

@testable import eras

@Suite("The scripts of Documentation/Guide/en/CommandLine.md", .timeLimit(.minutes(2)))
struct SharedListTests {
    /// The scripts of the page, by what each names.
    private static func script(naming word: String) throws -> String {
        let page = try String(
            contentsOf: packageFolder.appendingPathComponent(
                "Documentation/Guide/en/CommandLine.md"),
            encoding: .utf8)
        let scripts = page.components(separatedBy: "```sh\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        return try #require(scripts.first { $0.contains(word) })
    }

    @Test(arguments: ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"])
    func `the jobs of a runner fetch each file once, into one directory`(word: String) async throws
    {
        let world = TestWorld()
        let list = (0..<9).map { world.address("/bytes/10?seed=\($0)") }
        let folder = URL(fileURLWithPath: world.directory)
        try Data(list.joined(separator: "\n").utf8).write(
            to: folder.appendingPathComponent("urls.txt"))
        let script = folder.appendingPathComponent("job.sh")
        try Data(try Self.script(naming: word).utf8).write(to: script)
        for number in 0..<3 {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = [script.path]
            process.currentDirectoryURL = folder
            process.environment = [
                "PATH": Program.executable.deletingLastPathComponent().path,
                "SLURM_ARRAY_TASK_ID": "\(number + 1)", "SLURM_ARRAY_TASK_COUNT": "3",
                "JOB_COMPLETION_INDEX": "\(number)", "COMPLETIONS": "3",
            ]
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(world.server.requests.count == 9)
        for seed in 0..<9 {
            let name = seed == 0 ? "files/10" : "files/10-\(seed + 1)"
            #expect(world.contents(name) == generated(UInt64(seed), 10))
        }
    }
}
