import TestSupport

@testable import eras

@Suite("A fetch with few descriptors", .timeLimit(.minutes(5)))
struct FewDescriptorsFetchTests {
    private func fetch(
        _ path: String, of hosts: Int, _ world: TestWorld, limit: Int, _ arguments: [String]
    ) async throws -> Program.Ending {
        let urls = (0..<hosts).map { "http://h\($0).localhost:\(world.server.port)\(path)" }
        return try await Program.run(
            ["-c", "ulimit -n \(limit); exec \"$0\" \"$@\"", Program.executable.path, "fetch"]
                + arguments + ["-q", "-o", world.directory] + urls,
            executable: URL(fileURLWithPath: "/bin/sh"))
    }

    @Test(arguments: [1, 4])
    func `files of 150 hosts are all fetched where 64 may be open`(jobs: Int) async throws {
        let world = TestWorld()
        let ending = try await fetch(
            "/ok", of: 150, world, limit: 64, ["-j", "\(jobs)", "--retries", "0"])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.names.count == 150)
    }

    @Test func `what can be opened no more is said with the limit's name`() async throws {
        let world = TestWorld()
        world.server.hold("door")
        // Each has a connection, and none is idle.
        let ending = try await fetch(
            "/gate/door", of: 64, world, limit: 56,
            ["-j", "64", "--retries", "0", "--timeout", "2"])
        #expect(ending.code != 0)
        let failures = ending.errors.split(separator: "\n").filter { $0.contains("failed") }
        #expect(failures.contains { $0.contains("RLIMIT_NOFILE") }, "\(failures)")
        #expect(!failures.contains { $0.contains("No server accepts connections") }, "\(failures)")
        #expect(!failures.contains { $0.contains("no download made it") }, "\(failures)")
    }
}
