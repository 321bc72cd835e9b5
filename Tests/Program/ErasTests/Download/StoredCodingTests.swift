import TestSupport

@testable import eras

@Suite("Files that are stored in a content coding", .timeLimit(.minutes(2)))
struct StoredCodingTests {
    /// The text of a table, and its gzip.
    private static let table = Data("a,b\n1,2\n".utf8)
    private static let zipped =
        Data(base64Encoded: "H4sIAAAAAAAC/0vUSeIy1DHiAgB7B5cKCAAAAA==") ?? Data()

    @Test(arguments: [
        "gzip", "x-gzip", "deflate", "br", "zstd", "aws-chunked", "UTF-8", "none", "binary",
        "7bit", "gzip, aws-chunked", "identity", "",
    ])
    func `a file arrives with the bytes that were sent, whatever coding they are said to have`(
        coding: String
    ) async throws {
        let world = TestWorld()
        world.server.add("/data.csv.gz") { _ in
            .data(Self.zipped, headers: [("Content-Encoding", coding), ("ETag", "\"1\"")])
        }
        let ending = try await Program.run([
            "fetch", "-o", world.directory, "--retries", "0", "--sha256", try hash(Self.zipped),
            world.address("/data.csv.gz"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.contents("data.csv.gz") == Self.zipped)
        #expect(world.server.requests.map { $0.headers["Accept-Encoding"] } == ["identity"])
    }

    @Test(arguments: ["gzip", nil])
    func `a part of such a file continues, also if the second response names no coding`(
        coding: String?
    )
        async throws
    {
        let world = TestWorld()
        world.server.add("/coded") { request in
            let tag = ("ETag", "\"1\"")
            guard request.headers["Range"] != nil else {
                let head = ScriptedResponse.head(
                    200, [("Content-Length", "1000"), ("Content-Encoding", "gzip"), tag])
                return ScriptedResponse([.bytes(head), .generated(seed: 3, range: 0..<600), .close])
            }
            return .data(
                generated(3).dropFirst(600), status: 206,
                headers: [("Content-Range", "bytes 600-999/1000"), tag]
                    + (coding.map { [("Content-Encoding", $0)] } ?? []))
        }
        let result = try #require(await world.fetch("/coded").first)
        #expect(result.error == nil)
        #expect(world.ranges == ["-", "bytes=600-"])
        #expect(world.contents("coded") == generated(3))
    }

    @Test func `with --compressed a coding is offered, and the file is the decoded one`()
        async throws
    {
        let world = TestWorld()
        world.server.add("/data.csv") { request in
            guard request.headers["Accept-Encoding"]?.contains("gzip") == true else {
                return .data(Self.table)
            }
            return .data(Self.zipped, headers: [("Content-Encoding", "gzip"), ("ETag", "\"1\"")])
        }
        let ending = try await Program.run([
            "fetch", "-o", world.directory, "--compressed", "--segments", "4", "--sha256",
            try hash(Self.table), world.address("/data.csv"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.contents("data.csv") == Self.table && world.names == ["data.csv"])
        #expect(world.server.requests.first?.headers["Accept-Encoding"] == "gzip, deflate")
    }

    @Test
    func `with --compressed a truncated file starts over, because a coding cannot be continued`()
        async throws
    {
        let world = TestWorld()
        let count = Latest(0)
        world.server.add("/data.csv") { _ in
            let head = ScriptedResponse.head(
                200,
                [
                    ("Content-Length", "\(Self.zipped.count)"), ("Content-Encoding", "gzip"),
                    ("ETag", "\"1\""),
                ])
            let sent = count.change { $0 += 1 } == 1 ? Self.zipped.prefix(20) : Self.zipped
            return ScriptedResponse([.bytes(head), .bytes(sent), .close])
        }
        let ending = try await Program.run([
            "fetch", "-q", "-o", world.directory, "--compressed", world.address("/data.csv"),
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        #expect(world.ranges == ["-", "-"] && world.contents("data.csv") == Self.table)
    }
}
