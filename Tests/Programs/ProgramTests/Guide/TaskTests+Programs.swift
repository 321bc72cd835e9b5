import Foundation
import LoopbackServer
import NetworkImages
import OperationNetworking
import RequestEra
import TestSupport
import Testing

/// Tasks of whole programs: logins that expire, signals, files of images.
extension TaskTests {
    @Test
    func `one token is fetched for all requests that were refused`() async throws {
        let room = try Room(.served)
        room.server.add("/token") { _ in .json("{\"token\":\"new\"}") }
        room.server.add("/news") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json("[1]") : .text("who?", status: 401).after(.wait(gate: "refusals"))
        }
        room.server.hold("refusals")
        let manager = members(room.server.baseURL, token: "old")
        let url = room.server.url("/news")
        async let all = withThrowingTaskGroup(of: [Int].self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await manager.request(url).validate().serializingDecodable([Int].self).value
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await room.server.sees { $1.count == 3 })
        room.server.release("refusals")
        #expect(try await all == [[1], [1], [1]])
        #expect(room.server.requests.count { $0.path == "/token" } == 1)
        #expect(room.server.requests.count { $0.path == "/news" } == 6)
        let other = try Room(.served)
        other.server.add("/news") { _ in .json("[2]") }
        _ = try await manager.request(other.server.url("/news")).validate()
            .serializingDecodable([Int].self).value
        #expect(other.server.requests.first?.headers["Authorization"] == nil)
    }

    @Test
    func `a refused token that cannot be renewed is the refusal`() async throws {
        let room = try Room(.served)
        room.server.add("/token") { _ in .text("no", status: 403) }
        room.server.add("/news") { _ in .text("who?", status: 401) }
        let manager = members(room.server.baseURL, token: "old")
        let response = await manager.request(room.server.url("/news")).validate()
            .serializingData().response
        #expect(response.response?.statusCode == 401 && response.error != nil)
        #expect(room.server.requests.count { $0.path == "/news" } == 1)
    }

    @Test
    func `SIGINT cancels a download, and the next call goes on from its part`() async throws {
        let room = try Room(.served)
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        room.addTape("/image.iso", body)
        let base = room.server.baseURL
        let file = room.place("image.iso")
        let first = Task { try await downloadUntilInterrupted(base, to: file) }
        #expect(await room.server.reaches("half"))
        // Before the source has its handler the signal would end this process.
        #expect(await comesTrue { isHandled(SIGINT) })
        kill(getpid(), SIGINT)
        let error = await #expect(throws: (any Error).self) { try await first.value }
        #expect((error as? URLError)?.code == .cancelled, "\(String(describing: error))")
        room.server.release("half")
        _ = try await downloadUntilInterrupted(base, to: file)
        let isWhole = try Data(contentsOf: file) == body
        #expect(isWhole)
    }

    private func isHandled(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if os(Linux)
            return action.__sigaction_handler.sa_handler != nil
        #else
            return action.__sigaction_u.__sa_handler != nil
        #endif
    }

    @Test
    func `a thumbnail keeps the proportions of its picture`() async throws {
        let room = try Room(.served)
        let picture = try #require(
            DecodedImage(
                pixels: Data(repeating: 255, count: 400 * 300 * 4),
                size: PixelSize(width: 400, height: 300)))
        let png = try PNGEncoder().data(for: picture)
        room.server.add("/picture") { _ in .data(png, contentType: "image/png") }
        try await thumbnail(of: room.server.url("/picture"), to: room.place("1.png"))
        let small = try ImageDecoder().image(from: Data(contentsOf: room.place("1.png")))
        #expect(small.pixelSize == PixelSize(width: 200, height: 150))
    }
}
