import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// Others change the files of a download while it runs.
@Suite("A file that is replaced during its download", .timeLimit(.minutes(2)))
struct ReplacedFileTests {
    private let world = TestWorld()

    init() {
        world.server.add("/gated") { request in
            let whole = ScriptedResponse.generatedFile(seed: 3, length: 1_000, request: request)
            return ScriptedResponse(
                whole.steps.dropLast() + [
                    .generated(seed: 3, range: 0..<600), .wait(gate: "middle"),
                    .generated(seed: 3, range: 600..<1_000),
                ])
        }
    }

    /// Downloads, and does something when 600 of 1,000 bytes have come.
    private func download(
        _ options: DownloadOptions = .once, meanwhile body: () throws -> Void
    ) async throws -> Result<DownloadedFile, any Error> {
        let task = Task { [world] in try await world.download("/gated", as: "a", options) }
        #expect(await world.server.reaches("middle"))
        while world.contents("a.part")?.count != 600 { await Task.yield() }
        try body()
        world.server.release("middle")
        return await task.result
    }

    @Test func `a file that was compared and has changed since is not said to be the server's`()
        async throws
    {
        try generated(3).write(to: world.file("a"))
        let result = try await download {
            try generated(4).write(to: world.file("a"))
        }
        guard
            case .otherFile = #expect(throws: DownloadError.self, performing: { try result.get() })
        else {
            Issue.record("\(result)")
            return
        }
        #expect(world.contents("a") == generated(4))
        // Nor is it known as the server's by the next one.
        world.server.release("middle")
        let error = await world.failure("/gated", as: "a")
        guard case .otherFile = error as? DownloadError else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a part that another file has taken the place of is not published`() async throws {
        let result = try await download {
            try generated(4).write(to: world.file("a.part"), options: .atomic)
        }
        #expect(throws: DownloadError.self) { try result.get() }
        #expect(world.contents("a") == nil && world.contents("a.part") == generated(4))
    }

    @Test func `a part that somebody has added to is not published`() async throws {
        let result = try await download {
            let file = try FileHandle(forWritingTo: world.file("a.part"))
            try file.write(contentsOf: Data(count: 0))
            try file.truncate(atOffset: 2_000)
            try file.close()
        }
        #expect(throws: DownloadError.self) { try result.get() }
        #expect(world.contents("a") == nil)
    }

    /// A file of which a power cut took bytes; nil where the file system keeps no marks.
    private func cutShort(_ address: String) throws -> String? {
        let path = world.file("a").path
        try generated(3).write(to: world.file("a"))
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        // The mark has the file's time, which is before the system began to run.
        let times = [timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
        #expect(futimes(descriptor, times + times) == 0)
        let origin = try #require(FileOrigin(address, of: descriptor))
        origin.write(to: descriptor)
        guard origin.marks(descriptor) else { return nil }
        #expect(ftruncate(descriptor, 400) == 0 && futimes(descriptor, times + times) == 0)
        return path
    }

    @Test func `a whole part that was not renamed is no fetched file`() throws {
        for name in ["a", "a.part"] {
            try generated(3).write(to: world.file(name))
            FileOrigin.mark(world.file(name).path, "http://h.test/")
        }
        let names = FileOrigin.names(
            in: world.file("a").deletingLastPathComponent().path)
        #expect(names.isEmpty || Array(names.values) == ["a"])
    }

    @Test func `a file that a power cut has shortened is removed unread`() throws {
        guard let path = try cutShort("http://h.test/") else { return }
        var reads = 0
        let found = try ExistingFile(path: path, address: "http://h.test/") {
            reads += 1
            return false
        }
        #expect(found == nil && reads == 0)
        #expect(world.contents("a") == nil)
    }

    @Test func `a file that takes the name of one that a power cut has shortened stays`() throws {
        guard let path = try cutShort("http://h.test/") else { return }
        let replace = {
            #expect((try? generated(4).write(to: world.file("a"), options: .atomic)) != nil)
        }
        let found = try ExistingFile(path: path, address: "http://h.test/", opened: replace) {
            false
        }
        #expect(found?.isOurs == false)
        #expect(world.contents("a") == generated(4))
    }
}
