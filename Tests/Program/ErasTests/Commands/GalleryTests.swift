import NetworkImages
import TestSupport

@testable import eras

@Suite("The program makes a gallery", .timeLimit(.minutes(2)))
struct GalleryTests {
    private func run(_ world: TestWorld, _ arguments: String...) async throws -> Program.Ending {
        try await Program.run(
            ["gallery"] + arguments, in: world.folder)
    }

    @Test func `a server's list of pictures becomes a page with a thumbnail of each`() async throws
    {
        let world = try TestWorld.gallery()
        let ending = try await run(world, "--input", world.picture("list.txt"))
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output == "")
        #expect(ending.errors.contains("14 files fetched; "))
        #expect(ending.errors.hasSuffix("The page: gallery/index.html\n"))
        #expect(world.names == ["gallery"])
        let thumbnails = (1...14).map { "\($0).png" }
        #expect(world.names(in: "gallery") == (thumbnails + ["index.html"]).sorted())
        let page = String(
            decoding: try #require(world.contents("gallery/index.html")), as: UTF8.self)
        #expect(page.components(separatedBy: "<figure").count == 15)
        for name in thumbnails { #expect(page.contains("<img src=\"\(name)\"")) }
        #expect(page.contains("<small>160 x 120 GIF, 12 frames, "))
    }

    @Test func `a thumbnail is the image, as small as was said and already turned`() async throws {
        let world = try TestWorld.gallery()
        let names = ["gradient.png"] + (1...8).map { "orientation-\($0).jpg" }
        let arguments = ["--size", "96", "-o", "a/b/"] + names.map(world.picture)
        let ending = try await Program.run(
            ["gallery"] + arguments, in: world.folder)
        #expect(ending.code == 0 && ending.errors.hasSuffix("The page: a/b/index.html\n"))
        let images = try names.indices.map { index in
            let file = try #require(world.contents("a/b/\(index + 1).png"))
            return try ImageDecoder().image(from: file)
        }
        #expect(images[0].pixelSize == PixelSize(width: 96, height: 72))
        let tile = try await world.load([world.picture(names[0])], settings: .init(side: 96)).tiles[
            0]
        guard case .image(let loaded, _) = tile.content else {
            Issue.record("\(tile)")
            return
        }
        let isSame = try images[0].pixels() == loaded.pixels()
        #expect(isSame)
        let first = try images[1].pixels()
        #expect(Set(first).count > 20)
        for image in images[2...] {
            #expect(image.pixelSize == PixelSize(width: 80, height: 96))
            let off = zip(try image.pixels(), first).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(off < first.count * 2)
        }
    }

    @Test func `with one that fails it ends with 1, and the page is there`() async throws {
        let world = try TestWorld.gallery()
        let ending = try await run(
            world, "-q", "-o", "two", world.picture("bar.gif"), world.address("/status/404"))
        #expect(ending.code == 1)
        let lines = ending.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("failed  http"), "\(ending.errors)")
        #expect(world.names(in: "two") == ["1.png", "index.html"])
    }

    @Test func `existing files are not replaced without --force, and nothing is requested`()
        async throws
    {
        let world = try TestWorld.gallery()
        let folder = URL(fileURLWithPath: "\(world.directory)/gallery")
        for name in ["index.html", "1.png"] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: folder.appendingPathComponent(name))
            let first = try await run(world, world.picture("bar.gif"))
            #expect(first.code == 1)
            #expect(
                first.errors
                    == "eras: gallery/\(name) is there already; use --force to replace it, "
                    + "or another folder with -o.\n")
            #expect(world.names(in: "gallery") == [name] && world.server.requests.isEmpty)
            try FileManager.default.removeItem(at: folder)
        }
        #expect(try await run(world, world.picture("bar.gif")).code == 0)
        let third = try await run(
            world, "--force", world.picture("bar.gif"), world.picture("icon.ico"))
        #expect(third.code == 0)
        #expect(world.names(in: "gallery") == ["1.png", "2.png", "index.html"])
    }

    @Test func `the time limit is also that of a server's list`() async throws {
        let world = try TestWorld.gallery()
        let ending = try await run(world, "--timeout", "0.3", "--input", world.address("/hang"))
        #expect(ending.code == 1)
        #expect(
            ending.errors.hasPrefix("eras: It took too long; --timeout sets the limit."),
            "\(ending.errors)")
    }

    @Test func `an error advises no option that only fetch has`() async throws {
        let world = TestWorld(tls: { _ in })
        let untrusted = try await run(world, "--input", world.address("/ok"))
        #expect(untrusted.code == 1 && untrusted.errors.hasPrefix("eras: "))
        #expect(!untrusted.errors.contains("--cacert"), "\(untrusted.errors)")
        let plain = try TestWorld.gallery()
        let unauthorized = try await run(plain, "--input", plain.address("/status/401"))
        #expect(unauthorized.code == 1 && unauthorized.errors.contains("There is no list at"))
        #expect(!unauthorized.errors.contains("--netrc"), "\(unauthorized.errors)")
    }

    @Test func `mistakes and missing lists are reported before anything is loaded`()
        async throws
    {
        let world = try TestWorld.gallery()
        for (arguments, code, sentence) in [
            ([], 2, "There is no URL of an image."),
            (
                ["-o", "sheet.png", "http://h/"], 2,
                "-o needs a folder for the page and its thumbnails"
            ),
            (["-o", "/dev/null", "http://h/"], 1, "Could not make the directory /dev/null: Not a"),
            (["-o", "/dev/null/a", "http://h/"], 1, "Could not make the directory /dev/null"),
            (["--size", "10", "http://h/"], 2, "--size needs a whole number from 96 to 1024"),
            (["--input", "nowhere.txt"], 1, "Could not open nowhere.txt"),
            (["--input", world.address("/status/500")], 1, "There is no list at http"),
            (
                ["--columns", "1", "--size", "1024"] + Array(repeating: "http://h/", count: 40), 1,
                "40 images of up to 1024 x 1024 pixels are too many for one page; use a smaller"
            ),
        ] as [([String], Int32, String)] {
            let ending = try await Program.run(
                ["gallery"] + arguments, in: world.folder)
            #expect(ending.code == code)
            #expect(ending.errors.hasPrefix("eras: " + sentence), "\(ending.errors)")
        }
        #expect(world.names == [])
    }

    @Test
    func `a page that does not fit on the disk leaves neither half a file nor half a gallery`()
        async throws
    {
        let world = try TestWorld.gallery()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Files of at most one block, in place of a full disk.
        shell.arguments = [
            "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", Program.executable.path,
            "gallery",
            "-q", world.picture("bar.gif"),
        ]
        shell.currentDirectoryURL = world.folder
        let errors = Pipe()
        shell.standardError = errors
        try shell.run()
        let text = await onNewThread {
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        await onNewThread { shell.waitUntilExit() }
        #expect(shell.terminationStatus == 1)
        #expect(text.hasPrefix("eras: Could not write gallery/"), "\(text)")
        #expect(world.names == [])
    }

    @Test func `it names no option that it lacks, and does not promise to continue`() async throws {
        let world = try TestWorld.gallery()
        let ending = try await run(
            world, "--timeout", "0.2", world.address("/truncated"), world.address("/hang"))
        #expect(ending.code == 1)
        let lines = ending.errors.split(separator: "\n").prefix(2).sorted()
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("failed  ") })
        #expect(lines.contains { $0.contains("/truncated: The connection broke off. (") })
        #expect(
            lines.contains { $0.contains("/hang: It took too long; --timeout sets the limit") })
        #expect(!ending.errors.contains("--max-time") && !ending.errors.contains("go on"))
    }

    @Test func `an interrupt ends it with 130 and writes nothing`() async throws {
        let world = try TestWorld.gallery()
        world.server.hold("door")
        world.server.add("/held.png") { _ in .status(200).after(.wait(gate: "door")) }
        let ending = try await Program.run(
            ["gallery", world.address("/held.png")], in: world.folder
        ) { process in
            while world.server.requests.isEmpty { await Task.yield() }
            process.interrupt()
        }
        #expect(ending.code == 130)
        #expect(ending.errors.contains("nothing is written"))
        #expect(!ending.errors.contains("to continue"))
        #expect(world.names == [])
        world.server.release("door")
    }
}
