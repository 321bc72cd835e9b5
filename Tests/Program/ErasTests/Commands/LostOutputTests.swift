import TestSupport

@testable import eras

@Suite("Standard output that ends, stalls or is closed", .timeLimit(.minutes(2)))
struct LostOutputTests {
    @Test(arguments: [["--json"], ["-o", "-"]])
    func `where it fails nothing more is fetched, and the code is 23`(options: [String])
        async throws
    {
        let world = TestWorld()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let ending = try await Program.run(
            ["fetch", "-q", "-o", world.directory] + options + [
                world.address("/ok"), world.address("/hang"),
            ], output: full)
        #expect(ending.code == 23, "\(ending.errors)")
        #expect(ending.errors.hasPrefix("eras: Could not write standard output: No space left"))
    }

    @Test(arguments: [["-o", "-"], ["--json"]])
    func `a reader that has ended ends it, and the cookies are written all the same`(
        options: [String]
    ) async throws {
        let world = TestWorld()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let ending = try await Program.run(
            ["fetch", "-q", "-o", world.directory, "-c", "\(world.directory)/jar"] + options + [
                world.address("/ok"), world.address("/hang"),
            ], output: pipe.fileHandleForWriting)
        #expect(ending.code == 23, "\(ending.errors)")
        #expect(world.contents("jar") != nil)
    }

    @Test(arguments: [
        (["lesson", "1", "--no-guess", "--html", "page.html"], ["page.html"]),
        (["compare", "ten-json-gets", "--runs", "1", "--html", "page.html"], ["page.html"]),
    ])
    func `a reader that has ended takes no page away, and nothing else is left`(
        arguments: [String], left: [String]
    ) async throws {
        let world = TestWorld()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let ending = try await Program.run(
            arguments, in: URL(fileURLWithPath: world.directory),
            environment: ["TMPDIR": world.directory], output: pipe.fileHandleForWriting)
        #expect(ending.code == 1, "\(ending.errors)")
        #expect(world.names == left)
    }

    @Test(
        arguments: [["run"], ["compare", "time-out-while-queued", "-q"]], Program.terminations)
    func `a termination leaves no folder behind`(arguments: [String], number: Int32) async throws {
        let world = TestWorld()
        let ending = try await Program.run(
            arguments, environment: ["TMPDIR": world.directory]
        ) { process in
            while process.isRunning, !world.names.contains(where: { $0.hasPrefix("eras-") }) {
                await Task.yield()
            }
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        #expect(world.names == [])
    }

    @Test func `a pipe that does not wait gets all bytes`() async throws {
        let world = TestWorld()
        let pipe = Pipe()
        let place = pipe.fileHandleForWriting
        #expect(fcntl(place.fileDescriptor, F_SETFL, O_WRONLY | O_NONBLOCK) == 0)
        let read = Latest(Data())
        let ending = try await Program.run(
            [
                "fetch", "-q", "-o", "-", world.address("/bytes/300000?seed=1"),
                world.address("/ok"),
            ],
            output: place
        ) { _ in
            #expect(await Self.isFull(pipe))
            await onNewThread {
                while read.value.count < 300_011 {
                    let more = pipe.fileHandleForReading.availableData
                    read.change { $0 += more }
                }
            }
        }
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(read.value == generated(1, 300_000) + Data("hello world".utf8))
    }

    @Test(arguments: [SIGINT] + Program.terminations)
    func `a signal ends it while its reader is blocked, and no file is left`(number: Int32)
        async throws
    {
        let world = TestWorld()
        let pipe = Pipe()
        let ending = try await Program.run(
            [
                "fetch", "-o", "-", world.address("/bytes/300000"), world.address("/ok"),
                world.address("/hang"),
            ], environment: ["TMPDIR": world.directory], output: pipe.fileHandleForWriting
        ) { process in
            #expect(await Self.isFull(pipe))
            #expect(world.names.contains { $0.hasPrefix("eras-fetch-") })
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        #expect(world.names == [])
        if number == SIGINT {
            #expect(ending.errors.contains("Interrupted; nothing is kept."))
            #expect(!ending.errors.contains("Run the same command again"))
        }
    }

    @Test(arguments: [(["-o", "-"], 23), ([], 0)])
    func `a closed one does not become another file`(
        options: [String], code: Int
    ) async throws {
        let world = TestWorld()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments =
            ["-c", "exec \"$0\" \"$@\" >&-", Program.executable.path, "fetch", "-q"]
            + (options.isEmpty ? ["-o", world.directory] : options) + [world.address("/ok")]
        try shell.run()
        await onNewThread { shell.waitUntilExit() }
        #expect(Int(shell.terminationStatus) == code)
        #expect(world.names == (code == 0 ? ["ok"] : []))
    }

    /// Waits until a pipe, which nobody reads, takes no more.
    private static func isFull(_ pipe: Pipe) async -> Bool {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        return await onNewThread {
            let end = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < end {
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                if poll(&place, 1, 0) == 0 { return true }
                sched_yield()
            }
            return false
        }
    }
}
