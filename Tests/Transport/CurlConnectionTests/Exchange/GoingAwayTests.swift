import TLSPeer
import TestSupport

@testable import CurlConnection

/// RFC 9113 section 6.8: a request above the last stream of a GOAWAY may be sent again.
@Suite("Servers that close a connection of HTTP/2 politely", .timeLimit(.minutes(2)))
struct GoingAwayTests {
    /// The first connection answers one request, and closes when it sees the next.
    private func withServer(_ body: (TestWorld, URL, Log<[UInt32]>) throws -> Void) throws {
        try withWorld { world in
            let seen = Log<[UInt32]>()
            let server = try HTTP2Server(
                world.cast.settings,
                answers: { connection, stream in
                    seen.add([UInt32(connection), stream])
                    guard connection == 1, stream > 1 else {
                        return .init([HTTP2Server.reply(stream, "whole")])
                    }
                    return .init([
                        HTTP2Server.frame(type: 7, stream: 0, [0, 0, 0, 1, 0, 0, 0, 0])
                    ])
                })
            defer { server.stop() }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            #expect(world.load(url).text == "whole")
            try body(world, url, seen)
        }
    }

    private func load(_ request: URLRequest, _ world: TestWorld) -> Heard {
        let recorder = Recorder()
        let root = world.cast.root.certificate
        return world.load(request, recorder) { $0.trustRequirements.anchors = [root] }
    }

    @Test(arguments: ["GET", "DELETE"])
    func `a request that may be repeated is sent once more, on a new connection`(
        _ method: String
    ) throws {
        try withServer { world, url, seen in
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = method
            let heard = load(request, world)
            #expect(heard.error == nil && heard.text == "whole")
            #expect(seen.all == [[1, 1], [1, 3], [2, 1]])
        }
    }

    @Test func `another fails as on a kept connection that was closed`() throws {
        try withServer { world, url, seen in
            var request = URLRequest(url: url, timeoutInterval: 10)
            request.httpMethod = "POST"
            request.httpBody = Data("body".utf8)
            let heard = load(request, world)
            #expect(heard.code == .networkConnectionLost)
            let text = heard.error?.localizedDescription ?? ""
            #expect(text.contains("closed the kept connection"), "\(text)")
            #expect(seen.all == [[1, 1], [1, 3]])
        }
    }
}
