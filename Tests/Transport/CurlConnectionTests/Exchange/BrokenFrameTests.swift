import HTTPSemantics
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Frames of HTTP/2 for which the connection is given up", .timeLimit(.minutes(3)))
struct BrokenFrameTests {
    /// A frame after which nghttp2 hears nothing more of the connection (RFC 9113 section 5.4.1).
    enum Fault: CaseIterable {
        case shortPing, dataOfNoStream, shortSettings, badSettings, brokenFields, largeWindow
        case emptyWindow, shortReset, pushedData, loneContinuation, tooLarge

        func frame(_ stream: UInt32) -> [UInt8] {
            switch self {
            case .shortPing: HTTP2Server.frame(type: 6, stream: 0, [1, 2, 3])
            case .dataOfNoStream: HTTP2Server.frame(type: 0, stream: 0, [1])
            case .shortSettings: HTTP2Server.frame(type: 4, stream: 0, [1, 2, 3, 4, 5])
            // ENABLE_PUSH is 0 or 1.
            case .badSettings: HTTP2Server.frame(type: 4, stream: 0, [0, 2, 0, 0, 0, 9])
            case .brokenFields:
                HTTP2Server.frame(
                    type: 1, flags: 4, stream: stream, [UInt8](repeating: 0xFF, count: 5))
            case .largeWindow: HTTP2Server.frame(type: 8, stream: 0, [0x7F, 0xFF, 0xFF, 0xFF])
            case .emptyWindow: HTTP2Server.frame(type: 8, stream: 0, [0, 0, 0, 0])
            case .shortReset: HTTP2Server.frame(type: 3, stream: stream, [0, 0])
            case .pushedData: HTTP2Server.frame(type: 0, stream: 2, [1])
            case .loneContinuation: HTTP2Server.frame(type: 9, flags: 4, stream: stream, [0x88])
            case .tooLarge:
                HTTP2Server.frame(type: 0, stream: stream, [UInt8](repeating: 0, count: 16_385))
            }
        }
    }

    /// What came before it.
    enum Before: CaseIterable {
        case half, halfInOneRecord, noBody, gzip

        func records(_ stream: UInt32, _ fault: Fault) -> [[UInt8]] {
            var fields: [UInt8] = [0x88]
            // Literals with the static table's names 24 and 26: cache-control, content-encoding.
            fields += [0x0F, 24 - 15, 11] + Array("max-age=600".utf8)
            if self == .gzip { fields += [0x0F, 26 - 15, 4] + Array("gzip".utf8) }
            let head = HTTP2Server.frame(type: 1, flags: 4, stream: stream, fields)
            let body = self == .gzip ? Array(Compressed.zeros) : Array("half".utf8)
            let data = HTTP2Server.frame(type: 0, stream: stream, body)
            return switch self {
            case .half, .gzip: [head + data, fault.frame(stream)]
            case .halfInOneRecord: [head + data + fault.frame(stream)]
            case .noBody: [head, fault.frame(stream)]
            }
        }
    }

    private func withServer(
        _ answers: @escaping @Sendable (Int, UInt32) -> HTTP2Server.Answer,
        _ body: (TestWorld, URL) throws -> Void
    ) throws {
        try withWorld { world in
            let server = try HTTP2Server(
                world.cast.settings,
                answers: answers)
            defer { server.stop() }
            try body(world, try #require(URL(string: "https://localhost:\(server.port)/")))
        }
    }

    @Test(arguments: Fault.allCases, Before.allCases)
    func `a body without a length is no success, and is not stored`(fault: Fault, before: Before)
        throws
    {
        try withServer({ _, stream in .init(before.records(stream, fault)) }) { world, url in
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            let recorder = Recorder()
            let root = world.cast.root.certificate
            // Behind bytes of the same record libcurl waits for more.
            let heard = world.load(URLRequest(url: url, timeoutInterval: 1), recorder) {
                $0.trustRequirements.anchors = [root]
                $0.configuration.responseCache = cache
            }
            #expect(heard.error != nil, "\(fault) after \(before)")
            #expect(heard.count(.finish) == 0)
            #expect(cache.currentMemoryUsage == 0)
        }
    }

    @Test(arguments: Fault.allCases)
    func `nor are those of the other streams of that connection`(fault: Fault) throws {
        let start: @Sendable (UInt32) -> [UInt8] = { stream in
            HTTP2Server.frame(type: 1, flags: 4, stream: stream, [0x88])
                + HTTP2Server.frame(type: 0, stream: stream, Array("half".utf8))
        }
        try withServer({ _, stream in
            stream < 5 ? .init([start(stream)]) : .init([start(stream), fault.frame(stream)])
        }) { world, url in
            let recorders = (0..<3).map { _ in Recorder() }
            let root = world.cast.root.certificate
            for recorder in recorders {
                // libcurl does not wake those that wait.
                world.thread.start(URLRequest(url: url, timeoutInterval: 1), recorder) {
                    $0.trustRequirements.anchors = [root]
                }
                // The last is lost at once.
                if recorder !== recorders[2] { #expect(recorder.wait { $0.text == "half" }) }
            }
            for recorder in recorders { #expect(recorder.atEnd().error != nil, "\(fault)") }
        }
    }

    @Test(arguments: [false, true])
    func `nor is one whose stream is reset without an error and without an end`(hasBody: Bool)
        throws
    {
        let isHeard = DispatchSemaphore(value: 0)
        try withWorld { world in
            let server = try HTTP2Server(
                world.cast.settings,
                answers: { _, stream in
                    let head = HTTP2Server.frame(type: 1, flags: 4, stream: stream, [0x88])
                    let body = HTTP2Server.frame(type: 0, stream: stream, Array("half".utf8))
                    return .init(
                        [head + (hasBody ? body : [])],
                        last: {
                            isHeard.wait()
                            return HTTP2Server.frame(type: 3, stream: stream, [0, 0, 0, 0])
                        })
                })
            defer { server.stop() }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let recorder = Recorder()
            world.start(url, recorder)
            #expect(recorder.wait { hasBody ? $0.text == "half" : $0.count(.response) == 1 })
            world.thread.settle()
            isHeard.signal()
            #expect(recorder.atEnd().code == .networkConnectionLost)
        }
    }

    /// What comes with or after the end of a whole body.
    enum Ending: CaseIterable {
        case goneAwayBefore, goneAwayAfter, goneAwayInOneRecord, closed, resetAfterwards, pinged
    }

    @Test(arguments: Ending.allCases)
    func `a body whose stream has ended is whole, whatever becomes of the connection`(
        ending: Ending
    ) throws {
        try withWorld { world in
            var settings = world.cast.settings
            if ending == .closed { settings.ending = .closes }
            let server = try HTTP2Server(
                settings,
                answers: { _, stream in
                    let reply = HTTP2Server.reply(stream, "whole")
                    let away = HTTP2Server.frame(
                        type: 7, stream: 0, [0, 0, 0, UInt8(stream)] + [0, 0, 0, 0])
                    let ping = HTTP2Server.frame(type: 6, stream: 0, Array("12345678".utf8))
                    return switch ending {
                    case .goneAwayBefore: .init([away, reply])
                    case .goneAwayAfter: .init([reply, away])
                    case .goneAwayInOneRecord: .init([away + reply])
                    case .closed: .init([reply])
                    case .resetAfterwards:
                        .init([reply, HTTP2Server.frame(type: 3, stream: stream, [0, 0, 0, 0])])
                    case .pinged: .init([ping, reply, ping])
                    }
                })
            defer { server.stop() }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            for _ in 0..<2 {
                let heard = world.load(url)
                #expect(heard.error == nil, "\(ending)")
                #expect(heard.text == "whole")
            }
        }
    }
}
