import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("A server that sends less of the rest than was asked for", .timeLimit(.minutes(2)))
struct ShortRestTests {
    /// The first response does not say how long the file is, and breaks off after 300 bytes.
    private func world(
        _ rest: @escaping @Sendable (Range<Int64>) -> ScriptedResponse
    ) throws -> TestWorld {
        let world = TestWorld()
        world.server.add("/file") { request in
            guard let range = request.headers["Range"] else {
                let head = [("Transfer-Encoding", "chunked"), ("ETag", "\"one\"")]
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, head) + Data("12c\r\n".utf8)),
                    .generated(seed: 3, range: 0..<300), .bytes(Data("\r\n".utf8)), .close,
                ])
            }
            let first = range.dropFirst("bytes=".count).split(separator: "-").first
            let offset = first.flatMap { Int64($0) } ?? 0
            return rest(offset..<min(offset + 400, 1_000))
        }
        return world
    }

    @Test func `a rest that stops short of the total it names is gone on with`() async throws {
        let world = try world { range in
            let head = [
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000"),
                ("Content-Length", "\(range.count)"), ("ETag", "\"one\""),
            ]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, head)), .generated(seed: 3, range: range),
            ])
        }
        let file = try await world.download("/file", as: "a", .tries(4))
        #expect(file.length == 1_000 && world.contents("a") == generated(3))
        #expect(world.server.requests.count == 3)
    }

    @Test func `a rest that ends before the end of its range is gone on with`() async throws {
        let world = try world { range in
            let head = [
                ("Content-Range", "bytes \(range.lowerBound)-999/*"),
                ("Transfer-Encoding", "chunked"), ("ETag", "\"one\""),
            ]
            let size = String(range.count, radix: 16)
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, head) + Data("\(size)\r\n".utf8)),
                .generated(seed: 3, range: range), .bytes(Data("\r\n0\r\n\r\n".utf8)),
            ])
        }
        let file = try await world.download("/file", as: "a", .tries(4))
        #expect(file.length == 1_000 && world.contents("a") == generated(3))
    }
}
