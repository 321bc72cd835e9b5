import TestSupport

@testable import OperationNetworking
@testable import eras

@Suite("Files that are there already", .timeLimit(.minutes(2)))
struct FoundFileTests {
    private func leave(_ bytes: Data, _ room: FetchRoom, _ name: String = "1000") throws {
        try bytes.write(to: URL(fileURLWithPath: "\(room.directory)/\(name)"))
    }

    @Test func `a foreign file is refused at the head, left as it is, and told`() async throws {
        let room = try FetchRoom()
        try leave(Data("hello\n".utf8), room)
        let url = room.server.url("/bytes/1000?seed=3").absoluteString
        let ending = try await Program.run(["fetch", "--json", "-o", room.directory, url])
        #expect(ending.code == 1, "\(ending.errors)")
        #expect(ending.output.contains("\"sha256\":null"))
        #expect(ending.errors.contains("it has 6 bytes, the server's 1000."))
        #expect(ending.errors.contains("0 files fetched, 1 failed"))
        #expect(room.contents("1000") == Data("hello\n".utf8))
        #expect(room.names == ["1000"])
    }

    @Test func `one of the same length is compared byte by byte`() async throws {
        let room = try FetchRoom()
        try leave(generated(4), room)
        let other = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect(other.error?.contains("its 1000 bytes are not the server's") == true)
        #expect(!other.isKept && other.sha256 == nil)
        #expect(room.contents("1000") == generated(4))
        #expect(room.names == ["1000"])
    }

    @Test func `the same bytes are kept, and not asked for again`() async throws {
        let room = try FetchRoom()
        try leave(generated(3), room)
        let first = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect(first.isKept && first.error == nil)
        #expect(first.sha256 == (try hash(generated(3))))
        #expect(room.names == ["1000"])
        try await expectKept(room)
    }

    @Test func `a copy of what was fetched from elsewhere is no file of this address`() async throws
    {
        let room = try FetchRoom()
        _ = await room.fetch("/bytes/1000?seed=4")
        let result = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect(result.error?.contains("another file") == true)
        #expect(room.contents("1000") == generated(4))
    }

    @Test func `what was changed after its download is not kept unseen`() async throws {
        let room = try FetchRoom()
        _ = await room.fetch("/bytes/1000?seed=3")
        try leave(generated(3).prefix(999), room)
        let result = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect(result.error?.contains("it has 999 bytes") == true)
    }

    /// Sets a file's time to 2001.
    private func age(_ descriptor: Int32) {
        let times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
        #expect(futimes(descriptor, times + times) == 0)
    }

    @Test(arguments: [true, false])
    func `one that a power cut has shortened is fetched again; one that was cut by hand stays`(
        isPowerCut: Bool
    ) async throws {
        let room = try FetchRoom()
        try leave(generated(3), room)
        let url = room.server.url("/bytes/1000?seed=3").absoluteString
        let descriptor = open("\(room.directory)/1000", O_RDWR)
        defer { close(descriptor) }
        age(descriptor)
        let origin = try #require(FileOrigin(url, of: descriptor))
        origin.write(to: descriptor)
        guard origin.marks(descriptor) else { return }
        #expect(ftruncate(descriptor, 400) == 0)
        if isPowerCut { age(descriptor) }
        let result = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect((result.error == nil) == isPowerCut, "\(result.error ?? "")")
        #expect(room.contents("1000") == (isPowerCut ? generated(3) : generated(3).prefix(400)))
        #expect(room.names == ["1000"])
    }

    @Test func `a file that appears during the download is not replaced`() async throws {
        let room = try FetchRoom()
        room.addGated()
        let server = room.server
        let results = await room.fetch("/gated") { _ in
            #expect(await server.reaches("middle"))
            try? leave(Data("mine".utf8), room, "gated")
            server.release("middle")
        }
        #expect(results.first?.error?.contains("File exists") == true)
        #expect(room.contents("gated") == Data("mine".utf8))
        #expect(room.contents("gated.part") == generated(9))
    }

    /// Once more: without a question where the file system keeps marks.
    private func expectKept(_ room: FetchRoom) async throws {
        let descriptor = open("\(room.directory)/1000", O_RDONLY)
        defer { close(descriptor) }
        let url = room.server.url("/bytes/1000?seed=3").absoluteString
        let isMarked = try #require(FileOrigin(url, of: descriptor)).marks(descriptor)
        room.server.resetLog()
        let again = try #require(await room.fetch("/bytes/1000?seed=3").first)
        #expect(again.isKept)
        #expect(room.server.requests.isEmpty == isMarked)
    }

    @Test(arguments: [false, true])
    func `a folder of the file's name is told as what it is, and stays`(isForced: Bool)
        async throws
    {
        let room = try FetchRoom()
        try FileManager.default.createDirectory(
            atPath: "\(room.directory)/1000", withIntermediateDirectories: false)
        var settings = Fetcher.Settings.quick
        settings.isForced = isForced
        let result = try #require(
            await room.fetch("/bytes/1000?seed=3", settings: settings).first)
        let expected = isForced ? "Is a directory" : "/1000 is no regular file."
        #expect(result.error?.contains(expected) == true, "\(result.error ?? "")")
        #expect(room.contents("1000") == nil && room.names.contains("1000"))
    }
}
