import CurlConnection
import TestSupport

@Suite("The times of what the cache answers", .timeLimit(.minutes(2)))
struct CacheMetricsTests {
    private func measured(_ heard: StoreHeard) throws -> [TransactionMetrics] {
        let metrics = try #require(heard.metrics)
        metrics.expectSound()
        return metrics.transactionMetrics
    }

    @Test func `an answer of the cache is an exchange without a connection`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let all = try measured(world.fetch("/cache/600"))
            #expect(all.map(\.resourceFetchType) == [.localCache])
            let only = try #require(all.first)
            #expect(only.response?.statusCode == 200)
            #expect(only.networkProtocolName == nil && only.remoteAddress == nil)
            #expect(only.connectStartDate == nil && !only.isReusedConnection)
            #expect(only.countOfRequestHeaderBytesSent == 0)
            #expect(only.requestStartDate != nil && only.responseEndDate != nil)
        }
    }

    @Test func `an answer that the server confirms is two exchanges`() throws {
        try withWorld { world in
            _ = world.fetch("/etag")
            let all = try measured(world.fetch("/etag"))
            #expect(all.map(\.resourceFetchType) == [.networkLoad, .localCache])
            #expect(all.map { $0.response?.statusCode } == [304, 200])
            #expect(all.first?.isReusedConnection == true)
        }
    }

    @Test func `what another load stores meanwhile answers one that waits`() throws {
        try withWorld { world in
            world.configuration.httpMaximumConnectionsPerHost = 1
            world.server.hold("head")
            world.server.add("/thing") { _ in
                .text("thing", headers: [("Cache-Control", "max-age=600")])
                    .after(.wait(gate: "head"))
            }
            let (first, second) = (StoreListener(), StoreListener())
            world.start(world.request("/thing"), first)
            world.start(world.request("/thing"), second)
            world.thread.settle()
            world.server.release("head")
            #expect(try measured(first.atEnd()).map(\.resourceFetchType) == [.networkLoad])
            let all = try measured(second.atEnd())
            #expect(world.server.requests.count == 1)
            #expect(all.map(\.resourceFetchType) == [.localCache])
            #expect(try #require(all.first).durations.total > .zero)
        }
    }

    @Test func `a redirect to a stored answer is one exchange of each kind`() throws {
        try withWorld { world in
            _ = world.fetch("/cache/600")
            let all = try measured(world.fetch("/redirect?to=/cache/600"))
            #expect(all.map(\.resourceFetchType) == [.networkLoad, .localCache])
            #expect(all.map { $0.response?.statusCode } == [302, 200])
        }
    }
}
