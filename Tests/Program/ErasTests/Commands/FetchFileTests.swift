import OperationNetworking
import TestSupport

@testable import eras

/// Names, places, times and sums of files, and what becomes of files that are there.
@Suite("Files of fetch", .timeLimit(.minutes(2)))
struct FetchFileTests {
    private func fetch(_ world: TestWorld, _ arguments: [String]) async throws -> Program.Ending {
        try await Program.run(
            ["fetch", "--retries", "0"] + arguments, in: URL(fileURLWithPath: world.directory))
    }

    private func write(_ text: String, _ world: TestWorld, _ name: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(world.directory)/\(name)"))
    }

    private func objects(_ ending: Program.Ending) throws -> [[String: Any]] {
        try ending.output.split(separator: "\n").map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    @Test func `-o names the file of one URL, and the directory of several`() async throws {
        let world = TestWorld()
        let one = try await fetch(world, ["-o", "deep/er/b.bin", world.address("/bytes/10")])
        #expect(one.code == 0, "\(one.errors)")
        #expect(world.contents("deep/er/b.bin")?.count == 10)
        let inside = try await fetch(world, ["-o", "deep", world.address("/bytes/11")])
        #expect(inside.code == 0 && world.contents("deep/11")?.count == 11)
        let new = try await fetch(world, ["-o", "new/", world.address("/bytes/12")])
        #expect(new.code == 0 && world.contents("new/12")?.count == 12)
        let two = try await fetch(
            world, ["-o", "two", world.address("/bytes/13"), world.address("/bytes/14")])
        #expect(two.code == 0 && world.contents("two/14")?.count == 14)
        try write(world.address("/bytes/15") + "\n", world, "list")
        let listed = try await fetch(world, ["-o", "listed", "-i", "list"])
        #expect(listed.code == 0 && world.contents("listed/15")?.count == 15)
    }

    @Test func `a list says where files go, and one of a name is numbered in its folder`()
        async throws
    {
        let world = TestWorld()
        let lines = [
            (1, "  out=a.bin"), (2, " dir=x"), (3, "\tdir=./x\n\tout=a.bin"), (4, " out=a.bin"),
            (5, " dir=x/.\n out=a.bin"), (6, " dir=.\n out=a.bin"),
        ]
        .map { "\(world.address("/bytes/1\($0.0)"))\n\($0.1)\n" }
        try write(lines.joined(), world, "list")
        let ending = try await fetch(world, ["-o", "out", "-i", "list"])
        #expect(ending.code == 0, "\(ending.errors)")
        let names = ["a.bin", "x/12", "x/a.bin", "a-2.bin", "x/a-2.bin", "a-3.bin"]
        let sizes = names.map {
            world.contents("out/\($0)")?.count
        }
        #expect(sizes == [11, 12, 13, 14, 15, 16])
        try write("\(world.address("/bytes/9"))\n  out=../../e\n", world, "list")
        let bad = try await fetch(world, ["-i", "list"])
        #expect(bad.code == 2 && bad.errors.contains("out=../../e, below http"), "\(bad.errors)")
    }

    @Test func `names have the query on demand`() async throws {
        let world = TestWorld()
        let url = world.address("/bytes/10?seed=1&p=a/b%2Fc")
        let ending = try await fetch(world, ["--query-names", url, world.address("/ok")])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.names == ["10?seed=1&p=a%2Fb%2Fc", "ok"])
    }

    @Test func `a refresh asks whether the file has changed, and replaces it if it has`()
        async throws
    {
        let world = TestWorld()
        let version = Latest(1)
        let dates = ["", "Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT"]
        world.server.add("/f") { request in
            let date = dates[version.value]
            let isSame = request.headers["If-Modified-Since"] == date
            return isSame
                ? .status(304) : .text("v\(version.value)", headers: [("Last-Modified", date)])
        }
        func run() async throws -> [String: Any] {
            world.server.resetLog()
            let ending = try await fetch(world, ["-N", "--json", "-q", world.address("/f")])
            return try #require(try objects(ending).first)
        }
        #expect(try await run()["outcome"] as? String == "fetched")
        let path = "\(world.directory)/f"
        let time = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
        #expect(time as? Date == Date(timeIntervalSince1970: 784_111_777))
        let same = try await run()
        #expect(same["outcome"] as? String == "same" && same["status"] as? Int == 304)
        #expect(world.server.requests.count == 1 && world.contents("f") == Data("v1".utf8))
        version.value = 2
        #expect(try await run()["outcome"] as? String == "fetched")
        #expect(world.contents("f") == Data("v2".utf8) && world.names == ["f"])
        // A file that was changed here is not replaced.
        try write("my", world, "f")
        let mine = try await run()
        #expect(mine["outcome"] as? String == "failed" && world.contents("f") == Data("my".utf8))
        #expect(world.server.requests.last?.headers["If-Modified-Since"] == nil)
        #expect(world.names == ["f"])
    }

    @Test func `a file that is there is skipped on demand, and compared with a sum`() async throws {
        let world = TestWorld()
        try write("mine", world, "ok")
        let url = world.address("/ok")
        let skipped = try await fetch(world, ["--skip-existing", url])
        #expect(skipped.code == 0 && world.server.requests.isEmpty)
        #expect(skipped.errors.contains("skipped ok  4 B, is there"), "\(skipped.errors)")
        let sum = try hash(Data("hello world".utf8))
        let compared = try await fetch(world, ["--skip-existing", "--sha256", sum, url])
        #expect(compared.code == 32 && world.contents("ok") == Data("mine".utf8))
    }

    @Test func `what failed is a list for another run, for its owner alone`() async throws {
        let world = TestWorld()
        let (good, bad) = (world.address("/ok"), world.address("/status/404"))
        try write("\(good)\n\(bad)\n  dir=x\n  out=y\n", world, "list")
        let first = try await fetch(world, ["-i", "list", "--failed", "again"])
        #expect(first.code == 22)
        let text = String(decoding: try #require(world.contents("again")), as: UTF8.self)
        #expect(text == "\(bad)\n  dir=x\n  out=y\n")
        let mode =
            try FileManager.default.attributesOfItem(
                atPath: "\(world.directory)/again")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let all = try await fetch(world, ["--failed", "again", good])
        #expect(all.code == 0 && world.contents("again") == Data())
    }

    @Test func `to standard output the files of folders of a list come too`() async throws {
        let world = TestWorld()
        let lines = [(1, " dir=s"), (2, "")].map {
            "\(world.address("/bytes/1\($0.0)"))\n\($0.1)\n"
        }
        try write(lines.joined(), world, "list")
        let ending = try await fetch(world, ["-o", "-", "-i", "list"])
        #expect(ending.code == 0 && ending.output.utf8.count >= 23, "\(ending.errors)")
        #expect(world.names == ["list"])
    }

    /// As sha512sum and md5sum write them, of "hello world".
    private static let (sha512, md5) = (
        "309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f"
            + "989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f",
        "5eb63bbbe01eeed093cb22bb8f5acdc3"
    )

    @Test(arguments: [("--sha512", sha512), ("--md5", md5)])
    func `a file must have its sum of another kind before it gets its name`(
        option: String, sum: String
    ) async throws {
        let world = TestWorld()
        let right = try await fetch(world, [option, sum, world.address("/ok")])
        #expect(right.code == 0 && world.names == ["ok"], "\(right.errors)")
        let again = try await fetch(world, [option, sum.uppercased(), world.address("/ok?b")])
        #expect(again.code == 0 && world.server.requests.count == 1, "It has the sum already.")
        let wrong = try await fetch(world, [option, sum, world.address("/bytes/11")])
        #expect(wrong.code == 32 && world.names == ["ok"], "\(wrong.errors)")
        let name = option.dropFirst(2).uppercased()
        #expect(wrong.errors.contains("should have the \(name) \(sum)"), "\(wrong.errors)")
        let segments = try await fetch(
            world, ["--segments", "4", option, sum, "-o", "new/", world.address("/ok")])
        #expect(segments.code == 0 && world.contents("new/ok") == Data("hello world".utf8))
        let short = try await fetch(world, [option, "00", world.address("/ok")])
        #expect(short.code == 2)
    }

    @Test func `without attributes a line beside the files says that one was fetched`() async throws
    {
        let world = TestWorld()
        try write("hello world", world, "ok")
        let (path, url) = ("\(world.directory)/ok", world.address("/ok"))
        let unknown = try #require(await world.fetch("/ok").first)
        #expect(unknown.kept == .same && world.server.requests.count == 1)
        try write("hello world", world, "ok")
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let state = try #require(FileOrigin.state(of: descriptor))
        FetchedList.add(path, of: url, state, try hash(Data("hello world".utf8)))
        for usesServerNames in [false, true] {
            var settings = Fetcher.Settings.quick
            settings.usesServerNames = usesServerNames
            let known = try #require(await world.fetch("/ok", settings: settings).first)
            #expect(known.kept == .kept && world.server.requests.count == 1)
        }
        let other = try #require(await world.fetch("/ok?b").first)
        #expect(other.kept == .same && world.server.requests.count == 2)
        try write("hello_world", world, "ok")
        let changed = try #require(await world.fetch("/ok").first)
        #expect(changed.error != nil && world.contents("ok") == Data("hello_world".utf8))
    }

    @Test func `of several lines of one URL each is tried`() throws {
        let world = TestWorld()
        let url = world.address("/ok")
        for number in 1...30 {
            FetchedList.add("\(world.directory)/gone-\(number)", of: url, "1 1 1", "x")
        }
        try write("hello world", world, "c")
        let descriptor = open("\(world.directory)/c", O_RDONLY)
        defer { close(descriptor) }
        let state = try #require(FileOrigin.state(of: descriptor))
        FetchedList.add("\(world.directory)/c", of: url, state, "x")
        #expect(FetchedList().name(in: world.directory, of: url) == "c")
    }

    @Test(arguments: [[], ["-J"]])
    func `with --force nothing replaces a file that the command reads, under any of its names`(
        options: [String]
    ) async throws {
        let world = TestWorld()
        let url = world.address("/ok")
        let sum = try hash(Data("hello world".utf8))
        let texts = [
            "list": world.address("/list") + "\n", "netrc": "machine one login me password x\n",
            "b.part": "machine two login me password x\n",
            "cookies": "# Netscape HTTP Cookie File\n", "sums": "\(sum)  sums\n",
        ]
        for (name, text) in texts { try write(text, world, name) }
        #expect(symlink("netrc", "\(world.directory)/soft") == 0)
        #expect(link("\(world.directory)/netrc", "\(world.directory)/hard") == 0)
        let names = world.names
        let shell = ["-c", "exec \"$0\" \"$@\" < list", Program.executable.path]
        for (name, arguments) in [
            ("list", ["-i", "list"]), ("sums", ["--sums", "sums", "-o", "sums", url]),
            ("list, the file on standard input", ["-"]), ("list, the file on standard input", []),
            ("cookies", ["-b", "cookies", "-o", "cookies", url]),
            ("netrc", ["--netrc-file", "netrc", "-o", "netrc", url]),
            ("netrc, another name of soft", ["--netrc-file", "soft", "-o", "netrc", url]),
            ("soft, another name of netrc", ["--netrc-file", "netrc", "-o", "soft", url]),
            ("hard, another name of soft", ["--netrc-file", "soft", "-o", "hard", url]),
            ("b.part", ["--netrc-file", "b.part", "-o", "b", url]),
        ] as [(String, [String])] {
            let ending = try await Program.run(
                shell + ["fetch", "--force"] + options + arguments,
                executable: URL(fileURLWithPath: "/bin/sh"),
                in: URL(fileURLWithPath: world.directory))
            #expect(ending.code == 2, "\(arguments)")
            let start = "eras: --force would replace \(name), which the command reads"
            #expect(ending.errors.hasPrefix(start), "\(arguments): \(ending.errors)")
        }
        #expect(world.server.requests.isEmpty && world.names == names)
        for (name, text) in texts { #expect(world.contents(name) == Data(text.utf8), "\(name)") }
        let beside = try await fetch(
            world, ["--force"] + options + ["--netrc-file", "netrc", "-o", "new", url])
        #expect(beside.code == 0 && world.contents("new") == Data("hello world".utf8))
    }

    @Test func `a file cannot have the name of that list`() async throws {
        let world = TestWorld()
        world.server.add("/.eras-fetched") { _ in .text("x") }
        let result = try #require(await world.fetch("/.eras-fetched").first)
        #expect(result.error == nil && world.contents(".eras-fetched") == nil)
    }
}
