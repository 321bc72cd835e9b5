import TestSupport

@testable import eras

@Suite("Going on with parts", .timeLimit(.minutes(2)))
struct ResumeTests {
    private static let path = "/bytes/1000?seed=3"
    private static let tag = "\"g3-1000\""

    @Test func `a part is continued with exactly the missing bytes`() async throws {
        let room = try FetchRoom()
        try room.leavePart(
            generated(3).prefix(400), as: "1000", of: Self.path, validator: Self.tag)
        let result = try #require(await room.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 400 && result.bytes == 1_000 && result.received == 600)
        #expect(result.sha256 == (try hash(generated(3))))
        #expect(room.ranges == ["bytes=400-"])
        #expect(room.server.requests.first?.headers["If-Range"] == Self.tag)
        #expect(room.contents("1000") == generated(3))
        #expect(room.names == ["1000"])
    }

    @Test func `a part of a file that has changed starts over`() async throws {
        let room = try FetchRoom()
        try room.leavePart(
            Data(repeating: 7, count: 999), as: "1000", of: Self.path, validator: "\"old\"")
        let result = try #require(await room.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 0)
        #expect(room.ranges == ["bytes=999-"])
        #expect(room.contents("1000") == generated(3))
        #expect(result.sha256 == (try hash(generated(3))))
    }

    @Test func `a part that is whole already needs no bytes`() async throws {
        let room = try FetchRoom()
        try room.leavePart(generated(3), as: "1000", of: Self.path, validator: Self.tag)
        let result = try #require(await room.fetch(Self.path).first)
        #expect(result.error == nil)
        #expect(result.resumedFrom == 1_000 && result.bytes == 1_000 && result.received == 0)
        #expect(result.sha256 == (try hash(generated(3))))
        #expect(room.ranges == ["bytes=1000-"])
        #expect(room.names == ["1000"])
    }

    @Test func `the text of a 416 does not become part of the file`() async throws {
        let room = try FetchRoom()
        room.server.add("/whole") { _ in
            .text("No such range.", status: 416, headers: [("Content-Range", "bytes */1000")])
        }
        try room.leavePart(generated(3), as: "whole", of: "/whole", validator: Self.tag)
        let result = try #require(await room.fetch("/whole").first)
        #expect(result.error == nil)
        #expect(room.contents("whole") == generated(3))
    }

    @Test(arguments: ["/range-wrong", "/range-416", "/status/404", "/status/301", "/close"])
    func `a part is kept when the answer does not fit`(path: String) async throws {
        let room = try FetchRoom()
        let name = path.components(separatedBy: "/").last ?? ""
        let part = generated(3).prefix(400)
        try room.leavePart(part, as: name, of: path, validator: Self.tag)
        let result = try #require(await room.fetch(path).first)
        #expect(result.error != nil)
        #expect(result.bytes == 400 && result.sha256 == nil)
        #expect(Set(room.ranges) == ["bytes=400-"])
        #expect(room.contents("\(name).part") == part)
        #expect(room.names == ["\(name).part", "\(name).part.json"])
    }

    @Test func `a part with another URL's record starts over`() async throws {
        let room = try FetchRoom()
        try room.leavePart(
            Data(repeating: 7, count: 10), as: "ok", of: "/other", validator: Self.tag)
        _ = await room.fetch("/ok")
        #expect(room.contents("ok") == Data("hello world".utf8))
        #expect(room.ranges == ["-"])
    }

    @Test func `a record that is not whole counts as none`() async throws {
        let room = try FetchRoom()
        try room.leavePart(Data(count: 10), as: "1000", of: Self.path, validator: Self.tag)
        try Data("{\"address\":\"http".utf8).write(
            to: URL(fileURLWithPath: room.directory + "/1000.part.json"))
        _ = await room.fetch(Self.path)
        #expect(room.ranges == ["-"])
        #expect(room.contents("1000") == generated(3))
    }

    @Test func `a part that is longer than the file starts over`() async throws {
        let room = try FetchRoom()
        try room.leavePart(Data(count: 1_001), as: "1000", of: Self.path, validator: Self.tag)
        _ = await room.fetch(Self.path)
        #expect(room.ranges == ["-"])
        #expect(room.contents("1000") == generated(3))
    }

    @Test func `an answer without a validator leaves a part without a record`() async throws {
        let room = try FetchRoom()
        let settings = Fetcher.Settings(retries: 0)
        let result = try #require(
            await room.fetch("/truncated?length=1000&sent=100", settings: settings).first)
        #expect(result.error != nil)
        #expect(room.names == ["truncated.part"])
        _ = await room.fetch("/truncated?length=1000&sent=100", settings: settings)
        #expect(room.ranges == ["-", "-"])
    }

    @Test func `a range in a content coding is not joined`() async throws {
        let room = try FetchRoom()
        room.server.add("/coded") { request in
            guard request.headers["Range"] != nil else { return .text("plain") }
            return .data(
                Data("x".utf8), status: 206,
                headers: [
                    ("Content-Range", "bytes 4-4/5"), ("Content-Encoding", "gzip"),
                    ("ETag", Self.tag),
                ])
        }
        try room.leavePart(
            Data("plai".utf8), as: "coded", of: "/coded", validator: Self.tag, length: 5)
        let result = try #require(await room.fetch("/coded").first)
        #expect(result.error == nil)
        #expect(room.ranges == ["bytes=4-", "-"])
        #expect(room.contents("coded") == Data("plain".utf8))
    }

    @Test func `interrupted and started again, it asks only for the missing bytes`() async throws {
        let room = try FetchRoom()
        room.addGated()
        let first = await room.fetch("/gated", "/ok", "/hang") { fetcher in
            // The server has seen the third as well, or its log would show it later.
            while fetcher.progress.active.first?.stored != 600 || fetcher.progress.finished != 1
                || room.server.requests.count < 3
            {
                await Task.yield()
            }
            fetcher.cancel()
        }
        #expect(first.map(\.isInterrupted) == [true, false, true])
        #expect(first[0].bytes == 600)
        #expect(room.names == ["gated.part", "gated.part.json", "ok"])

        room.server.resetLog()
        let second = await room.fetch("/gated", "/ok")
        #expect(second.map(\.error) == [nil, nil])
        #expect(second[0].sha256 == (try hash(generated(9))))
        #expect(second[0].resumedFrom == 600 && second[0].received == 400)
        #expect(room.ranges == ["bytes=600-"])
        #expect(room.names == ["gated", "ok"])
    }
}
