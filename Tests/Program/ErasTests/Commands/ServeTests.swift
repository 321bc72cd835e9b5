import DrawnPictures
import NetworkImages
import TestSupport

@testable import eras

@Suite("The program serves", .timeLimit(.minutes(2)))
struct ServeTests {
    /// A server in a process of its own; what it printed up to the end of its list.
    private func serve(
        _ options: [String], environment: [String: String] = [:], log: Any? = nil,
        ignoring signals: String? = nil, endedBy number: Int32 = SIGINT,
        _ body: ([String], pid_t) async throws -> Void
    ) async throws {
        let process = Process()
        process.executableURL = Program.executable
        process.arguments = ["serve"] + options
        if let signals {
            let program = Program.executable.path
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments =
                ["-c", "trap '' \(signals); exec \"$0\" \"$@\"", program, "serve"] + options
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        process.standardError = log ?? FileHandle.nullDevice
        try process.run()
        defer {
            if process.isRunning { kill(process.processIdentifier, number) }
            process.waitUntilExit()
        }
        var text = ""
        while !text.contains(#/ ends it[.:].*\n/#) {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += String(decoding: more, as: UTF8.self)
        }
        try await body(text.components(separatedBy: "\n"), process.processIdentifier)
    }

    /// The processor time of a process, in the system's ticks.
    private func ticks(of process: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // The name, in parentheses, may have spaces; the times are the 14th and the 15th field.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        return try [12, 13].reduce(0) { $0 + (try #require(Int(fields[$1]))) }
    }

    @Test func `what a newcomer tries is there`() async throws {
        try await serve([]) { lines, _ in
            for path in [
                "/get", "/post", "/range/N", "/stream/N", "/ip", "/uuid", "/image", "/image/png",
                "/image/jpeg", "/image/webp", "/gzip", "/brotli", "/links/N/OFFSET", "/forms/post",
                "/digest-auth/QOP/USER/PASS", "/gate/NAME", "/hang", "/pictures/",
                "/pictures/list.txt",
            ] {
                #expect(lines.contains { $0.hasPrefix("  \(path) ") }, "\(path)")
            }
            let world = TestWorld()
            let ending = try await Program.run(
                ["fetch", "-o", world.directory, lines[0] + "range/26"])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(world.contents("26") == Data("abcdefghijklmnopqrstuvwxyz".utf8))
        }
    }

    @Test(arguments: [[], ["-q"]])
    func `each request is a line, without control characters, unless quiet`(options: [String])
        async throws
    {
        let log = Pipe()
        try await serve(options, log: log) { lines, _ in
            let world = TestWorld()
            for path in ["status/404?a", "close", "%1B\u{7F}"] {
                _ = await world.fetch(lines[0] + path)
            }
        }
        try log.fileHandleForWriting.close()
        let text = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let expected = "GET /status/404?a 404\nGET /close -\n"
        #expect(options.isEmpty ? text.hasPrefix(expected) : text.isEmpty, "\(text)")
    }

    /// More lines than a pipe or a terminal takes.
    private func fillLog(of address: String) async throws {
        let world = TestWorld()
        let query = String(repeating: "x", count: 180)
        let urls = (1...500).map { "\(address)bytes/1?\($0)\(query)" }
        let ending = try await Program.run(
            ["fetch", "-q", "--timeout", "20", "-o", world.directory] + urls)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.names.count == 500)
    }

    @Test func `it answers while its log is not read, and ends`() async throws {
        try await serve([], log: Pipe()) { lines, _ in try await fillLog(of: lines[0]) }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `it ends while its log is written to a terminal that nobody reads`(number: Int32)
        async throws
    {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(terminal) }
        var (lock, pane): (Int32, UInt32) = (0, 0)
        // TIOCSPTLCK and TIOCGPTN, which Swift does not import.
        try #require(ioctl(terminal, 0x4004_5431, &lock) == 0)
        try #require(ioctl(terminal, 0x8004_5430, &pane) == 0)
        let log = open("/dev/pts/\(pane)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(log) }
        let handle = FileHandle(fileDescriptor: log)
        try await serve([], log: handle) { lines, process in
            try await fillLog(of: lines[0])
            kill(process, number)
        }
    }

    @Test(arguments: [
        ("INT", SIGTERM, "SIGTERM ends it: kill"),
        ("INT TERM", SIGKILL, "SIGKILL ends it: kill -9"),
    ])
    func `where Ctrl-C does not end it, it says which signal does`(
        signals: String, number: Int32, sentence: String
    ) async throws {
        try await serve([], ignoring: signals, endedBy: number) { lines, process in
            #expect(lines.contains("\(sentence) \(process)"), "\(lines.suffix(2))")
            #expect(!lines.contains { $0.contains("Ctrl-C") })
            kill(process, SIGINT)
            let world = TestWorld()
            let result = try #require(await world.fetch(lines[0] + "get").first)
            #expect(result.error == nil)
        }
    }

    @Test(arguments: [SIGINT] + Program.terminations)
    func `its certificates are removed at the end, also after SIGTERM`(number: Int32)
        async throws
    {
        let world = TestWorld()
        try await serve(["--tls"], environment: ["TMPDIR": world.directory]) { _, process in
            #expect(world.names.count == 1)
            kill(process, number)
        }
        #expect(world.names == [])
    }

    @Test func `its pictures have an index and a list of their addresses`() async throws {
        try await serve([]) { lines, _ in
            let world = TestWorld()
            let ending = try await Program.run([
                "fetch", "-o", world.directory, "--input", lines[0] + "pictures/list.txt",
                lines[0] + "pictures/",
            ])
            #expect(ending.code == 0, "\(ending.errors)")
            let pictures = try GeneratedPicture.all()
            let index = String(decoding: try #require(world.contents("index")), as: UTF8.self)
            for picture in pictures {
                #expect(world.contents(picture.name) == picture.data)
                #expect(index.contains("<img src=\"\(picture.name)\""))
            }
        }
    }

    @Test func `its first answer in JSON does not wait for tables of languages`() async throws {
        let shares = Latest<[Double]>([])
        for _ in 1...3 {
            try await serve([]) { lines, process in
                let world = TestWorld()
                let start = try ticks(of: process)
                let result = try #require(await world.fetch(lines[0] + "get").first)
                #expect(result.error == nil)
                let share = Double(try ticks(of: process) - start) / Double(max(1, start))
                shares.change { $0.append(share) }
            }
        }
        // The tables take a third of what it takes to start.
        #expect((shares.value.min() ?? 1) < 0.25, "\(shares.value)")
    }

    @Test func `over TLS it says where its certificates are, and removes them`() async throws {
        let paths = Latest<[String]>([])
        try await serve(["--tls"]) { lines, _ in
            #expect(lines[0].hasPrefix("https://127.0.0.1:"))
            let files = lines.map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { $0.hasPrefix("/") && ($0.hasSuffix(".pem") || $0.hasSuffix(".cer")) }
            paths.value = files
            #expect(files.count == 2)
            #expect(files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let world = TestWorld()
            let arguments = ["fetch", "-o", world.directory, lines[0] + "uuid"]
            let stranger = try await Program.run(arguments)
            #expect(stranger.code == 35)
            #expect(stranger.errors.contains("certificate"), "\(stranger.errors)")
            let friend = try await Program.run(arguments, environment: ["SSL_CERT_FILE": files[0]])
            #expect(friend.code == 0, "\(friend.errors)")
        }
        #expect(paths.value.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
    }
}
