import CurlConnection
import OperationNetworking
import TestSupport

extension AllFaultTests {
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct LimitTests {
        @Test(
            arguments: [1, 3, 8, 64])
        func `the server never sees more requests at once than the limit`(limit: Int) async throws {
            let server = LoopbackServer.started()
            defer { server.stop() }
            let manager = OperationManager()
            manager.maxConcurrentOperationCount = limit
            let tally = Tally()

            // Given so many operations as fill the limit held at the server, so that the peak is
            // real
            server.hold("limit")
            server.add("/held") { _ in
                ScriptedResponse.text("hello world").after(.wait(gate: "limit"))
            }
            for index in 0..<2_000 {
                let url = server.url(index < limit ? "/held" : "/ok")
                let operation = tally.operation(URLRequest(url: url))
                operation.configuration.httpMaximumConnectionsPerHost = limit
                manager.enqueue(operation)
            }
            #expect(server.waitUntilReached("limit", count: limit, timeout: 30))

            // When they go on
            server.release("limit")
            await tally.waitForAll(2_000)

            // Then each ended once, well, and the peak was the limit
            #expect(tally.succeeded == 2_000)
            #expect(server.statistics.peakInFlight == limit)
        }
    }
}
