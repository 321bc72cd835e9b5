import ProcessUse
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Suspended streams of HTTP/2", .timeLimit(.minutes(5)))
struct SuspendedStreamTests {
    private static func data(_ stream: UInt32, _ bytes: [UInt8], isEnd: Bool) -> [UInt8] {
        HTTP2Server.frame(type: 0, flags: isEnd ? 1 : 0, stream: stream, bytes)
    }

    private static func head(_ stream: UInt32) -> [UInt8] {
        HTTP2Server.frame(type: 1, flags: 4, stream: stream, [0x88])
    }

    /// Suspends a first stream at its first data, and loads a second one on its connection.
    private func load(
        first: [UInt8], second: [UInt8]
    ) throws -> Heard {
        try withWorld { world in
            let server = try HTTP2Server(world.cast.settings) { _, stream in
                stream == 1 ? first : second
            }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let recorder = Recorder()
            recorder.onCall = { call, connection in
                if call == .data, recorder.heard.count(.data) == 1 { connection.suspend() }
            }
            let root = world.cast.root.certificate
            let request = URLRequest(url: url, timeoutInterval: 1)
            world.thread.start(request, recorder) { $0.trustRequirements.anchors = [root] }
            #expect(recorder.wait { $0.count(.data) == 1 })
            world.thread.settle()
            let other = world.load(url)
            #expect(other.text == "other", "\(String(describing: other.error))")
            world.thread.settle()
            #expect(try secondsOfWork(in: world) < 0.3)
            #expect(recorder.heard.count(.data) == 1)
            #expect(!recorder.heard.hasEnded)
            _ = world.thread.sync { recorder.connection?.resume() }
            let heard = recorder.atEnd()
            #expect(server.stop() == 1)
            return heard
        }
    }

    /// How long the thread works while the limit of a load that gets no answer passes.
    private func secondsOfWork(in world: TestWorld) throws -> Double {
        let server = LoopbackServer.started()
        defer { server.stop() }
        let before = try #require(world.thread.sync { ProcessorTime.ofThisThread })
        let clock = Recorder()
        let request = URLRequest(url: server.url("/hang"), timeoutInterval: 1.5)
        world.thread.start(request, clock)
        #expect(clock.atEnd().code == .timedOut)
        let after = try #require(world.thread.sync { ProcessorTime.ofThisThread })
        return Double(after - before) / 1e9
    }

    @Test func `one rests, another of its connection goes on, and it ends whole`() throws {
        let heard = try load(
            first: Self.head(1) + Self.data(1, Array("first".utf8), isEnd: false),
            second: Self.data(1, Array(" rest".utf8), isEnd: true) + HTTP2Server.reply(3, "other"))
        #expect(heard.text == "first rest")
        #expect(heard.order.last == .finish)
    }

    @Test func `what the server had sent already keeps no other stream waiting`() throws {
        let piece = [UInt8](repeating: 7, count: 16_384)
        let pieces = (0..<640).flatMap { Self.data(1, piece, isEnd: $0 == 639) }
        let heard = try load(
            first: Self.head(1) + pieces, second: HTTP2Server.reply(3, "other"))
        #expect(heard.data == Data(repeating: 7, count: 640 * 16_384))
        #expect(heard.order.last == .finish)
    }
}
