import CurlConnection
import Synchronization
import TestSupport

@Suite("A consumer with no place for bytes", .timeLimit(.minutes(5)))
struct BackPressureTests {
    /// How many bytes wait, as the test says.
    private final class Waiting: Sendable {
        private let count = Atomic<Int>(0)
        var value: Int {
            get { count.load(ordering: .sequentiallyConsistent) }
            set { count.store(newValue, ordering: .sequentiallyConsistent) }
        }
    }

    /// A connection whose consumer is full after the first data.
    private func start(_ world: TestWorld, _ path: String) -> (Recorder, Waiting) {
        let recorder = Recorder()
        let waiting = Waiting()
        recorder.onCall = { call, _ in
            if call == .data, recorder.heard.count(.data) == 1 { waiting.value = 1_000 }
        }
        recorder.onNotConsumed = { waiting.value }
        world.thread.start(world.request(path), recorder)
        #expect(recorder.wait { $0.count(.data) == 1 })
        return (recorder, waiting)
    }

    @Test func `it alone rests, others go on, and it ends whole`() throws {
        try withWorld { world in
            let (recorder, waiting) = start(world, "/bytes/10000000?seed=9")
            // When another connection of the thread runs meanwhile
            #expect(world.load("/bytes/3000000").data.count == 3_000_000)
            world.thread.settle()
            // Then the first had no more data, was asked again, and the server could not send all
            #expect(recorder.heard.count(.data) == 1)
            #expect(recorder.wait { $0.count(.notConsumed) > 5 })
            #expect(!recorder.heard.hasEnded)
            // And goes on when there is place
            waiting.value = 0
            let heard = recorder.atEnd()
            #expect(heard.order.last == .finish)
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 9, range: 0..<10_000_000))
        }
    }

    @Test func `the end waits for the last bytes to find a place`() throws {
        try withWorld { world in
            let (recorder, waiting) = start(world, "/ok")
            #expect(world.serverIsIdle())
            #expect(world.load("/bytes/1000").data.count == 1_000)
            #expect(recorder.wait { $0.count(.notConsumed) > 3 })
            #expect(!recorder.heard.hasEnded)
            waiting.value = 0
            #expect(recorder.atEnd().order.last == .finish)
        }
    }

    @Test func `a full consumer may cancel`() throws {
        try withWorld { world in
            let (recorder, _) = start(world, "/bytes/10000000")
            _ = world.thread.sync { recorder.connection?.cancel() }
            let calls = recorder.heard.calls.count
            #expect(world.serverSeesTheClose())
            world.thread.settle()
            #expect(recorder.heard.calls.count == calls)
        }
    }

    @Test func `a decoded body waits too and is whole`() throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            let (recorder, waiting) = start(world, "/coded")
            #expect(recorder.wait { $0.count(.notConsumed) > 3 })
            #expect(recorder.heard.count(.data) == 1)
            waiting.value = 0
            #expect(recorder.atEnd().data == Data(count: Compressed.decodedCount))
        }
    }

    @Test func `a consumer that is full after every piece gets the whole body`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let waiting = Waiting()
            recorder.onCall = { call, _ in if call == .data { waiting.value = 1 } }
            recorder.onNotConsumed = {
                defer { waiting.value = 0 }
                return waiting.value
            }
            let heard = world.load(world.request("/bytes/2000000?seed=4"), recorder)
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 4, range: 0..<2_000_000))
        }
    }

    @Test func `a dry upload goes on while the answer has no place`() throws {
        try withWorld { world in
            // Given an answer that begins before the body has ended
            world.server.add("/both", beforeBody: true) { _ in
                .data(Data(count: 300_000)).then(.readBody)
            }
            let stream = Box(PiecesStream([Data("ab".utf8), Data("cd".utf8)], allowed: 1))
            let recorder = Recorder()
            let waiting = Waiting()
            recorder.onCall = { call, _ in
                if call == .data, recorder.heard.count(.data) == 1 { waiting.value = 1_000 }
            }
            recorder.onNotConsumed = { waiting.value }
            var request = world.request("/both", "POST")
            request.httpBodyStream = stream.value
            world.thread.start(request, recorder)
            #expect(recorder.wait { $0.count(.data) == 1 })
            // When the stream has bytes again
            stream.value?.allow(1)
            #expect(
                world.server.waitUntil(timeout: patience) { _, log in
                    log.first?.bodyIsComplete == true
                })
            waiting.value = 0
            #expect(recorder.atEnd().data.count == 300_000)
        }
    }
}
