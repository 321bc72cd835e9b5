import CZlib
import TLSPeer
import TestSupport

@testable import CurlConnection

/// Peers that send without end what is part of no answer, or what is little and costs much.
@Suite("Peers that send without end", .timeLimit(.minutes(5)))
struct EndlessPeerTests {
    /// Loads from a hostile server, and from a good one meanwhile, on one thread.
    private func load(
        _ request: URLRequest, _ world: TestWorld, _ hostile: Recorder = Recorder(),
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Heard {
        let server = LoopbackServer.started()
        defer { server.stop() }
        let watch = PassWatch { [thread = world.thread] in thread.run($0) }
        let root = world.cast.root.certificate
        world.thread.start(request, hostile) {
            $0.trustRequirements.anchors = [root]
            configure($0)
        }
        for _ in 0..<20 {
            let good = Recorder()
            world.thread.start(URLRequest(url: server.url("/bytes/100000")), good)
            #expect(good.atEnd().data.count == 100_000, sourceLocation: sourceLocation)
        }
        #expect(hostile.wait { $0.hasEnded }, sourceLocation: sourceLocation)
        let longest = watch.end()
        #expect(longest < PassWatch.limit, "a pass of \(longest) s", sourceLocation: sourceLocation)
        return hostile.heard
    }

    private func settings(_ world: TestWorld, highest: Int = 0) -> TLSServer.Settings {
        var settings = world.cast.settings
        settings.highest = highest
        return settings
    }

    private func expectCut(
        _ heard: Heard, _ what: Any, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(heard.code == .badServerResponse, "\(what)", sourceLocation: sourceLocation)
        #expect(
            heard.error?.localizedDescription.contains("without end") == true,
            "\(what): \(heard.error as Any)", sourceLocation: sourceLocation)
    }

    // MARK: HTTP/2

    enum Frames: CaseIterable {
        case emptyData, pingAnswers, priorities, windows, unknown, otherService

        func bytes(_ stream: UInt32) -> [UInt8] {
            let frame =
                switch self {
                case .emptyData: HTTP2Server.frame(type: 0, stream: stream)
                case .pingAnswers:
                    HTTP2Server.frame(type: 6, flags: 1, stream: 0, Array("12345678".utf8))
                case .priorities: HTTP2Server.frame(type: 2, stream: stream, [0, 0, 0, 0, 1])
                case .windows: HTTP2Server.frame(type: 8, stream: stream, [0, 0, 0, 1])
                case .unknown: HTTP2Server.frame(type: 0x42, stream: 0)
                case .otherService: HTTP2Server.frame(type: 10, stream: 0, [0, 1, 65, 66])
                }
            return Array(repeatElement(frame, count: 16_000 / frame.count).joined())
        }
    }

    enum Place: CaseIterable {
        case beforeHead, behindHead, insideBody
    }

    @Test(arguments: Frames.allCases, Place.allCases)
    func `frames without a byte of a body do not hold the other loads`(
        frames: Frames, place: Place
    ) throws {
        // A body before its head is another error.
        guard frames != .emptyData || place != .beforeHead else { return }
        // libcurl 8 ends each call by itself: no connection is cut, and the time-out ends the load.
        let endsCalls = !CurlGlobal.version.hasPrefix("7.")
        try withWorld { world in
            let server = try HTTP2Server(
                settings(world),
                answers: { _, stream in
                    let head = HTTP2Server.frame(type: 1, flags: 4, stream: stream, [0x88])
                    let data = HTTP2Server.frame(type: 0, stream: stream, Array("half".utf8))
                    let start =
                        switch place {
                        case .beforeHead: [] as [[UInt8]]
                        case .behindHead: [head]
                        case .insideBody: [head + data]
                        }
                    return .init(start, endless: frames.bytes(stream))
                })
            defer { server.stop() }
            let url = try #require(URL(string: "https://localhost:\(server.port)/"))
            let heard = try load(
                URLRequest(url: url, timeoutInterval: endsCalls ? 5 : 60), world)
            #expect(heard.error != nil, "\(frames) \(place)")
            if endsCalls, heard.code == .timedOut { return }
            // nghttp2 itself gives up after some frames of a few kinds.
            if ![.windows].contains(frames) { expectCut(heard, "\(frames) \(place)") }
        }
    }

    // MARK: TLS

    @Test(arguments: Place.allCases)
    func `new keys without end do not hold the other loads`(place: Place) throws {
        try withWorld { world in
            let server = try RawServer(settings(world, highest: 0x0304)) { peer in
                guard peer.readHead() != nil else { return }
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"
                switch place {
                case .beforeHead: break
                case .behindHead: _ = peer.write(head)
                case .insideBody: _ = peer.write(head + "half")
                }
                peer.endlessly { peer.updateKeys() }
            }
            defer { server.stop() }
            expectCut(try load(URLRequest(url: try server.url()), world), place)
        }
    }

    // MARK: Proxies

    /// libcurl reads the body of a refusal that it answers itself.
    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: 99999999999"])
    func `a proxy's refusal whose body has no end does not hold the other loads`(framing: String)
        throws
    {
        try withWorld { world in
            let server = try RawServer { peer in
                guard peer.readHead() != nil else { return }
                _ = peer.write(
                    "HTTP/1.1 407 Login\r\nProxy-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n"
                        + framing + "\r\n\r\n")
                let filler = String(repeating: "a", count: 0xFFF)
                let piece = framing.hasPrefix("T") ? "fff\r\n\(filler)\r\n" : filler
                peer.endlessly { peer.write(piece) }
            }
            defer { server.stop() }
            let proxy = try Proxy(.http, host: "127.0.0.1", port: Int(server.port))
            let url = try #require(URL(string: "https://localhost:9/"))
            let recorder = Recorder()
            recorder.onChallenge = {
                guard $0.previousFailureCount < 2 else { return $0.sender?.cancel($0) ?? () }
                $0.sender?.use(
                    URLCredential(user: "u", password: "p", persistence: .none), for: $0)
            }
            let heard = try load(URLRequest(url: url), world, recorder) {
                $0.configuration.proxy = .fixed(proxy)
            }
            expectCut(heard, framing)
        }
    }

    // MARK: Codings

    /// A gzip member's head with a name of 1 GiB that does not end, coded once and twice.
    private static let coded: [Data] = {
        let head: [UInt8] = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]
        let name = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
        let once = deflated([head] + Array(repeating: name, count: 1_024))
        return [once, deflated([Array(once)])]
    }()

    private static func deflated(_ pieces: [[UInt8]]) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 1, Z_DEFLATED, 31, 8, Z_RLE, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var result = Data()
        var output = [UInt8](repeating: 0, count: 65_536)
        for (index, piece) in pieces.enumerated() {
            var input = piece
            input.withUnsafeMutableBufferPointer { input in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                repeat {
                    let room = output.count
                    output.withUnsafeMutableBufferPointer { output in
                        stream.next_out = output.baseAddress
                        stream.avail_out = UInt32(room)
                        _ = deflate(&stream, index == pieces.count - 1 ? Z_FINISH : Z_NO_FLUSH)
                    }
                    result.append(contentsOf: output.prefix(room - Int(stream.avail_out)))
                } while stream.avail_out == 0
            }
        }
        return result
    }

    /// In three layers it is some kilobytes.
    @Test(arguments: [1, 2], [false, true])
    func `a coded body that unpacks into nothing does not hold the other loads`(
        times: Int, isStreamed: Bool
    ) throws {
        let body = Self.coded[times - 1]
        let codings = Array(repeating: "gzip", count: times + 1).joined(separator: ", ")
        let head =
            "HTTP/1.1 200 OK\r\nContent-Encoding: \(codings)\r\n"
            + "Content-Length: \(body.count + 1)\r\n\r\n"
        try withWorld { world in
            let server = try RawServer { peer in
                guard peer.readHead() != nil else { return }
                _ = peer.write(Array(head.utf8) + body)
                _ = peer.read()
            }
            defer { server.stop() }
            let heard = try load(URLRequest(url: try server.url()), world) {
                $0.isResponseStreamed = isStreamed
                if isStreamed { $0.configuration.limits.decompressionRatio = nil }
            }
            #expect(heard.error != nil, "\(times) \(isStreamed)")
        }
    }
}
