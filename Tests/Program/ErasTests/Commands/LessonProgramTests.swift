import EraLessons
import Lessons
import TestSupport

@testable import eras

@Suite("eras lesson and eras quiz", .timeLimit(.minutes(3)))
struct LessonProgramTests {
    private let files = TemporaryFolder()
    private var folder: URL { files.url }

    @Test func `lesson 7 without a terminal asks nothing, runs, compares and explains`()
        async throws
    {
        let ending = try await Program.run(["lesson", "7"], environment: ["LANG": "C"])
        #expect(ending.code == 0)
        let parts = [
            "7. The recursive lock\n", "Question\n", "Experiment\n", "Result\nstart returns?\n",
            "    correct: yes, plainLock: no, noLock: yes, lockedGetter: yes\n",
            "The run shows 3: ", "Explanation\n", "Source\n", "Exercise\n",
            "Next: eras lesson 8\n",
        ]
        var rest = ending.output[...]
        for part in parts {
            let range = rest.range(of: part)
            #expect(range != nil, "\(part)")
            if let range { rest = rest[range.upperBound...] }
        }
        #expect(ending.errors.contains("Standard input is no terminal"))
        #expect(!ending.output.contains("\u{1B}"))
    }

    @Test func `a guess may be given, in Chinese too, and the page has the picture`() async throws {
        let page = folder.appendingPathComponent("p.html").path
        let ending = try await Program.run(
            ["lesson", "13", "--guess", "1", "--language", "zh-Hans", "--html", page])
        #expect(ending.code == 0)
        #expect(ending.output.contains("你猜的是 1。运行结果是 2：BA"))
        #expect(ending.errors.contains(page))
        let html = try String(contentsOfFile: page, encoding: .utf8)
        #expect(html.contains("width8") && html.contains("<svg"))
        let wrong = try await Program.run(["lesson", "13", "--guess", "9"])
        #expect(wrong.code == 2 && wrong.output.isEmpty)
        #expect(wrong.errors.contains("The lesson has the answers 1 to 3, not 9."))
    }

    @Test func `an installed program has the texts where there is no checkout`() async throws {
        let list = try await Program.run(
            ["lesson"], in: folder,
            environment: ["LANG": "zh_CN.UTF-8", "XDG_STATE_HOME": folder.path])
        #expect(list.code == 0 && list.output.contains(" 7. 递归锁\n"))
        let hint = try await Program.run(["lesson", "hint", "7", "--language", "en"], in: folder)
        #expect(hint.code == 0 && hint.output.hasSuffix("\n\neras lesson hint 7 2\n"))
    }

    @Test func `a page that cannot be written is reported before the lesson begins`() async throws {
        let ending = try await Program.run(["lesson", "3", "--html", "/nowhere/p.html"])
        #expect(ending.code == 1 && ending.output.isEmpty)
        #expect(ending.errors.contains("/nowhere/p.html"))
    }

    @Test func `check runs the exercise's program, and hands its verdict on`() async throws {
        let exercises = folder.appendingPathComponent("Exercises")
        let inside = exercises.appendingPathComponent("07-plain-lock/Sources")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        try Data().write(to: exercises.appendingPathComponent("Package.swift"))
        // Stands in for the toolchain.
        let swift = folder.appendingPathComponent("swift")
        try Data("#!/bin/sh\necho \"$@ $LANG\"\nexit ${VERDICT:-0}\n".utf8).write(to: swift)
        chmod(swift.path, 0o755)
        let path = ["PATH": folder.path, "XDG_STATE_HOME": folder.path]
        let solved = try await Program.run(
            ["lesson", "check", "7", "--language", "zh-Hans"], in: inside, environment: path)
        #expect(solved.code == 0)
        #expect(
            solved.output.hasSuffix("Exercises check-07 zh_CN.UTF-8\n"), "\(solved.output)")
        let missing = try await Program.run(
            ["lesson", "check", "8"], in: inside,
            environment: path.merging(["VERDICT": "1"]) { $1 })
        #expect(missing.code == 1)
        let list = try await Program.run(
            ["lesson"], environment: ["LANG": "C", "XDG_STATE_HOME": folder.path])
        #expect(list.output.contains(" 7. The recursive lock (done)\n"))
        #expect(!list.output.contains(" 8. Cancel meets the rest (done)"))
        let without = try await Program.run(
            ["lesson", "check", "7"], in: inside, environment: ["PATH": "/nowhere"])
        #expect(without.code == 1 && without.errors.contains("swift is not in PATH"))
    }

    @Test func `watch judges again when the file is saved, and ends when all are solved`()
        async throws
    {
        let exercises = folder.appendingPathComponent("Exercises")
        for lesson in Course.lessons {
            let inside = exercises.appendingPathComponent("\(lesson.exercise)/Sources")
            try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
            try Data("solved\n".utf8).write(to: inside.appendingPathComponent("Exercise.swift"))
        }
        try Data().write(to: exercises.appendingPathComponent("Package.swift"))
        let file = exercises.appendingPathComponent("07-plain-lock/Sources/Exercise.swift")
        try Data("broken\n".utf8).write(to: file)
        let done = LessonsDone(file: folder.appendingPathComponent("eras/lessons"))
        // Read, and not solved.
        done.add(7)
        // Stands in for the toolchain: it looks at the first line of the one file.
        let swift = folder.appendingPathComponent("swift")
        let script = """
            #!/bin/sh
            word=solved
            if [ "$4" = check-07 ]; then read -r word < "$3/07-plain-lock/Sources/Exercise.swift"; fi
            echo "$4 $word"
            : > "$3/$word-seen"
            [ "$word" = solved ]

            """
        try Data(script.utf8).write(to: swift)
        chmod(swift.path, 0o755)
        let environment = ["PATH": folder.path, "XDG_STATE_HOME": folder.path, "LANG": "C"]
        let seen = exercises.appendingPathComponent("broken-seen").path
        let ending = try await Program.run(
            ["lesson", "watch"], in: exercises, environment: environment
        ) { _ in
            await onNewThread {
                for _ in 0..<1_200 where !FileManager.default.fileExists(atPath: seen) {
                    usleep(50_000)
                }
            }
            // As an editor does: another file in the place of this one.
            try? Data("solved\n".utf8).write(to: file, options: .atomic)
        }
        #expect(ending.code == 0)
        #expect(ending.output.contains("check-06 solved\nExercise 7, 07-plain-lock."))
        let both = /check-07 broken\n[^\n]+Ctrl-C ends\.\n[^\n]+\n\ncheck-07 solved\n/
        #expect(ending.output.contains(both), "\(ending.output)")
        #expect(ending.output.hasSuffix("All exercises are solved.\n"))
        #expect(done.numbers == Set(1...18) && done.solved == Set(1...18))
    }

    @Test func `the folder of the exercises is looked for upwards, and then where it was built`()
        throws
    {
        #expect(ExerciseCheck.folder(from: folder, builtFrom: folder) == nil)
        let found = ExerciseCheck.folder(from: folder, builtFrom: packageFolder)
        #expect(found?.path == packageFolder.appendingPathComponent("Exercises").path)
    }

    @Test func `a recorded trace is shown as lines`() async throws {
        let ending = try await Program.run(["lesson", "trace", "3"], in: packageFolder)
        #expect(ending.code == 0)
        let lines = ending.output.split(separator: "\n")
        #expect(lines.count > 20 && lines.allSatisfy { $0.count <= 90 })
        #expect(ending.output.contains("in the queue"))
    }

    @Test func `the quiz shows its answers without a terminal`() async throws {
        let ending = try await Program.run(["quiz", "--language", "en"])
        #expect(ending.code == 0)
        #expect(
            ending.output.hasPrefix("1. The port on the network thread listens for messages.\n"))
        let words = ending.output.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.components(separatedBy: "shows it.").count == 25)
        #expect(ending.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(ending.errors.contains("Standard input is no terminal"))
        let quiet = try await Program.run(["quiz", "--no-guess"])
        #expect(quiet.errors.isEmpty)
    }
}
