import CurlConnection
import Synchronization
import TestSupport

@Suite("Bytes of a response on the wire", .timeLimit(.minutes(5)))
struct ReceivedCountsTests {
    /// The counts at the response, and at the end.
    private func counts(
        _ world: TestWorld, _ path: String, _ method: String = "GET",
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> [Int64] {
        let recorder = Recorder()
        let seen = Mutex<[Int64]>([])
        recorder.onCall = { call, connection in
            if call == .response || call == .finish || call == .fail {
                seen.withLock {
                    $0 += [
                        connection.countOfBytesExpectedToReceive, connection.countOfBytesReceived,
                    ]
                }
            }
        }
        world.thread.start(world.request(path, method), recorder, configure: configure)
        _ = recorder.atEnd()
        world.thread.settle()
        return seen.withLock { $0 }
    }

    @Test func `a known length is told with the head, decoded or not`() throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            let wire = Int64(Compressed.zeros.count)
            #expect(counts(world, "/ok") == [11, 0, 11, 11])
            #expect(counts(world, "/coded") == [wire, 0, wire, wire])
            #expect(
                counts(world, "/bytes/3000000") == [3_000_000, 0, 3_000_000, 3_000_000])
            // A redirect's body is not the response's
            #expect(counts(world, "/redirect") == [11, 0, 11, 11])
        }
    }

    @Test func `an unknown one is -1, and none is 0`() throws {
        try withWorld { world in
            world.server.add("/chunks") { _ in .chunked([Data("abc".utf8), Data("de".utf8)]) }
            #expect(counts(world, "/chunks") == [-1, 0, -1, 5])
            #expect(counts(world, "/204") == [0, 0, 0, 0])
            #expect(counts(world, "/ok", "HEAD") == [0, 0, 0, 0])
        }
    }

    @Test func `bytes are counted once however often the consumer was full or the load rested`()
        throws
    {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            for path in ["/bytes/3000000", "/coded"] {
                let recorder = Recorder()
                let last = Mutex<Int64>(0)
                recorder.onCall = { call, connection in
                    if call == .data { connection.suspend() }
                    if call == .finish { last.withLock { $0 = connection.countOfBytesReceived } }
                }
                world.thread.start(world.request(path), recorder)
                while !recorder.heard.hasEnded {
                    _ = world.thread.sync { recorder.connection?.resume() }
                }
                world.thread.settle()
                let wire = path == "/coded" ? Compressed.zeros.count : 3_000_000
                #expect(last.withLock { $0 } == Int64(wire))
            }
        }
    }

    @Test func `a stored response has the length that is stored`() throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            for _ in 0..<2 {
                let counts = counts(world, "/kept") { $0.configuration.responseCache = cache }
                #expect(counts.last == 4)
                #expect(counts.first == 4)
            }
            #expect(world.server.requests.count == 1)
        }
    }
}
