import CurlConnection
import HTTPSemantics
import OperationNetworking
import TLSPeer
import TestSupport

extension AllFaultTests {
    @Suite(.timeLimit(.minutes(5)))
    struct HostileStormTests {
        /// What a server does to its clients.
        enum Peer: CaseIterable {
            case emptyFrames, pingAnswers, newKeys, endlessName, manyConnectionOptions, brokenFrame

            /// - Returns: the server's address, and what ends it.
            func start(_ settings: TLSServer.Settings) throws -> (URL, stop: @Sendable () -> Void) {
                switch self {
                case .emptyFrames, .pingAnswers, .brokenFrame:
                    let server = try HTTP2Server(settings, answers: { _, stream in answer(stream) })
                    let url = try #require(URL(string: "https://localhost:\(server.port)/"))
                    return (url, { server.stop() })
                case .newKeys, .endlessName, .manyConnectionOptions:
                    var settings = settings
                    settings.highest = 0x0304
                    let server = try RawServer(settings) { peer in serve(peer) }
                    return (try server.url(), { server.stop() })
                }
            }

            private func answer(_ stream: UInt32) -> HTTP2Server.Answer {
                let head = HTTP2Server.frame(type: 1, flags: 4, stream: stream, [0x88])
                let half = HTTP2Server.frame(type: 0, stream: stream, Array("half".utf8))
                let (empty, ping) = (
                    HTTP2Server.frame(type: 0, stream: stream),
                    HTTP2Server.frame(type: 6, flags: 1, stream: 0, Array("12345678".utf8))
                )
                return switch self {
                case .emptyFrames: .init([head], endless: Self.repeated(empty))
                case .pingAnswers: .init([head + half], endless: Self.repeated(ping))
                default: .init([head + half, HTTP2Server.frame(type: 6, stream: 0, [1, 2, 3])])
                }
            }

            private static func repeated(_ frame: [UInt8]) -> [UInt8] {
                Array(repeatElement(frame, count: 16_000 / frame.count).joined())
            }

            private func serve(_ peer: RawServer.Connection) {
                guard peer.readHead() != nil else { return }
                switch self {
                case .newKeys:
                    _ = peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nhalf")
                    peer.endlessly { peer.updateKeys() }
                case .endlessName:
                    // The head of a gzip member whose name does not end.
                    let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"
                    let member: [UInt8] = [0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]
                    let name = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
                    guard peer.write(Array(head.utf8) + member) else { return }
                    for _ in 0..<64 where !peer.write(name) { return }
                default:
                    var head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: "
                    head += String(repeating: "b,", count: 40_000) + "c\r\n"
                    // More cost too much in a debug build, whatever is done with them.
                    for index in 0..<2_000 { head += "x\(index): y\r\n" }
                    _ = peer.write(head + "\r\n1")
                    _ = peer.read()
                }
            }
        }

        @Test
        func `no pass of the network thread is long while hostile servers run beside good ones`()
            async throws
        {
            let cast = try Cast()
            let settings = cast.settings
            let peers = try Peer.allCases.map { ($0, try $0.start(settings)) }
            defer { for (_, peer) in peers { peer.stop() } }
            let server = LoopbackServer.started()
            defer { server.stop() }
            let thread = NetworkThread(name: "hostile")
            let manager = OperationManager()
            let policy = SecurityPolicy(pinningMode: .none)
            policy.anchorCertificates = [cast.root.certificate]

            // When operations go to all of them, three at a time to each
            let watch = PassWatch { [thread] in thread.perform(inModes: [.common], $0) }
            let hostile = Tally()
            for _ in 0..<3 {
                for (_, peer) in peers {
                    let operation = hostile.operation(URLRequest(url: peer.0, timeoutInterval: 10))
                    operation.networkThread = thread
                    operation.securityPolicy = policy
                    manager.enqueue(operation)
                }
            }
            let good = Tally()
            for _ in 0..<200 {
                let operation = good.operation(URLRequest(url: server.url("/bytes/20000")))
                operation.networkThread = thread
                manager.enqueue(operation)
            }
            await good.waitForAll(200)
            await hostile.waitForAll(3 * peers.count)

            // Then all good ones succeed, no hostile one does but that with the large head, and no pass was long
            #expect(good.succeeded == 200)
            #expect(hostile.succeeded <= 3)
            let longest = watch.end()
            #expect(longest < PassWatch.limit, "a pass of \(longest) s")
        }
    }
}
