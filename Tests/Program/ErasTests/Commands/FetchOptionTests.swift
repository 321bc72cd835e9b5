import OperationNetworking
import TestSupport

@testable import eras

@Suite("Options of fetch at work", .timeLimit(.minutes(2)))
struct FetchOptionTests {
    private func fetch(
        _ world: TestWorld, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> Program.Ending {
        try await Program.run(
            ["fetch", "-o", world.directory, "--retries", "0"] + arguments, environment: environment
        )
    }

    private func write(_ text: String, _ world: TestWorld, _ name: String) throws -> String {
        let path = "\(world.directory)/\(name)"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func `header fields and cookies go out, and cookies come into the jar`() async throws {
        let world = TestWorld()
        world.server.add("/set") { _ in
            .text("x", headers: [("Set-Cookie", "new=1; Max-Age=1000"), ("Set-Cookie", "s=2")])
        }
        let jar = "\(world.directory)/jar"
        let old = try write("127.0.0.1\tFALSE\t/\tFALSE\t0\told\tyes\n", world, "old")
        let ending = try await fetch(
            world,
            [
                "-H", "X-One: 1", "-A", "me", "-b", "a=b", "-b", old, "-c", jar,
                world.address("/set"),
            ])
        #expect(ending.code == 0, "\(ending.errors)")
        let request = try #require(world.server.requests.first)
        #expect(request.headers["X-One"] == "1" && request.headers["User-Agent"] == "me")
        let sent = Set((request.headers["Cookie"] ?? "").components(separatedBy: "; "))
        #expect(sent == ["a=b", "old=yes"])
        let kept = CookieText.cookies(
            String(decoding: world.contents("jar") ?? Data(), as: UTF8.self))
        #expect(Set(kept.map(\.name)) == ["a", "old", "new", "s"])
        let mode = try FileManager.default.attributesOfItem(atPath: jar)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try await fetch(world, ["-b", jar, world.address("/ok")])
        #expect(again.code == 0)
        #expect(world.server.requests.last?.headers["Cookie"]?.contains("new=1") == true)
    }

    @Test func `users come from the arguments or from a netrc file`() async throws {
        let world = TestWorld()
        let netrc = try write("machine 127.0.0.1 login user password pass\n", world, "netrc")
        for options in [["-u", "user:pass"], ["--netrc-file", netrc]] {
            let ending = try await fetch(world, options + ["--force", world.address("/basic")])
            #expect(ending.code == 0, "\(ending.errors)")
        }
        let address = world.address("/basic?pass=p%40s").replacingOccurrences(
            of: "://", with: "://user:p%40s@")
        let inURL = try await fetch(world, ["--force", address])
        #expect(inURL.code == 0, "\(inURL.errors)")
        let other = TestWorld()
        let elsewhere = address.replacingOccurrences(
            of: "/basic?pass=p%40s", with: "/redirect?to=" + other.address("/basic?pass=p%2540s"))
        let strange = try await fetch(world, ["--force", elsewhere])
        #expect(strange.code == 22)
        #expect(other.server.requests.allSatisfy { $0.headers["Authorization"] == nil })
        let refused = try await fetch(world, ["--force", world.address("/basic")])
        #expect(refused.code == 22)
        #expect(refused.errors.contains("Give a user with -u or --netrc."))
    }

    @Test func `standard output gets whole files, in the order of the list`() async throws {
        let world = TestWorld()
        world.server.hold("door")
        world.server.add("/slow") { _ in .text("first ").after(.wait(gate: "door")) }
        world.server.add("/quick") { _ in .text("second ") }
        let arguments = [
            "fetch", "-o", "-", "-q", "-j", "2", "--retries", "0", world.address("/slow"),
            world.address("/quick"), world.address("/truncated"), world.address("/ok"),
        ]
        let ending = try await Program.run(arguments) { _ in
            // Two at once, so the last is asked for when the two before it are over.
            #expect(
                await world.server.sees { _, requests in requests.contains { $0.path == "/ok" } })
            world.server.release("door")
        }
        #expect(ending.output == "first second hello world")
        #expect(ending.code == 7, "\(ending.errors)")
    }

    @Test func `a file with a wrong sum is discarded, with an exit code of its own`() async throws {
        let world = TestWorld()
        let right = try hash(generated(3))
        let good = try await fetch(world, ["--sha256", right, world.address("/bytes/1000?seed=3")])
        #expect(good.code == 0)
        let wrong = try await fetch(world, ["--sha256", right, world.address("/bytes/999?seed=3")])
        #expect(wrong.code == 32 && world.names == ["1000"])
        let sums = try write("\(right)  1000\n\(right)  998\n", world, "sums")
        let both = try await fetch(
            world,
            ["--sums", sums, world.address("/bytes/1000?seed=3"), world.address("/bytes/998")])
        #expect(both.code == 32 && world.names == ["1000", "sums"])
        let there = try await fetch(
            world, ["--sha256", right, world.address("/bytes/1000?seed=4")])
        #expect(there.code == 0, "It has the sum already.")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(world.directory)/1000"))
        let other = try await fetch(
            world, ["--sha256", right, world.address("/bytes/1000?seed=3")])
        #expect(other.code == 32 && other.errors.contains("it has another sum"))
        #expect(world.contents("1000") == Data("mine".utf8))
        let missing = try await fetch(world, ["--sums", sums, world.address("/ok")])
        #expect(missing.code == 2 && missing.errors.contains("has no sum for ok."))
    }

    @Test func `with -J a file gets the server's name, without what is dangerous in it`()
        async throws
    {
        let world = TestWorld()
        world.server.add("/download") { request in
            .text(
                "named",
                headers: [("Content-Disposition", "attachment; filename=\"../../evil name.txt\"")])
        }
        let first = try await fetch(world, ["-J", world.address("/download")])
        #expect(first.code == 0 && world.names == ["evil name.txt"], "\(first.errors)")
        let count = world.server.requests.count
        let again = try await fetch(world, ["-J", world.address("/download")])
        #expect(again.code == 0 && world.names == ["evil name.txt"])
        // It is known where the file system keeps marks, and compared elsewhere.
        let isMarked = !FileOrigin.names(in: world.directory).isEmpty
        #expect((world.server.requests.count == count) == isMarked)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(world.directory)/evil name.txt"))
        let numbered = try await fetch(world, ["-J", world.address("/download")])
        #expect(numbered.code == 0 && world.contents("evil name.txt") == Data("mine".utf8))
        #expect(world.contents("evil name-2.txt") == Data("named".utf8))
    }

    @Test func `each kind of failure has its code`() async throws {
        let world = TestWorld()
        let free = LoopbackServer()
        try free.start()
        let nobody = free.url("/x").absoluteString
        free.stop()
        let https = world.address("/ok").replacingOccurrences(of: "http:", with: "https:")
        let cases: [([String], Int32)] = [
            ([nobody], 7), ([world.address("/close")], 7),
            ([world.address("/status/503")], 22),
            (["http://\(String(repeating: "a", count: 70)).test/"], 6),
            (["--sha256", String(repeating: "0", count: 64), world.address("/ok")], 32),
            (["-m", "0.2", world.address("/hang")], 28),
            (["--timeout", "0.2", world.address("/hang")], 28), (["--nope"], 2),
            (["--cacert", "/nowhere", https], 23), (["-x", "ftp://h", https], 2),
            ([world.address("/status/404"), nobody], 1),
        ]
        for (arguments, code) in cases {
            let ending = try await fetch(world, arguments)
            #expect(ending.code == code, "\(arguments): \(ending.errors)")
        }
    }

    @Test
    func
        `one file is written to standard output as it arrives, and continues after a lost connection`()
        async throws
    {
        let world = TestWorld()
        world.addGated()
        let pipe = Pipe()
        let first = Latest(Data())
        let code = try await Program.run(
            ["fetch", "-q", "-o", "-", world.address("/gated")], output: pipe.fileHandleForWriting
        ) { _ in
            // The first bytes are there while the server holds the rest.
            await onNewThread {
                while first.value.count < 600 {
                    let more = pipe.fileHandleForReading.availableData
                    first.change { $0 += more }
                }
            }
            world.server.release("middle")
        }.code
        try pipe.fileHandleForWriting.close()
        let rest = try pipe.fileHandleForReading.readToEnd() ?? Data()
        #expect(code == 0 && first.value + rest == generated(9))
        let cut = try await Program.run([
            "fetch", "-q", "-o", "-", world.address("/cut-text"),
        ])
        #expect(cut.code == 22 && cut.output.isEmpty)
    }

    @Test
    func `written output is not repeated, and a reader that ends is exit code 23`()
        async throws
    {
        let world = TestWorld()
        world.server.add("/changes") { request in
            let isFirst = request.headers["Range"] == nil
            let text = isFirst ? "first " : "second"
            let head = ScriptedResponse.head(
                200, [("Content-Length", "12"), ("ETag", isFirst ? "\"1\"" : "\"2\"")])
            return ScriptedResponse([.bytes(head), .bytes(Data(text.utf8)), .close])
        }
        let ending = try await Program.run([
            "fetch", "-q", "-o", "-", "--retries", "1", world.address("/changes"),
        ])
        #expect(ending.code == 1 && ending.output == "first ")
        #expect(ending.errors.contains("6 bytes have gone out already"), "\(ending.errors)")
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let lost = try await Program.run(
            ["fetch", "-q", "-o", "-", world.address("/ok")], output: full)
        #expect(lost.code == 23, "\(lost.errors)")
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let closed = try await Program.run(
            ["fetch", "-q", "-o", "-", world.address("/bytes/1000000")],
            output: pipe.fileHandleForWriting)
        #expect(closed.code == 23, "\(closed.errors)")
    }

    @Test func `a file that waits for its retry does not delay other hosts' files`() async throws {
        let world = TestWorld()
        let other = TestWorld()
        let asked = Latest(0)
        let order = Latest<[String]>([])
        world.server.add("/busy") { _ in
            order.change { $0.append("busy") }
            guard asked.change({ $0 += 1 }) == 1 else { return .text("now") }
            return .text("later", status: 503, headers: [("Retry-After", "1")])
        }
        for name in ["one", "two"] {
            other.server.add("/\(name)") { _ in
                order.change { $0.append(name) }
                return .text(name)
            }
        }
        let ending = try await Program.run([
            "fetch", "-q", "-j", "1", "-o", world.directory, world.address("/busy"),
            other.address("/one"), other.address("/two"),
        ])
        #expect(ending.code == 0 && world.names == ["busy", "one", "two"])
        #expect(order.value == ["busy", "one", "two", "busy"])
    }

    @Test func `a file is fetched in segments where an option asks for it`() async throws {
        let world = TestWorld()
        let ending = try await fetch(
            world,
            [
                "--segments", "4", "--min-split-size", "10k",
                world.address("/rate/1000000?bps=300000&seed=3"),
            ])
        #expect(ending.code == 0 && world.contents("1000000") == generated(3, 1_000_000))
        // How many depends on the machine; one that stands still has the file before it is watched.
        #expect(world.ranges.first == "-" && world.ranges.count > 1)
    }

    @Test func `a proxy is used where one is named, the environment's only on demand`() async throws
    {
        let world = TestWorld()
        let proxy = ["http_proxy": world.server.baseURL.absoluteString]
        let far = "http://far.test/ok"
        let named = try await fetch(world, ["-x", "127.0.0.1:\(world.server.port)", far])
        let asked = try await fetch(world, ["--force", "--proxy-env", far], environment: proxy)
        #expect(named.code == 0 && asked.code == 0, "\(named.errors)\(asked.errors)")
        #expect(world.server.requests.count == 2)
        let unasked = try await fetch(
            world, [world.address("/bytes/10")], environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(unasked.code == 0)
    }

    @Test func `a sum for one URL is no mistake in the job that gets none`() async throws {
        let world = TestWorld()
        let sum = ["--sha256", try hash(Data("hello world".utf8)), world.address("/ok")]
        for number in 1...2 {
            let ending = try await fetch(world, ["--shard", "\(number)/2"] + sum)
            #expect(ending.code == 0, "\(ending.errors)")
        }
        #expect(world.server.requests.count == 1)
    }

    @Test func `as many files as -j says are fetched from one server at once`() async throws {
        let world = TestWorld()
        let gates = (0..<9).map { "g\($0)" }
        gates.forEach { world.server.hold($0) }
        let ending = try await Program.run(
            ["fetch", "-q", "-j", "9", "-o", world.directory]
                + gates.map { world.address("/gate/\($0)") }
        ) { _ in
            #expect(await world.server.sees { statistics, _ in statistics.inFlight == 9 })
            gates.forEach { world.server.release($0) }
        }
        #expect(ending.code == 0, "\(ending.errors)")
    }

    @Test func `values of one field are joined, and one that cannot be sent is reported`()
        async throws
    {
        let world = TestWorld()
        let ending = try await fetch(
            world,
            [
                "-H", "X-One: 1", "-H", "x-one: 2", "-H", "User-Agent: a", "-A", "b",
                world.address("/ok"),
            ])
        #expect(ending.code == 0)
        let request = try #require(world.server.requests.first)
        #expect(request.headers["X-One"] == "1, 2" && request.headers["User-Agent"] == "b")
        for (field, reason) in [
            ("Na(me: x", "is not a token"), ("Transfer-Encoding: gzip", "Transfer-Encoding"),
        ] {
            let refused = try await fetch(world, ["-H", field, world.address("/bytes/1")])
            #expect(refused.code == 2 && refused.errors.hasPrefix("eras: -H: "))
            #expect(refused.errors.contains(reason), "\(refused.errors)")
        }
        #expect(world.server.requests.count == 1)
    }

    @Test func `jobs that share a list fetch each file once`() async throws {
        let world = TestWorld()
        let list = try write(
            (0..<12).map { world.address("/bytes/10?seed=\($0)") }.joined(separator: "\n"), world,
            "list"
        )
        for number in 1...3 {
            let ending = try await fetch(world, ["-i", list, "--shard", "\(number)/3"])
            #expect(ending.code == 0)
        }
        #expect(world.server.requests.count == 12)
        for seed in 0..<12 {
            let name = seed == 0 ? "10" : "10-\(seed + 1)"
            #expect(world.contents(name) == generated(UInt64(seed), 10))
        }
    }

    @Test func `the program names itself, unless another name or none is given`() async throws {
        let world = TestWorld()
        for (options, name) in [
            ([], "eras/\(ProgramVersion.text)"), (["-A", "me"], "me"),
            (["-H", "user-agent: you"], "you"),
            (["-A", ""], nil), (["-H", "User-Agent:"], nil),
        ] as [([String], String?)] {
            world.server.resetLog()
            let ending = try await fetch(world, ["--force"] + options + [world.address("/ok")])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(world.server.requests.map { $0.headers["User-Agent"] } == [name], "\(options)")
        }
        world.server.resetLog()
        let list = try await fetch(world, ["--force", "-i", world.address("/ok")])
        #expect(list.code != 0)
        #expect(
            world.server.requests.first?.headers["User-Agent"] == "eras/\(ProgramVersion.text)")
    }

    @Test func `an address that is twice in the list is fetched once`() async throws {
        let world = TestWorld()
        let one = world.address("/bytes/10?seed=1")
        let list = try write(
            "\u{FEFF}\(one) # a note\r\n\(world.address("/bytes/10?seed=2"))\n\n#x\n\(one)\t# again\n",
            world, "list")
        let ending = try await fetch(world, ["--json", "-i", list, one])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.server.requests.count == 2 && world.names == ["10", "10-2", "list"])
        #expect(ending.output.split(separator: "\n").count == 2)
        #expect(world.contents("10") == generated(1, 10))
    }
}
