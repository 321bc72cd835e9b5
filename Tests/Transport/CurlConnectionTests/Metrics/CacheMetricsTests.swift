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
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let all = try measured(room.load("/cache/600"))
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
        try withStoreRoom { room in
            _ = room.load("/etag")
            let all = try measured(room.load("/etag"))
            #expect(all.map(\.resourceFetchType) == [.networkLoad, .localCache])
            #expect(all.map { $0.response?.statusCode } == [304, 200])
            #expect(all.first?.isReusedConnection == true)
        }
    }

    @Test func `what another load stores meanwhile answers one that waits`() throws {
        try withStoreRoom { room in
            room.configuration.httpMaximumConnectionsPerHost = 1
            room.server.hold("head")
            room.server.add("/thing") { _ in
                .text("thing", headers: [("Cache-Control", "max-age=600")])
                    .after(.wait(gate: "head"))
            }
            let (first, second) = (StoreListener(), StoreListener())
            room.start(room.request("/thing"), first)
            room.start(room.request("/thing"), second)
            room.thread.settle()
            room.server.release("head")
            #expect(try measured(first.atEnd()).map(\.resourceFetchType) == [.networkLoad])
            let all = try measured(second.atEnd())
            #expect(room.server.requests.count == 1)
            #expect(all.map(\.resourceFetchType) == [.localCache])
            #expect(try #require(all.first).durations.total > .zero)
        }
    }

    @Test func `a redirect to a stored answer is one exchange of each kind`() throws {
        try withStoreRoom { room in
            _ = room.load("/cache/600")
            let all = try measured(room.load("/redirect?to=/cache/600"))
            #expect(all.map(\.resourceFetchType) == [.networkLoad, .localCache])
            #expect(all.map { $0.response?.statusCode } == [302, 200])
        }
    }
}
