import TestSupport

@testable import eras

// One after the other: a process has one recorder.
@Suite("Children of a comparison", .serialized, .timeLimit(.minutes(1)))
struct ChildProcessTests {
    private static let ground = URL(fileURLWithPath: "/")

    /// A run whose child is a shell script.
    private func run(_ script: String, limit: Double = 30) throws -> ColumnRun {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("child-\(UUID().uuidString)")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        return ColumnRun(
            TenJSONGets(), .connection, executable: file, ground: Self.ground, limit: limit)
    }

    @Test func `one that ends with a code is a failure with what it said`() throws {
        let run = try run("echo so far; echo no more >&2; exit 7")
        #expect(run.failure == "it ended with exit code 7: no more")
    }

    @Test func `one that crashes is a failure`() throws {
        let run = try run("kill -SEGV $$")
        #expect(run.failure == "it ended with signal 11")
    }

    @Test func `one that takes too long is ended`() throws {
        let run = try run("exec sleep 60", limit: 1)
        #expect(run.failure == "it was not over after 1 s")
    }

    @Test func `one that has ended is not killed, because its identifier may be another's`()
        async throws
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        await onNewThread { process.waitUntilExit() }
        let watchdog = Watchdog(process, limit: 0)
        // Comes after the watchdog's block.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { continuation.resume() }
        }
        #expect(!watchdog.end())
    }

    @Test func `one that reports nothing is a failure`() throws {
        let run = try run("exit 0")
        #expect(run.failure == "it ended with exit code 0")
    }

    @Test func `one hears of no proxy`() {
        let own = ["http_proxy": "p", "HTTPS_PROXY": "p", "no_proxy": "h", "PATH": "/bin"]
        #expect(
            ChildProcess.environment(from: own) == ["PATH": "/bin", "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test func `a program that is not there is a failure`() {
        let run = ColumnRun(
            TenJSONGets(), .connection, executable: URL(fileURLWithPath: "/nowhere/eras"),
            ground: Self.ground)
        #expect(run.failure?.hasPrefix("it could not be started: ") == true)
    }

    @Test func `a scenario that cannot be run says why`() throws {
        let report =
            #"{"report":{"_0":{"outcomes":[],"callbacks":[],"peakThreads":1,"#
            + #""wallMilliseconds":0,"processorMilliseconds":0,"began":0,"error":"no port"}}}"#
        #expect(try run("echo '\(report)'; exit 1").failure == "no port")
    }

    @Test func `lines that are no message are passed over`() {
        #expect(ChildMessage(line: Data("hello".utf8)) == nil)
        let message = ChildMessage.whenReached(number: 3, gate: "door", count: 2)
        guard case .whenReached(3, "door", 2) = ChildMessage(line: message.line) else {
            Issue.record("It is not what was sent.")
            return
        }
    }
}
