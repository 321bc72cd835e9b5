import TestSupport

@testable import eras

@Suite("Names that servers give", .timeLimit(.minutes(2)))
struct ServerNameTests {
    /// A route whose text is to have a name.
    private func name(_ world: TestWorld, _ path: String, _ name: String, _ text: String) -> String
    {
        world.server.add(path) { _ in
            .text(text, headers: [("Content-Disposition", "attachment; filename=\"\(name)\"")])
        }
        return world.address(path)
    }

    private func contents(_ world: TestWorld) -> [String: String] {
        Dictionary(
            world.names.map { ($0, String(decoding: world.contents($0) ?? Data(), as: UTF8.self)) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: [[], ["--force"]])
    func `two files of one name both stay, and are known again`(options: [String]) async throws {
        let world = TestWorld()
        let urls = [
            name(world, "/same1", "report.pdf", "one"), name(world, "/same2", "report.pdf", "two"),
        ]
        for _ in 1...2 {
            let ending = try await Program.run(
                ["fetch", "-J", "-j", "1", "-o", world.directory] + options + urls)
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(contents(world) == ["report.pdf": "one", "report-2.pdf": "two"])
        }
    }

    @Test func `no server gives a file the name of another one of the command`() async throws {
        let world = TestWorld()
        let urls = [
            name(world, "/first", "Second", "1"), name(world, "/third", "jar", "3"),
            name(world, "/second", "second", "2"),
        ]
        let ending = try await Program.run(
            [
                "fetch", "-J", "--force", "-j", "1", "-o", world.directory, "-c",
                "\(world.directory)/jar",
            ] + urls)
        #expect(ending.code == 0, "\(ending.errors)")
        var left = contents(world)
        #expect(left.removeValue(forKey: "jar")?.hasPrefix("# Netscape") == true)
        #expect(left == ["Second-2": "1", "jar-2": "3", "second": "2"])
    }

    @Test func `nor that of a file which the command reads, or of a link to it`() async throws {
        let world = TestWorld()
        let names = ["list", "link", "sums", "netrc", "cookies"]
        let urls = names.map { name(world, "/for-\($0)", $0, "1") }
        let sum = try hash(Data("1".utf8))
        let texts = [
            "list": urls.joined(separator: "\n"),
            "sums": names.map { "\(sum)  for-\($0)\n" }.joined(),
            "netrc": "machine one login me password x\n",
            "cookies": "# Netscape HTTP Cookie File\n",
        ]
        for (name, text) in texts {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(world.directory)/\(name)"))
        }
        #expect(symlink("list", "\(world.directory)/link") == 0)
        let ending = try await Program.run(
            [
                "fetch", "-J", "--force", "-o", ".", "-i", "link", "--sums", "sums",
                "--netrc-file", "netrc", "-b", "cookies",
            ], in: URL(fileURLWithPath: world.directory))
        #expect(ending.code == 0, "\(ending.errors)")
        for (name, text) in texts { #expect(world.contents(name) == Data(text.utf8), "\(name)") }
        #expect(world.names == names.flatMap { [$0, "\($0)-2"] }.sorted())
    }

    @Test func `certificates are read too, with or without a password`() throws {
        let world = TestWorld()
        let file = "\(world.directory)/a:b"
        try Data().write(to: URL(fileURLWithPath: file))
        var options = RequestOptions(authorities: "ca", certificate: "c.p12:secret", key: "key")
        #expect(options.inputs == ["ca", "c.p12", "key"])
        options = RequestOptions(cookies: ["k=v", file], certificate: file)
        #expect(options.inputs == [file, file])
    }

    @Test func `a file with the same bytes that no fetch wrote is neither moved nor removed`()
        async throws
    {
        let world = TestWorld()
        let url = name(world, "/mine", "theirs", "same")
        for names in [["mine"], ["mine", "theirs"]] {
            for name in names {
                try Data("same".utf8).write(to: URL(fileURLWithPath: "\(world.directory)/\(name)"))
            }
            let ending = try await Program.run(
                ["fetch", "-J", "--json", "-q", "-o", world.directory, url])
            #expect(ending.code == 0, "\(ending.errors)")
            #expect(ending.output.contains("\"outcome\":\"same\""), "\(ending.output)")
            #expect(world.names == names)
        }
    }

    @Test
    func `a server's name may be the own one in other letters, or that of one in another folder`()
        async throws
    {
        let world = TestWorld()
        let urls = [
            name(world, "/Report", "report", "1"), name(world, "/2", "report", "2"),
            name(world, "/3", "2", "3"),
        ]
        let list = "\(urls[0])\n\(urls[1])\n  dir=a\n\(urls[2])\n  dir=b\n"
        try Data(list.utf8).write(to: URL(fileURLWithPath: "\(world.directory)/list"))
        let ending = try await Program.run(
            ["fetch", "-J", "-o", world.directory, "-i", "\(world.directory)/list"])
        #expect(ending.code == 0, "\(ending.errors)")
        let files = ["report", "a/report", "b/2"].map { world.contents($0) }
        #expect(files == ["1", "2", "3"].map { Data($0.utf8) }, "\(world.names)")
    }

    @Test func `a server's name has no dot at its start, and no name leaves the address's`()
        async throws
    {
        let world = TestWorld()
        world.server.add("/.inline") { _ in
            .text("2", headers: [("Content-Disposition", "inline")])
        }
        let ending = try await Program.run([
            "fetch", "-J", "-o", world.directory, name(world, "/named", ".bashrc", "1"),
            world.address("/.inline"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(contents(world) == ["bashrc": "1", ".inline": "2"])
    }

    @Test func `a link to the file itself that has the server's name does not lose the file`()
        async throws
    {
        let world = TestWorld()
        let url = name(world, "/download", "report.pdf", "1")
        #expect(symlink("download", "\(world.directory)/report.pdf") == 0)
        let ending = try await Program.run(["fetch", "-J", "--json", "-o", world.directory, url])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output.contains("\"outcome\":\"fetched\""), "\(ending.output)")
        #expect(world.names == ["report-2.pdf", "report.pdf"])
        #expect(world.contents("report-2.pdf") == Data("1".utf8))
    }

    @Test func `nor does it lose the old file and the newer one`() async throws {
        let world = TestWorld()
        let version = Watched("old")
        world.server.add("/download") { _ in
            let name = version.now == "old" ? "" : "; filename=report.pdf"
            return .text(
                version.now,
                headers: [
                    ("Content-Disposition", "attachment" + name), ("ETag", "\"\(version.now)\""),
                ])
        }
        let arguments = ["fetch", "-N", "-J", "-o", world.directory, world.address("/download")]
        #expect(try await Program.run(arguments).code == 0)
        #expect(symlink("download", "\(world.directory)/report.pdf") == 0)
        version.change { $0 = "new" }
        let ending = try await Program.run(arguments)
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.contents("report-2.pdf") == Data("new".utf8), "\(world.names)")
    }

    @Test func `the folder is looked up once, however many of its names are taken`() throws {
        let world = TestWorld()
        let (folder, link) = ("\(world.directory)/folder", "\(world.directory)/link")
        try Directory(folder).make()
        try Data("1".utf8).write(to: URL(fileURLWithPath: "\(folder)/download"))
        #expect(symlink("folder", link) == 0)
        let url = try #require(URL(string: "http://h/download"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Content-Disposition": "attachment; filename=report"]))
        var keys: [String] = []
        let (place, _) = try ServerName(response, mayReplace: false).rename(
            FilePlace(directory: link, name: "download"), sha256: "", of: url.absoluteString
        ) { key in
            keys.append(key)
            // The link leads nowhere while the second name is tried.
            if keys.count == 1 { unlink(link) }
            if keys.count == 2 { symlink("folder", link) }
            return keys.count <= 2
        }
        #expect(place.name == "report-3")
        #expect(keys.count == 3)
        #expect(keys.allSatisfy { $0.hasPrefix(keys[0]) }, "\(keys)")
        #expect(world.names(in: "folder") == ["report-3"])
    }

    @Test func `only one output may be standard output`() async throws {
        let world = TestWorld()
        world.server.hold("door")
        world.server.add("/slow") { _ in
            .text("same\n", headers: [("Content-Disposition", "attachment; filename=x")])
                .after(.wait(gate: "door"))
        }
        let quick = name(world, "/quick", "x", "same\n")
        let ending = try await Program.run([
            "fetch", "-q", "-o", "-", "-J", "-j", "2", world.address("/slow"),
            quick, world.address("/status/404"),
        ]) { _ in
            // Two at once, so the last is asked for when the quick one is over.
            #expect(await world.server.sees { _, requests in requests.count == 3 })
            world.server.release("door")
        }
        #expect(ending.output == "same\nsame\n")
        #expect(ending.code == 22, "\(ending.errors)")
    }
}
