import TestSupport

@testable import eras

@Suite("Going on with parts", .timeLimit(.minutes(2)))
struct ResumeTests {
    private static let path = "/bytes/1000?seed=3"
    private static let tag = "\"g3-1000\""

    @Test func `a part is continued with exactly the missing bytes`() async throws {
        let world = TestWorld()
        try world.leavePart(
            generated(3).prefix(400), as: "1000", of: Self.path, validator: Self.tag)
        let result = try #require(await world.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 400 && result.bytes == 1_000 && result.received == 600)
        #expect(result.sha256 == (try hash(generated(3))))
        #expect(world.ranges == ["bytes=400-"])
        #expect(world.server.requests.first?.headers["If-Range"] == Self.tag)
        #expect(world.contents("1000") == generated(3))
        #expect(world.names == ["1000"])
    }

    @Test func `a part of a file that has changed starts over`() async throws {
        let world = TestWorld()
        try world.leavePart(
            Data(repeating: 7, count: 999), as: "1000", of: Self.path, validator: "\"old\"")
        let result = try #require(await world.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 0)
        #expect(world.ranges == ["bytes=999-"])
        #expect(world.contents("1000") == generated(3))
        #expect(result.sha256 == (try hash(generated(3))))
    }

    @Test func `a part that is whole already needs no bytes`() async throws {
        let world = TestWorld()
        try world.leavePart(generated(3), as: "1000", of: Self.path, validator: Self.tag)
        let result = try #require(await world.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 1_000 && result.bytes == 1_000 && result.received == 0)
        #expect(result.sha256 == (try hash(generated(3))))
        #expect(world.ranges == ["bytes=1000-"])
        #expect(world.names == ["1000"])
    }

    @Test func `the text of a 416 does not become part of the file`() async throws {
        let world = TestWorld()
        world.server.add("/whole") { _ in
            .text("No such range.", status: 416, headers: [("Content-Range", "bytes */1000")])
        }
        try world.leavePart(generated(3), as: "whole", of: "/whole", validator: Self.tag)
        let result = try #require(await world.fetch("/whole").first)
        #expect(result.error == nil)
        #expect(world.contents("whole") == generated(3))
    }

    @Test(arguments: ["/range-wrong", "/range-416", "/status/404", "/status/301", "/close"])
    func `a part is kept when the answer does not fit`(path: String) async throws {
        let world = TestWorld()
        let name = path.components(separatedBy: "/").last ?? ""
        let part = generated(3).prefix(400)
        try world.leavePart(part, as: name, of: path, validator: Self.tag)
        let result = try #require(await world.fetch(path).first)
        #expect(result.error != nil)
        #expect(result.bytes == 400 && result.sha256 == nil)
        #expect(Set(world.ranges) == ["bytes=400-"])
        #expect(world.contents("\(name).part") == part)
        #expect(world.names == ["\(name).part", "\(name).part.json"])
    }

    @Test func `a part with another URL's record starts over`() async throws {
        let world = TestWorld()
        try world.leavePart(
            Data(repeating: 7, count: 10), as: "ok", of: "/other", validator: Self.tag)
        _ = await world.fetch("/ok")
        #expect(world.contents("ok") == Data("hello world".utf8))
        #expect(world.ranges == ["-"])
    }

    @Test func `a record that is not whole counts as none`() async throws {
        let world = TestWorld()
        try world.leavePart(Data(count: 10), as: "1000", of: Self.path, validator: Self.tag)
        try Data("{\"address\":\"http".utf8).write(
            to: URL(fileURLWithPath: world.directory + "/1000.part.json"))
        _ = await world.fetch(Self.path)
        #expect(world.ranges == ["-"])
        #expect(world.contents("1000") == generated(3))
    }

    @Test func `a part that is longer than the file starts over`() async throws {
        let world = TestWorld()
        try world.leavePart(Data(count: 1_001), as: "1000", of: Self.path, validator: Self.tag)
        _ = await world.fetch(Self.path)
        #expect(world.ranges == ["-"])
        #expect(world.contents("1000") == generated(3))
    }

    @Test func `an answer without a validator leaves a part without a record`() async throws {
        let world = TestWorld()
        let settings = Fetcher.Settings(retries: 0)
        let result = try #require(
            await world.fetch("/truncated?length=1000&sent=100", settings: settings).first)
        #expect(result.error != nil)
        #expect(world.names == ["truncated.part"])
        _ = await world.fetch("/truncated?length=1000&sent=100", settings: settings)
        #expect(world.ranges == ["-", "-"])
    }

    @Test func `a range in a content coding is not joined`() async throws {
        let world = TestWorld()
        world.server.add("/coded") { request in
            guard request.headers["Range"] != nil else { return .text("plain") }
            return .data(
                Data("x".utf8), status: 206,
                headers: [
                    ("Content-Range", "bytes 4-4/5"), ("Content-Encoding", "gzip"),
                    ("ETag", Self.tag),
                ])
        }
        try world.leavePart(
            Data("plai".utf8), as: "coded", of: "/coded", validator: Self.tag, length: 5)
        let result = try #require(await world.fetch("/coded").first)
        #expect(result.error == nil)
        #expect(world.ranges == ["bytes=4-", "-"])
        #expect(world.contents("coded") == Data("plain".utf8))
    }

    @Test func `interrupted and started again, it asks only for the missing bytes`() async throws {
        let world = TestWorld()
        world.addGated()
        let first = await world.fetch("/gated", "/ok", "/hang") { fetcher in
            // The server has seen the third as well, or its log would show it later.
            while fetcher.progress.active.first?.stored != 600 || fetcher.progress.finished != 1
                || world.server.requests.count < 3
            {
                await Task.yield()
            }
            fetcher.cancel()
        }
        #expect(first.map(\.isInterrupted) == [true, false, true])
        #expect(first[0].bytes == 600)
        #expect(world.names == ["gated.part", "gated.part.json", "ok"])

        world.server.resetLog()
        let second = await world.fetch("/gated", "/ok")
        #expect(second.map(\.error) == [nil, nil])
        #expect(second[0].sha256 == (try hash(generated(9))))
        #expect(second[0].resumedFrom == 600 && second[0].received == 400)
        #expect(world.ranges == ["bytes=600-"])
        #expect(world.names == ["gated", "ok"])
    }
}
