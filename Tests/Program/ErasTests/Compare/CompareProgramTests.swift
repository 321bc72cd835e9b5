import TestSupport

@testable import eras

@Suite("The program compares", .serialized, .timeLimit(.minutes(2)))
struct CompareProgramTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { folder.file(name).path }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    @Test func `every scenario is listed`() async throws {
        let ending = try await Program.run(["compare", "--list"])
        #expect(ending.code == 0)
        for scenario in ScenarioList.all {
            #expect(ending.output.contains("\n\(scenario.id) "))
        }
    }

    @Test func `JSON on standard output is alone there`() async throws {
        let ending = try await Program.run(
            ["compare", "ten-json-gets", "chain-after-failure", "--json", "-"])
        #expect(ending.code == 0)
        let list = try JSONSerialization.jsonObject(with: Data(ending.output.utf8))
        let rows = try #require(list as? [[String: Any]])
        let (columns, others) = (TenJSONGets().columns, ChainAfterFailure().columns)
        #expect(
            rows.map { $0["column"] as? String } == (columns + others).map(\.rawValue))
        let changes = ChainAfterFailure().changes
        #expect(
            rows.map { $0["verdict"] as? String }
                == columns.map { _ in "equal" }
                + others.map { changes.causes(in: $0).isEmpty ? "equal" : "different" })
        #expect(
            rows.map { $0["requests"] as? Int }
                == columns.map { _ in 10 } + others.map { $0 == .connection ? 2 : 1 })
        #expect(rows.allSatisfy { $0["runs"] as? Int == 5 })
        #expect(
            rows.map { $0["because_of"] as? [String] }
                == columns.map { _ in [] }
                + others.map { changes.causes(in: $0).map(\.rawValue) })
        for row in rows {
            #expect((row["connections"] as? Int ?? 0) > 0)
            #expect((row["threads"] as? Int ?? 0) > 1)
            let wall = try #require(row["wall_ms"] as? Double)
            let least = try #require(row["wall_min_ms"] as? Double)
            let most = try #require(row["wall_max_ms"] as? Double)
            #expect(least > 0 && least <= wall && wall <= most)
            let isFirst = row["compared_with"] == nil
            #expect(isFirst == (row["column"] as? String == "connection"))
            let pace = row["pace"] as? String
            let hasPace = !isFirst && row["verdict"] as? String == "equal"
            #expect(hasPace ? ["faster", "slower", "level"].contains(pace) : pace == nil)
            #expect((row["cpu_ms"] as? Double ?? 0) > 0)
        }
    }

    @Test func `the page, the document and the table come from one run`() async throws {
        let arguments = [
            "compare", "chain-after-failure", "--runs", "3", "--markdown", path("document.md"),
        ]
        let ending = try await Program.run(
            arguments + ["--html", path("page.html")], in: packageFolder)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output.contains("1 scenario: 0 equal, 1 different, 0 failed."))
        #expect(ending.errors.contains("The page: \(path("page.html"))\n"))
        let sentence = ChainAfterFailure().changes[0].sentence
        let words = ending.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains(sentence))
        #expect(try text("page.html").contains(sentence))
        for name in ["page.html", "document.md"] {
            let cause = name == "page.html" ? "era&#39;s design" : "era's design"
            #expect(try text(name).contains(cause))
            #expect(try text(name).contains("the run with the median wall time"))
            #expect(try text(name).contains(Cause.design.heading))
        }
        #expect(try text("document.md").contains(sentence))
        #expect(try text("document.md").contains("signIn.map(profile.addDependency)"))

        let check = try await Program.run(arguments + ["--check"], in: packageFolder)
        #expect(check.code == 0, "\(check.errors)")
        let changed = try text("document.md").replacing("addDependency", with: "dependsOn")
        try Data(changed.utf8).write(to: folder.file("document.md"))
        let failed = try await Program.run(arguments + ["--check"], in: packageFolder)
        #expect(failed.code == 1)
        #expect(failed.errors.contains("document.md is out of date"))
        #expect(try text("document.md") == changed)
    }

    @Test func `the columns take turns in being the first`() {
        let columns = ScenarioList.all[0].columns
        let firsts = (1...columns.count).map { CompareCommand.turn($0, of: columns)[0] }
        #expect(firsts == columns)
        for run in 1...10 {
            #expect(Set(CompareCommand.turn(run, of: columns)) == Set(columns))
        }
        #expect(CompareCommand.turn(3, of: []) == [])
    }

    @Test func `an interrupt ends it, and leaves no folder`() async throws {
        let ending = try await Program.run(
            ["compare", "time-out-while-queued"], environment: ["TMPDIR": folder.url.path]
        ) { process in
            while !Self.hasChild(process.processIdentifier) { await Task.yield() }
            process.interrupt()
        }
        #expect(ending.code == 130)
        #expect(ending.output == "")
        #expect(folder.names == [])
    }

    @Test func `a proxy in the environment has no part in it`() async throws {
        let ending = try await Program.run(
            ["compare", "cancel-one", "-q"],
            environment: ["http_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"])
        #expect(ending.code == 0, "\(ending.output)")
    }

    @Test(arguments: ["--json", "--html"])
    func `one output may be standard output, and is alone there`(option: String) async throws {
        let ending = try await Program.run(
            ["compare", "connection-refused", "-q", option, "-"], in: folder.url)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output.hasPrefix(option == "--json" ? "[\n" : "<!DOCTYPE html>"))
        #expect(ending.errors == "")
        #expect(folder.names == [])
    }

    @Test(arguments: [["-", "-"], ["a", "./a"]])
    func `two outputs are not one file`(paths: [String]) async throws {
        let ending = try await Program.run(
            ["compare", "--json", paths[0], "--html", paths[1]], in: folder.url)
        #expect(ending.code == 2)
        #expect(ending.errors.hasPrefix("eras: --json and --html name the same file.\n"))
    }

    @Test(arguments: [[], ["--json", "-"]])
    func `standard output that cannot be written is reported`(options: [String]) async throws {
        let ending = try await Program.run(
            ["compare", "connection-refused", "-q"] + options,
            output: FileHandle(forWritingAtPath: "/dev/full"))
        #expect(ending.code == 1)
        #expect(ending.errors.hasPrefix("eras: Could not write standard output: No space left"))
    }

    @Test func `a file that cannot be written is reported before anything is run`() async throws {
        let ending = try await Program.run(
            ["compare", "connection-refused", "--html", "/nowhere/page.html"])
        #expect(ending.code == 1)
        #expect(ending.output == "")
        #expect(ending.errors.hasPrefix("eras: Could not write /nowhere/page.html"))
    }

    /// Whether one of the process's threads has started another.
    private static func hasChild(_ process: pid_t) -> Bool {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.contains { thread in
            let children = try? String(
                contentsOfFile: "\(tasks)/\(thread)/children", encoding: .utf8)
            return children?.isEmpty == false
        }
    }
}
