import TestSupport

@testable import eras

/// What many small files cost, as the system's calls of the built program.
@Suite("Many small files", .timeLimit(.minutes(5)))
struct SmallFilesTests {
    private static let count = 200
    private static let strace = "/usr/bin/strace"

    /// Not where the system lets no process watch another.
    private static let canCount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: strace)
        process.arguments = ["-f", "-o", "/dev/null", "/bin/true"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(.enabled(if: canCount))
    func `no small file is written through by itself, and nothing is removed that is not there`()
        async throws
    {
        let world = TestWorld()
        let list = "\(world.directory)/list"
        let urls = (0..<Self.count).map { world.address("/bytes/\(10_000 + $0)") }
        try Data(urls.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
        let trace = "\(world.directory)/trace"
        let watched =
            "trace=fsync,fdatasync,syncfs,sync,unlink,unlinkat,rename,renameat,renameat2,readlink"
        let ending = try await Program.run(
            [
                "-f", "-o", trace, "-e", watched, Program.executable.path, "fetch", "-q", "-i",
                list, "-o", "\(world.directory)/files",
            ], executable: URL(fileURLWithPath: Self.strace))
        #expect(ending.code == 0, "\(ending.errors)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        func count(_ name: String) -> Int {
            calls.count { $0.contains(" \(name)") && !$0.contains("resumed>") }
        }
        let removals = calls.filter { $0.contains("unlink") && $0.contains("ENOENT") }
        #expect(removals.count == 0, "\(removals.prefix(3))")
        #expect(count("fsync(") + count("fdatasync(") <= Self.count / 20)
        #expect(count("rename") <= Self.count, "One for each file, and none for a record.")
        #expect(count("readlink(") <= Self.count)
        let files = try FileManager.default.contentsOfDirectory(atPath: "\(world.directory)/files")
        #expect(files.count == Self.count && files.allSatisfy { !$0.contains(".part") })
        // Before it ends, so that what was fetched outlasts a power cut.
        #expect(count("syncfs(") == 1)
    }

    @Test func `kill -9 leaves no wrong file under its name, and the next run ends the work`()
        async throws
    {
        let world = TestWorld()
        let sizes = 9_000..<9_400
        let urls = sizes.map { world.address("/bytes/\($0)?seed=3") }
        let list = "\(world.directory)/list"
        try Data(urls.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: list))
        let folder = "\(world.directory)/files"
        let arguments = ["fetch", "-q", "-i", list, "-o", folder]
        @Sendable func names() -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }
        for part in 1...4 {
            _ = try await Program.run(arguments) { process in
                while process.isRunning, names().count < part * 40 { await Task.yield() }
                kill(process.processIdentifier, SIGKILL)
            }
            for name in names() where !name.contains(".part") {
                let size = try #require(Int64(name))
                #expect(world.contents("files/" + name) == generated(3, size), "\(name)")
            }
        }
        let last = try await Program.run(arguments)
        #expect(last.code == 0, "\(last.errors)")
        #expect(Set(names()) == Set(sizes.map(String.init)))
    }
}
