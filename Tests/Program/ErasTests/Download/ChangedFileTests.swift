import TestSupport

@testable import eras

/// What a server says to the request for the rest of a part, where it has another file by now.
enum ChangedAnswer: String, CaseIterable, Sendable {
    /// It ignores If-Range.
    case restWithOtherTag, restWithOtherLength, restWithDateAlone
    /// It ignores the range's start.
    case wholeAsPart, wholeAsPartOfOneMore
    /// It ignores Range, and names the coding that it stores the file in.
    case wholeInACoding
    /// Its file is shorter, or as long and another one.
    case shorter, asLong

    /// - Parameter whole: what a request without a range gets.
    func response(to request: RecordedRequest, whole: Data) -> ScriptedResponse {
        let tag = ("ETag", "\"new\"")
        guard request.headers["Range"] != nil else { return .data(whole, headers: [tag]) }
        let rest = whole.dropFirst(400)
        func part(_ bytes: Data, _ range: String, _ more: [(String, String)]) -> ScriptedResponse {
            .data(bytes, status: 206, headers: [("Content-Range", "bytes \(range)")] + more)
        }
        switch self {
        case .restWithOtherTag: return part(rest, "400-999/1000", [tag])
        case .restWithOtherLength: return part(rest, "400-999/1001", [])
        case .restWithDateAlone:
            return part(
                rest, "400-999/1000", [("Last-Modified", "Fri, 27 Nov 2020 10:00:00 GMT")])
        case .wholeAsPart: return part(whole, "0-999/1000", [tag])
        case .wholeAsPartOfOneMore:
            return part(whole + Data([1]), "0-1000/1001", [tag])
        case .wholeInACoding:
            return .data(whole, headers: [tag, ("Content-Encoding", "gzip")])
        case .shorter: return .text("", status: 416, headers: [("Content-Range", "bytes */300")])
        case .asLong:
            return .text("", status: 416, headers: [("Content-Range", "bytes */400"), tag])
        }
    }
}

@Suite("Files that have changed on the server", .timeLimit(.minutes(2)))
struct ChangedFileTests {
    @Test(arguments: ChangedAnswer.allCases)
    func `a part of a file that has changed starts over, whatever the server says`(
        answer: ChangedAnswer
    ) async throws {
        let world = TestWorld()
        let whole = generated(5)
        world.server.add("/file") { answer.response(to: $0, whole: whole) }
        try world.leavePart(
            generated(3).prefix(400), as: "file", of: "/file", validator: "\"old\"")
        let result = try #require(
            await world.fetch("/file", settings: Fetcher.Settings(retries: 0)).first)
        #expect(result.error == nil)
        let expected = answer == .wholeAsPartOfOneMore ? whole + Data([1]) : whole
        #expect(world.contents("file") == expected)
        #expect(world.names == ["file"])
        #expect(world.ranges.first == "bytes=400-" && world.ranges.count <= 2)
    }

    @Test func `a file that changes with each request fails, and does not start over for ever`()
        async throws
    {
        let world = TestWorld()
        let count = Latest(0)
        world.server.add("/file") { request in
            let number = count.change { $0 += 1 }
            let tag = ("ETag", "\"\(number)\"")
            guard request.headers["Range"] != nil else {
                let head = ScriptedResponse.head(200, [("Content-Length", "1000"), tag])
                return ScriptedResponse([.bytes(head), .generated(seed: 3, range: 0..<600), .close])
            }
            return .data(
                generated(3).dropFirst(600), status: 206,
                headers: [("Content-Range", "bytes 600-999/1000"), tag])
        }
        let result = try #require(
            await world.fetch("/file", settings: Fetcher.Settings(retries: 4, retryDelay: 0.001))
                .first)
        #expect(result.error != nil && world.contents("file") == nil)
        #expect(world.server.requests.count <= 8, "\(world.ranges)")
    }

    @Test func `a download to standard output does not start over`() async throws {
        let world = TestWorld()
        world.server.add("/changes") { request in
            guard request.headers["Range"] != nil else {
                let head = ScriptedResponse.head(
                    200, [("Content-Length", "12"), ("ETag", "\"1\"")])
                return ScriptedResponse([.bytes(head), .bytes(Data("first ".utf8)), .close])
            }
            return .data(
                Data("second".utf8), status: 206,
                headers: [("Content-Range", "bytes 6-11/12"), ("ETag", "\"2\"")])
        }
        let ending = try await Program.run([
            "fetch", "-q", "-o", "-", "--retries", "1",
            world.address("/changes"),
        ])
        #expect(ending.code == 1 && ending.output == "first ", "\(ending.errors)")
        #expect(world.ranges == ["-", "bytes=6-"])
    }
}
