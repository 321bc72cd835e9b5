import TestSupport

@testable import eras

@Suite("Files that a command writes at its end", .timeLimit(.minutes(2)))
struct NewFileTests {
    private func path(_ world: TestWorld, _ name: String) -> String { "\(world.directory)/\(name)" }

    /// The code and the errors of a fetch that writes its cookies where there is no room.
    private func fetch(_ world: TestWorld) async throws -> (code: Int32, said: String) {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // No file of more than 512 bytes; a write beyond fails, as it does where there is no room.
        shell.arguments =
            ["-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"", Program.executable.path]
            + ["fetch", "-q", "-o", "-", "-b", path(world, "jar"), "-c", path(world, "jar")]
            + [world.address("/cookies/set/a/b")]
        let output = Pipe()
        shell.standardOutput = output
        shell.standardError = output
        try shell.run()
        let said = await onNewThread { output.fileHandleForReading.readDataToEndOfFile() }
        await onNewThread { shell.waitUntilExit() }
        return (shell.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    private func leaveJar(_ world: TestWorld) throws -> Data {
        let lines = (0..<40).map { "127.0.0.1\tFALSE\t/\tFALSE\t0\told\($0)\tvalue\n" }
        let old = Data(lines.joined().utf8)
        try old.write(to: URL(fileURLWithPath: path(world, "jar")))
        return old
    }

    @Test func `where the disk takes no more, the old contents stay, and nothing else`()
        async throws
    {
        let world = TestWorld()
        let old = try leaveJar(world)
        let (code, said) = try await fetch(world)
        #expect(code == 23)
        #expect(said.contains("Could not write"))
        #expect(world.contents("jar") == old)
        #expect(world.names == ["jar"])
    }

    @Test func `a file with two names that was cut short stays, and is reported as incomplete`()
        async throws
    {
        let world = TestWorld()
        _ = try leaveJar(world)
        #expect(link(path(world, "jar"), path(world, "other")) == 0)
        let (code, said) = try await fetch(world)
        #expect(code == 23)
        #expect(said.contains(" The file is incomplete."), "\(said)")
        #expect(world.names == ["jar", "other"])
        #expect(world.contents("jar") == world.contents("other"))
    }

    @Test(arguments: [1, 2])
    func `a private file can be read by its owner alone, though others could before`(names: Int)
        throws
    {
        let world = TestWorld()
        try Data("old".utf8).write(to: URL(fileURLWithPath: path(world, "file")))
        #expect(chmod(path(world, "file"), 0o644) == 0)
        if names == 2 { #expect(link(path(world, "file"), path(world, "other")) == 0) }
        try NewFile(path(world, "file"), isPrivate: true).save(Data("new".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: path(world, "file"))[
            .posixPermissions]
        #expect(mode as? Int == 0o600 && world.contents("file") == Data("new".utf8))
    }

    #if os(Linux)
        @Test func `a private file that others would still read is not written`() throws {
            // Its mode cannot be changed, like that of another owner's file, not even by root.
            let path = "/proc/self/comm"
            let old = try String(contentsOfFile: path, encoding: .utf8)
            let error = DiskError(action: "keep others from reading", path: path, code: EPERM)
            #expect(throws: error) { try NewFile(path, isPrivate: true).save(Data("secret".utf8)) }
            #expect(try String(contentsOfFile: path, encoding: .utf8) == old)
        }
    #endif

    @Test func `a link stays, and so does the mode; the file that it leads to is written`() throws {
        let world = TestWorld()
        try Data("old".utf8).write(to: URL(fileURLWithPath: path(world, "file")))
        #expect(chmod(path(world, "file"), 0o640) == 0)
        #expect(symlink("file", path(world, "link")) == 0)
        let reader = try #require(FileHandle(forReadingAtPath: path(world, "file")))
        try NewFile(path(world, "link")).save(Data("new".utf8))
        #expect(world.contents("file") == Data("new".utf8))
        // Until the new one is whole the old one is there.
        #expect(try reader.readToEnd() == Data("old".utf8))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: path(world, "link")) == "file"
        )
        let mode = try FileManager.default.attributesOfItem(atPath: path(world, "file"))[
            .posixPermissions]
        #expect(mode as? Int == 0o640)
        #expect(world.names == ["file", "link"])
    }

    @Test
    func `a link to a file that is not there yet is checked without a change, and written through`()
        throws
    {
        let world = TestWorld()
        #expect(symlink("file", path(world, "link")) == 0)
        let file = NewFile(path(world, "link"))
        try file.check()
        #expect(world.names == ["link"])
        try file.save(Data("new".utf8))
        #expect(world.contents("file") == Data("new".utf8))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: path(world, "link")) == "file"
        )
    }

    @Test func `where a folder takes no other file, the one that is there is written`() throws {
        let world = TestWorld()
        // A name so long that nothing fits behind it.
        let name = String(repeating: "n", count: 255)
        try Data("old, and longer".utf8).write(to: URL(fileURLWithPath: path(world, name)))
        try NewFile(path(world, name)).save(Data("new".utf8))
        #expect(world.contents(name) == Data("new".utf8))
        #expect(world.names == [name])
    }

    @Test func `a device and a pipe are written as they are`() throws {
        let world = TestWorld()
        try NewFile("/dev/null").save(Data("x".utf8))
        #expect(throws: DiskError(action: "write", path: "/dev/full", code: ENOSPC)) {
            try NewFile("/dev/full").save(Data("x".utf8))
        }
        #expect(mkfifo(path(world, "pipe"), 0o600) == 0)
        let reader = open(path(world, "pipe"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try NewFile(path(world, "pipe")).save(Data("abc".utf8))
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, 8) == 3)
        #expect(world.names == ["pipe"])
    }
}
