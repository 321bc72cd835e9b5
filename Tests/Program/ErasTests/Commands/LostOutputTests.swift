import TestSupport

@testable import eras

@Suite("Standard output that ends, stalls or is closed", .timeLimit(.minutes(2)))
struct LostOutputTests {
    private func url(_ room: FetchRoom, _ path: String) -> String {
        room.server.url(path).absoluteString
    }

    @Test(arguments: [["--json"], ["-o", "-"]])
    func `where it fails nothing more is fetched, and the code is 23`(options: [String])
        async throws
    {
        let room = try FetchRoom()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let ending = try await Program.run(
            ["fetch", "-q", "-o", room.directory] + options + [
                url(room, "/ok"), url(room, "/hang"),
            ], output: full)
        #expect(ending.code == 23, "\(ending.errors)")
        #expect(ending.errors.hasPrefix("eras: Could not write standard output: No space left"))
    }

    @Test(arguments: [["-o", "-"], ["--json"]])
    func `a reader that has ended ends it, and the cookies are written all the same`(
        options: [String]
    ) async throws {
        let room = try FetchRoom()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let ending = try await Program.run(
            ["fetch", "-q", "-o", room.directory, "-c", "\(room.directory)/jar"] + options + [
                url(room, "/ok"), url(room, "/hang"),
            ], output: pipe.fileHandleForWriting)
        #expect(ending.code == 23, "\(ending.errors)")
        #expect(room.contents("jar") != nil)
    }

    @Test(arguments: [
        (["lesson", "1", "--no-guess", "--html", "page.html"], ["page.html"]),
        (["compare", "ten-json-gets", "--runs", "1", "--html", "page.html"], ["page.html"]),
    ])
    func `a reader that has ended takes no page away, and nothing else is left`(
        arguments: [String], left: [String]
    ) async throws {
        let room = try FetchRoom()
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let ending = try await Program.run(
            arguments, in: URL(fileURLWithPath: room.directory),
            environment: ["TMPDIR": room.directory], output: pipe.fileHandleForWriting)
        #expect(ending.code == 1, "\(ending.errors)")
        #expect(room.names == left)
    }

    @Test(
        arguments: [["run"], ["compare", "time-out-while-queued", "-q"]], Program.terminations)
    func `a termination leaves no folder behind`(arguments: [String], number: Int32) async throws {
        let room = try FetchRoom()
        let ending = try await Program.run(
            arguments, environment: ["TMPDIR": room.directory]
        ) { process in
            while process.isRunning, !room.names.contains(where: { $0.hasPrefix("eras-") }) {
                await Task.yield()
            }
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        #expect(room.names == [])
    }

    @Test func `a pipe that does not wait gets all bytes`() async throws {
        let room = try FetchRoom()
        let pipe = Pipe()
        let place = pipe.fileHandleForWriting
        #expect(fcntl(place.fileDescriptor, F_SETFL, O_WRONLY | O_NONBLOCK) == 0)
        let read = Latest(Data())
        let ending = try await Program.run(
            ["fetch", "-q", "-o", "-", url(room, "/bytes/300000?seed=1"), url(room, "/ok")],
            output: place
        ) { _ in
            #expect(await Self.isFull(pipe))
            await aside {
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
    func `a signal ends it while a reader stands still, and nothing is left`(number: Int32)
        async throws
    {
        let room = try FetchRoom()
        let pipe = Pipe()
        let ending = try await Program.run(
            [
                "fetch", "-o", "-", url(room, "/bytes/300000"), url(room, "/ok"),
                url(room, "/hang"),
            ], environment: ["TMPDIR": room.directory], output: pipe.fileHandleForWriting
        ) { process in
            #expect(await Self.isFull(pipe))
            #expect(room.names.contains { $0.hasPrefix("eras-fetch-") })
            kill(process.processIdentifier, number)
        }
        #expect(ending.code == 128 + number, "\(ending.errors)")
        #expect(room.names == [])
        if number == SIGINT {
            #expect(ending.errors.contains("Interrupted; nothing is kept."))
            #expect(!ending.errors.contains("Run the same command again"))
        }
    }

    @Test(arguments: [(["-o", "-"], 23), ([], 0)])
    func `a closed one does not become another file`(
        options: [String], code: Int
    ) async throws {
        let room = try FetchRoom()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments =
            ["-c", "exec \"$0\" \"$@\" >&-", Program.executable.path, "fetch", "-q"]
            + (options.isEmpty ? ["-o", room.directory] : options) + [url(room, "/ok")]
        try shell.run()
        await aside { shell.waitUntilExit() }
        #expect(Int(shell.terminationStatus) == code)
        #expect(room.names == (code == 0 ? ["ok"] : []))
    }

    /// Waits until a pipe, which nobody reads, takes no more.
    private static func isFull(_ pipe: Pipe) async -> Bool {
        let descriptor = pipe.fileHandleForWriting.fileDescriptor
        return await aside {
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
