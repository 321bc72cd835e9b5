import NetworkImages
import TestSupport

@testable import eras

@Suite("The program makes a gallery", .timeLimit(.minutes(2)))
struct GalleryTests {
    private func run(_ room: GalleryRoom, _ arguments: String...) async throws -> Program.Ending {
        try await Program.run(
            ["gallery"] + arguments, in: URL(fileURLWithPath: room.directory))
    }

    @Test func `a server's list of pictures becomes a sheet and a page`() async throws {
        let room = try GalleryRoom()
        let ending = try await run(room, "--input", room.address("list.txt"))
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(ending.output == "")
        #expect(ending.errors.contains("14 files fetched; "))
        #expect(ending.errors.hasSuffix("The sheet: gallery.png\nThe page: gallery.html\n"))
        #expect(room.names == ["gallery.html", "gallery.png"])
        let image = try ImageDecoder().image(from: try #require(room.contents("gallery.png")))
        #expect(image.pixelSize == SheetLayout(count: 14, side: 192).size)
        let page = String(decoding: try #require(room.contents("gallery.html")), as: UTF8.self)
        #expect(page.components(separatedBy: "<figure").count == 15)
        #expect(page.contains("<small>160 x 120 GIF, 12 frames, "))
    }

    @Test func `with one that fails it ends with 1, and the sheet is there`() async throws {
        let room = try GalleryRoom()
        let ending = try await run(
            room, "-q", "-o", "two.png", room.address("bar.gif"), room.address("/status/404"))
        #expect(ending.code == 1)
        let lines = ending.errors.split(separator: "\n")
        #expect(lines.count == 1 && lines[0].hasPrefix("failed  http"), "\(ending.errors)")
        #expect(room.names == ["two.html", "two.png"])
    }

    @Test func `what is there is not replaced unless told, and nothing is asked for`() async throws
    {
        let room = try GalleryRoom()
        let page = "\(room.directory)/gallery.html"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: page))
        let first = try await run(room, room.address("bar.gif"))
        #expect(first.code == 1)
        #expect(
            first.errors == "eras: gallery.html is there already; use --force to replace it, or "
                + "another name with -o.\n")
        #expect(room.names == ["gallery.html"] && room.server.requests.isEmpty)
        let second = try await run(room, "--force", room.address("bar.gif"))
        #expect(second.code == 0)
        #expect(room.contents("gallery.html")?.starts(with: Data("<!DOCTYPE".utf8)) == true)
    }

    @Test func `mistakes and lists that are not there are told before anything is loaded`()
        async throws
    {
        let room = try GalleryRoom()
        for (arguments, code, sentence) in [
            ([], 2, "There is no URL of an image."),
            (["-o", "sheet.jpg", "http://h/"], 2, "-o needs the sheet's file, whose name ends in"),
            (["--size", "10", "http://h/"], 2, "--size needs a whole number from 96 to 1024"),
            (["--input", "nowhere.txt"], 1, "Could not open nowhere.txt"),
            (["--input", room.address("/status/500")], 1, "There is no list at http"),
            (
                ["--columns", "1", "--size", "1024"] + Array(repeating: "http://h/", count: 40), 1,
                "The sheet would have 1072 x "
            ),
        ] as [([String], Int32, String)] {
            let ending = try await Program.run(
                ["gallery"] + arguments, in: URL(fileURLWithPath: room.directory))
            #expect(ending.code == code)
            #expect(ending.errors.hasPrefix("eras: " + sentence), "\(ending.errors)")
        }
        #expect(room.names == [])
    }

    @Test func `a sheet that does not fit on the disk leaves no half file`() async throws {
        let room = try GalleryRoom()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // Files of at most one block, in place of a full disk.
        shell.arguments = [
            "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", Program.executable.path,
            "gallery",
            "-q", room.address("bar.gif"),
        ]
        shell.currentDirectoryURL = URL(fileURLWithPath: room.directory)
        let errors = Pipe()
        shell.standardError = errors
        try shell.run()
        let text = await aside {
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        await aside { shell.waitUntilExit() }
        #expect(shell.terminationStatus == 1)
        #expect(text.hasPrefix("eras: Could not write gallery.png: "), "\(text)")
        #expect(room.names == [])
    }

    @Test func `it names no option that it lacks, and promises to go on with nothing`() async throws
    {
        let room = try GalleryRoom()
        let ending = try await run(
            room, "--timeout", "0.2", room.address("/truncated"), room.address("/hang"))
        #expect(ending.code == 1)
        let lines = ending.errors.split(separator: "\n").prefix(2).sorted()
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("failed  ") })
        #expect(lines.contains { $0.contains("/truncated: The connection broke off. (") })
        #expect(
            lines.contains { $0.contains("/hang: It took too long; --timeout sets how long is") })
        #expect(!ending.errors.contains("--max-time") && !ending.errors.contains("go on"))
    }

    @Test func `an interrupt ends it with 130 and writes nothing`() async throws {
        let room = try GalleryRoom()
        room.server.hold("door")
        room.server.add("/held.png") { _ in .status(200).after(.wait(gate: "door")) }
        let ending = try await Program.run(
            ["gallery", room.address("/held.png")], in: URL(fileURLWithPath: room.directory)
        ) { process in
            while room.server.requests.isEmpty { await Task.yield() }
            process.interrupt()
        }
        #expect(ending.code == 130)
        #expect(ending.errors.contains("nothing is written"))
        #expect(!ending.errors.contains("to go on"))
        #expect(room.names == [])
        room.server.release("door")
    }
}
