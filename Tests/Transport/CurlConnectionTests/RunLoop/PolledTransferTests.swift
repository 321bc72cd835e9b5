import Synchronization
import TestSupport

@testable import CurlConnection

@Suite("Transfers that are asked again", .timeLimit(.minutes(2)))
struct PolledTransferTests {
    /// The transport of the thread for plain loads, as `URLConnection` makes it.
    private func polled(_ world: TestWorld) -> Int? {
        world.thread.sync {
            let key = TransportKey(modes: [.default])
            return (try? TransportTable.transport(for: key))?.polled.count ?? -1
        }
    }

    @Test func `only what is paused is asked, however much waits beside it`() throws {
        try withWorld { world in
            let isFull = Atomic<Bool>(true)
            let paused = Recorder()
            paused.onNotConsumed = { isFull.load(ordering: .relaxed) ? 1_000 : 0 }
            world.thread.start(world.request("/bytes/1000000"), paused)
            #expect(paused.wait { $0.count(.notConsumed) > 2 })
            // Given loads of which six wait for the server, and the others for a connection
            let others = (0..<50).map { _ in Recorder() }
            for other in others { world.thread.start(world.request("/gate/later"), other) }
            #expect(world.server.waitUntilReached("later"))
            let count = paused.heard.count(.notConsumed)
            #expect(paused.wait { $0.count(.notConsumed) > count + 3 })
            #expect(polled(world) == 1)
            isFull.store(false, ordering: .relaxed)
            #expect(paused.atEnd().data.count == 1_000_000)
            // Then one that goes on is asked no more
            world.server.release("later")
            for other in others { #expect(other.atEnd().error == nil) }
            world.thread.settle()
            #expect(polled(world) == 0)
        }
    }
}
