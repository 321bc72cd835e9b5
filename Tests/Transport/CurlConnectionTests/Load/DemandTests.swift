import Synchronization
import TestSupport

@testable import CurlConnection

@Suite("Delegates that say when they have room", .timeLimit(.minutes(2)))
struct DemandTests {
    private let clock = TurnableClock()

    private func polled(_ world: TestWorld) -> Int? {
        world.thread.sync {
            let key = TransportKey(modes: [.default])
            return (try? TransportTable.transport(for: key))?.polled.count ?? -1
        }
    }

    @Test(arguments: ["/bytes/1000000", "/kept", "/coded"])
    func `one that is full is not asked again, and the load goes on when it has room`(
        path: String
    ) throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            let plain = Recorder()
            world.thread.start(world.request(path), plain) {
                $0.configuration.responseCache = cache
            }
            let expected = plain.atEnd()
            #expect(expected.error == nil)
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            recorder.onNotConsumed = { isFull.load(ordering: .relaxed) ? 1_000 : 0 }
            world.thread.start(world.request(path), recorder) {
                $0.configuration.responseCache = cache
                $0.consumer = .signals(isLimited: false)
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            world.thread.settle()
            #expect(world.load("/bytes/100000").data.count == 100_000)
            world.thread.settle()
            let heard = recorder.heard
            #expect(world.load("/bytes/100000").data.count == 100_000)
            world.thread.settle()
            #expect(recorder.heard.calls == heard.calls)
            #expect(!heard.hasEnded)
            #expect(polled(world) == 0)
            isFull.store(false, ordering: .relaxed)
            _ = world.thread.sync { recorder.connection?.continueReceiving() }
            let isWhole = recorder.atEnd().data == expected.data
            #expect(isWhole)
            #expect(recorder.heard.order.last == .finish)
            #expect(recorder.heard.ends == 1)
        }
    }

    @Test(arguments: [false, true])
    func `one that stays full ends the load where it is limited`(isLimited: Bool) throws {
        try withWorld { world in
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            recorder.onNotConsumed = { isFull.load(ordering: .relaxed) ? 1_000 : 0 }
            var request = world.request("/bytes/1000000")
            request.timeoutInterval = 20
            world.start(request, recorder, by: clock) {
                $0.consumer = .signals(isLimited: isLimited)
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            world.thread.settle()
            world.turn(clock, by: 30)
            world.thread.settle()
            if isLimited {
                #expect(recorder.atEnd().code == .timedOut)
            } else {
                #expect(!recorder.heard.hasEnded)
                isFull.store(false, ordering: .relaxed)
                _ = world.thread.sync { recorder.connection?.continueReceiving() }
                #expect(recorder.atEnd().data.count == 1_000_000)
            }
        }
    }

    @Test(arguments: ["/bytes/1000000", "/kept"])
    func `one that has room at the idle limit is asked, and the load goes on`(
        path: String
    ) throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            let plain = Recorder()
            world.thread.start(world.request(path), plain) {
                $0.configuration.responseCache = cache
            }
            let expected = plain.atEnd()
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            recorder.onNotConsumed = { isFull.load(ordering: .relaxed) ? 1_000 : 0 }
            var request = world.request(path)
            request.timeoutInterval = 20
            world.start(request, recorder, by: clock) {
                $0.configuration.responseCache = cache
                $0.consumer = .signals(isLimited: true)
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            world.turn(clock, by: 19)
            #expect(!recorder.heard.hasEnded)
            // No signal
            isFull.store(false, ordering: .relaxed)
            world.turn(clock, by: 2)
            let isWhole = recorder.atEnd().data == expected.data
            #expect(isWhole)
            #expect(recorder.heard.order.last == .finish)
        }
    }

    @Test func `the limit for the whole load ends one that waits for room`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNotConsumed = { 1_000 }
            world.start(world.request("/bytes/1000000"), recorder, by: clock) {
                $0.consumer = .signals(isLimited: false)
                $0.timeoutIntervalForResource = 50
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            world.turn(clock, by: 50)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test func `room while it is suspended counts`() throws {
        try withWorld { world in
            let isFull = Atomic<Bool>(true)
            let recorder = Recorder()
            recorder.onNotConsumed = { isFull.load(ordering: .relaxed) ? 1_000 : 0 }
            world.thread.start(world.request("/bytes/1000000"), recorder) {
                $0.consumer = .signals(isLimited: false)
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            _ = world.thread.sync { recorder.connection?.suspend() }
            isFull.store(false, ordering: .relaxed)
            _ = world.thread.sync { recorder.connection?.continueReceiving() }
            world.thread.settle()
            #expect(!recorder.heard.hasEnded)
            _ = world.thread.sync { recorder.connection?.resume() }
            #expect(recorder.atEnd().data.count == 1_000_000)
        }
    }

    // MARK: The body of a request

    /// A pipe whose reader, the thread of a body's stream, waits in a read until the test writes.
    private struct Pipe {
        let folder = TemporaryFolder()
        let url: URL

        init() throws {
            url = folder.url.appendingPathComponent("pipe")
            try #require(mkfifo(url.path, 0o600) == 0)
        }
    }

    @Test(arguments: [false, true])
    func `a body that waits for its stream is asked by no timer, also while it is suspended`(
        isSuspended: Bool
    ) throws {
        try withWorld { world in
            world.server.add("/echo-body") { .data($0.body) }
            let pipe = try Pipe()
            var request = world.request("/echo-body", "PUT")
            request.httpBodyStream = InputStream(fileAtPath: pipe.url.path)
            let recorder = Recorder()
            world.thread.start(request, recorder)
            // Given a stream that gave its first bytes, and has no more
            let writer = try FileHandle(forWritingTo: pipe.url)
            try writer.write(contentsOf: Data("one ".utf8))
            #expect(recorder.wait { $0.count(.sent) == 1 })
            world.thread.settle()
            #expect(polled(world) == 0)
            if isSuspended {
                _ = world.thread.sync { recorder.connection?.suspend() }
                world.thread.settle()
            }
            // When it has the rest
            try writer.write(contentsOf: Data("two".utf8))
            try writer.close()
            world.thread.settle()
            #expect(polled(world) == 0)
            if isSuspended {
                #expect(recorder.heard.count(.sent) == 1)
                _ = world.thread.sync { recorder.connection?.resume() }
            }
            // Then the load goes on
            #expect(String(decoding: recorder.atEnd().data, as: UTF8.self) == "one two")
        }
    }
}
