import Lessons
import TestSupport

@testable import eras

@Suite("An experiment in a process of its own", .timeLimit(.minutes(2)))
struct ExperimentProcessTests {
    /// A program in place of the child.
    private func program(_ script: String) throws -> URL {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("child-\(UUID().uuidString)")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        chmod(file.path, 0o755)
        return file
    }

    private func reason(_ script: String, limit: Double = 30) async throws -> String? {
        let file = try program(script)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = ExperimentProcess(lesson: 7, executable: file, limit: limit)
        let ending = await onThread { process.run() }
        if case .failed(let reason) = ending { return reason }
        return nil
    }

    private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: body()) }.start()
        }
    }

    @Test func `what the child says instead of a result is reported`() async throws {
        #expect(try await reason("echo '{\"error\":\"no room\"}'; exec cat") == "no room")
        #expect(
            try await reason("echo broken >&2; exit 3") == "it ended without a result: broken")
        #expect(try await reason("echo nonsense; exec cat") == "it ended without a result")
    }

    @Test func `a child that says nothing is ended in time`() async throws {
        #expect(try await reason("exec sleep 60", limit: 0.2) == "it was not over after 0 s")
    }

    @Test func `a program that is not there is reported`() async {
        let process = ExperimentProcess(
            lesson: 7, executable: URL(fileURLWithPath: "/nowhere/at/all"))
        let ending = await onThread { process.run() }
        guard case .failed(let reason) = ending else {
            Issue.record("It ran.")
            return
        }
        #expect(reason.hasPrefix("it could not be started: "))
    }

    /// Lesson 7 leaves a thread that waits for its own lock.
    @Test func `a child that never ends by itself is killed after its result`()
        async throws
    {
        let line = #"{"result":{"variants":["correct"],"facts":[],"answer":1}}"#
        let note = FileManager.default.temporaryDirectory
            .appendingPathComponent("pid-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: note) }
        let file = try program("echo $$ >\(note.path); echo '\(line)'; exec sleep 60")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = ExperimentProcess(lesson: 7, executable: file)
        let ending = await onThread { process.run() }
        guard case .result(let result) = ending else {
            Issue.record("There was no result.")
            return
        }
        #expect(result.answer == 1)
        let text = try String(contentsOf: note, encoding: .utf8)
        let number = try #require(pid_t(text.trimmingCharacters(in: .newlines)))
        #expect(kill(number, 0) == -1 && errno == ESRCH)
    }
}
