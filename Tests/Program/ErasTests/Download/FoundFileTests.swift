import TestSupport

@testable import OperationNetworking
@testable import eras

@Suite("Files that are there already", .timeLimit(.minutes(2)))
struct FoundFileTests {
    private func leave(_ bytes: Data, _ world: TestWorld, _ name: String = "1000") throws {
        try bytes.write(to: URL(fileURLWithPath: "\(world.directory)/\(name)"))
    }

    @Test func `another file is refused after the header, left as it is, and reported`()
        async throws
    {
        let world = TestWorld()
        try leave(Data("hello\n".utf8), world)
        let url = world.address("/bytes/1000?seed=3")
        let ending = try await Program.run(["fetch", "--json", "-o", world.directory, url])
        #expect(ending.code == 1, "\(ending.errors)")
        #expect(ending.output.contains("\"sha256\":null"))
        #expect(ending.errors.contains("it has 6 bytes, the server's 1000."))
        #expect(ending.errors.contains("0 files fetched, 1 failed"))
        #expect(world.contents("1000") == Data("hello\n".utf8))
        #expect(world.names == ["1000"])
    }

    @Test func `one of the same length is compared byte by byte`() async throws {
        let world = TestWorld()
        try leave(generated(4), world)
        let other = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect(other.error?.contains("its 1000 bytes are not the server's") == true)
        #expect(!other.isKept && other.sha256 == nil)
        #expect(world.contents("1000") == generated(4))
        #expect(world.names == ["1000"])
    }

    @Test func `the same bytes are kept, and not requested again`() async throws {
        let world = TestWorld()
        try leave(generated(3), world)
        let first = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect(first.isKept && first.error == nil)
        #expect(first.sha256 == (try hash(generated(3))))
        #expect(world.names == ["1000"])
        try await expectKept(world)
    }

    @Test func `a copy of what was fetched from elsewhere is no file of this address`() async throws
    {
        let world = TestWorld()
        _ = await world.fetch("/bytes/1000?seed=4")
        let result = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect(result.error?.contains("another file") == true)
        #expect(world.contents("1000") == generated(4))
    }

    @Test func `a file that was changed after its download is not kept`() async throws {
        let world = TestWorld()
        _ = await world.fetch("/bytes/1000?seed=3")
        try leave(generated(3).prefix(999), world)
        let result = try #require(await world.fetch("/bytes/1000?seed=3").first)
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
        let world = TestWorld()
        try leave(generated(3), world)
        let url = world.address("/bytes/1000?seed=3")
        let descriptor = open("\(world.directory)/1000", O_RDWR)
        defer { close(descriptor) }
        age(descriptor)
        let origin = try #require(FileOrigin(url, of: descriptor))
        origin.write(to: descriptor)
        guard origin.marks(descriptor) else { return }
        #expect(ftruncate(descriptor, 400) == 0)
        if isPowerCut { age(descriptor) }
        let result = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect((result.error == nil) == isPowerCut, "\(result.error ?? "")")
        #expect(world.contents("1000") == (isPowerCut ? generated(3) : generated(3).prefix(400)))
        #expect(world.names == ["1000"])
    }

    @Test func `a file that appears during the download is not replaced`() async throws {
        let world = TestWorld()
        world.addGated()
        let server = world.server
        let results = await world.fetch("/gated") { _ in
            #expect(await server.reaches("middle"))
            try? leave(Data("mine".utf8), world, "gated")
            server.release("middle")
        }
        #expect(results.first?.error?.contains("File exists") == true)
        #expect(world.contents("gated") == Data("mine".utf8))
        #expect(world.contents("gated.part") == generated(9))
    }

    /// Once more: without a question where the file system keeps marks.
    private func expectKept(_ world: TestWorld) async throws {
        let descriptor = open("\(world.directory)/1000", O_RDONLY)
        defer { close(descriptor) }
        let url = world.address("/bytes/1000?seed=3")
        let isMarked = try #require(FileOrigin(url, of: descriptor)).marks(descriptor)
        world.server.resetLog()
        let again = try #require(await world.fetch("/bytes/1000?seed=3").first)
        #expect(again.isKept)
        #expect(world.server.requests.isEmpty == isMarked)
    }

    @Test(arguments: [false, true])
    func `a folder of the file's name is reported as what it is, and stays`(isForced: Bool)
        async throws
    {
        let world = TestWorld()
        try FileManager.default.createDirectory(
            atPath: "\(world.directory)/1000", withIntermediateDirectories: false)
        var settings = Fetcher.Settings.quick
        settings.isForced = isForced
        let result = try #require(
            await world.fetch("/bytes/1000?seed=3", settings: settings).first)
        let expected = isForced ? "Is a directory" : "/1000 is no regular file."
        #expect(result.error?.contains(expected) == true, "\(result.error ?? "")")
        #expect(world.contents("1000") == nil && world.names.contains("1000"))
    }
}
