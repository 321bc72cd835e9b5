import CurlConnection
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Times of a request in its responses", .timeLimit(.minutes(1)))
struct ResponseMetricsTests {
    @Test
    func `each response has the exchanges, and the times of its own handler in their order`()
        async throws
    {
        let world = TestWorld.requests()
        let request = world.get("/redirect-to?url=/get")
        let plain = await request.ended()
        let text = await request.string()
        for metrics in try [#require(plain.metrics), #require(text.metrics)] {
            #expect(metrics.redirectCount == 1)
            #expect(metrics.transactionMetrics.count == 2)
            let ended = try #require(metrics.responseCompletedDate)
            #expect(try ended <= #require(metrics.calledBackDate))
        }
        #expect(plain.metrics?.serializedDate == nil)
        let serialized = try #require(text.metrics?.serializedDate)
        #expect(try serialized <= #require(text.metrics?.calledBackDate))
        #expect(try #require(plain.metrics?.calledBackDate) <= serialized)
        #expect(text.map(\.count).metrics?.redirectCount == 1)
    }

    @Test
    func `a download's responses have them too, also after map`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.download(world.address("/json"))
        let plain = await request.ended()
        let json = await request.json()
        #expect(plain.metrics?.transactionMetrics.count == 1)
        #expect(json.map { _ in 1 }.metrics?.serializedDate != nil)
    }

    @Test func `there are none where no task was made`() async throws {
        let world = TestWorld.requests()
        #expect(await world.manager.request("").ended().metrics == nil)
    }
}
