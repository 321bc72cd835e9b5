import Synchronization
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Bodies of HTTP/2 that are cut", .timeLimit(.minutes(2)))
struct CutStreamTests {
    /// What ends a body before its END_STREAM, in the record with the body's first bytes.
    enum Cut: CaseIterable {
        case closed, closedWithGoodbye, goneAway, reset, ended
        case resetWithoutError, resetWithoutErrorOrLength
    }

    /// A 200 and the first bytes of its body, which has nine where the head says how many.
    private static func start(
        _ stream: UInt32, hasLength: Bool = false, isEnd: Bool = false
    ) -> [UInt8] {
        // content-length is the static table's name 28.
        let fields: [UInt8] = [0x88] + (hasLength ? [0x0F, 13, 1, UInt8(ascii: "9")] : [])
        return HTTP2Server.frame(type: 1, flags: 4, stream: stream, fields)
            + HTTP2Server.frame(
                type: 0, flags: isEnd ? 1 : 0, stream: stream, Array("half".utf8))
    }

    private static func reset(_ stream: UInt32, _ reason: UInt8) -> [UInt8] {
        HTTP2Server.frame(type: 3, stream: stream, [0, 0, 0, reason])
    }

    private static func frames(_ cut: Cut, _ stream: UInt32) -> [UInt8] {
        let start = start(stream)
        return switch cut {
        case .closed, .closedWithGoodbye: start
        case .goneAway:
            start
                + HTTP2Server.frame(
                    type: 7, stream: 0, [0, 0, 0, UInt8(stream)] + [0, 0, 0, 0])
        case .reset: start + reset(stream, 2)
        case .resetWithoutError: Self.start(stream, hasLength: true) + reset(stream, 0)
        case .resetWithoutErrorOrLength: start + reset(stream, 0)
        case .ended: Self.start(stream, hasLength: true, isEnd: true)
        }
    }

    @Test(arguments: Cut.allCases)
    func `a body that is cut is no success`(cut: Cut) throws {
        try withWorld { world in
            var settings = world.cast.settings
            switch cut {
            case .closed, .goneAway: settings.ending = .isCut
            case .closedWithGoodbye: settings.ending = .closes
            case .reset, .resetWithoutError, .resetWithoutErrorOrLength, .ended: break
            }
            let server = try HTTP2Server(settings) { _, stream in Self.frames(cut, stream) }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            // libcurl 8 reports this one like the end of the stream (Documentation/Decisions/0044).
            let isUnseen =
                cut == .resetWithoutErrorOrLength && !CurlGlobal.version.hasPrefix("7.")
            #expect(world.load(url).code == (isUnseen ? nil : .networkConnectionLost), "\(cut)")
            _ = server.stop()
        }
    }

    /// A stream that is reset with NO_ERROR and has no length looks to libcurl as if it had ended well.
    @Test(arguments: [(UInt8(0), true), (2, false), (8, false)])
    func `nor is one whose stream is reset later`(reason: UInt8, hasLength: Bool) throws {
        try withWorld { world in
            let settings = world.cast.settings
            let server = try HTTP2Server(settings) { _, stream in
                stream == 1
                    ? Self.start(1, hasLength: hasLength)
                    : Self.reset(1, reason) + HTTP2Server.reply(stream, "next")
            }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let (first, next) = (Recorder(), Recorder())
            world.start(url, first)
            #expect(first.wait { $0.text == "half" })
            world.start(url, next)
            #expect(next.atEnd().text == "next")
            #expect(first.atEnd().code == .networkConnectionLost)
            #expect(server.stop() == 1)
        }
    }

    /// So that the thread has seen what had come.
    private func goRound(_ world: TestWorld) throws {
        let server = LoopbackServer.started()
        defer { server.stop() }
        for _ in 0..<2 { #expect(world.load(server.url("/ok")).error == nil) }
        world.thread.settle()
    }

    @Test(arguments: [false, true])
    func `nor is one that is reset without an error while the consumer is behind`(isWhole: Bool)
        throws
    {
        let isSent = DispatchSemaphore(value: 0)
        try withWorld { world in
            let settings = world.cast.settings
            let server = try HTTP2Server(
                settings,
                answers: { _, stream in
                    let more = HTTP2Server.frame(
                        type: 0, flags: isWhole ? 1 : 0, stream: stream, Array("more".utf8))
                    return .init(
                        [Self.start(stream), more, Self.reset(stream, 0)],
                        last: {
                            isSent.signal()
                            return HTTP2Server.frame(
                                type: 6, stream: 0, Array("12345678".utf8))
                        })
                })
            defer { server.stop() }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            // It takes the first bytes, and libcurl keeps the others.
            recorder.onNotConsumed = { [weak recorder] in
                recorder?.heard.text.isEmpty == false && isFull.load(ordering: .relaxed) ? 1_000 : 0
            }
            world.start(url, recorder)
            #expect(recorder.wait { $0.text == "half" })
            #expect(isSent.wait(timeout: .now() + 30) == .success)
            try goRound(world)
            let count = recorder.heard.count(.notConsumed)
            #expect(recorder.wait { $0.count(.notConsumed) > count + 2 })
            isFull.store(false, ordering: .relaxed)
            let heard = recorder.atEnd()
            #expect(heard.text == "halfmore")
            // libcurl 8 reports this one like the end of the stream (Documentation/Decisions/0044).
            let isUnseen = isWhole || !CurlGlobal.version.hasPrefix("7.")
            #expect(heard.code == (isUnseen ? nil : .networkConnectionLost))
        }
    }
}
