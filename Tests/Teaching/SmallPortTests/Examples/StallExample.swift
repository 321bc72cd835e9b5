import EventRecorder
import OperationNetworking
import TestSupport

/// What Documentation/Testing.md shows of the watch for stalls.
@Suite("The page's example of a watch", .timeLimit(.minutes(1)))
struct StallExample {
    @Test func `a request that ends is no stall`() throws {
        let server = LoopbackServer.started()
        defer { server.stop() }
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        // snippet: begin
        try EventRecorder.start()
        let watch = StallWatch(limit: 2, queues: [manager.operationQueue]) { stall in
            print(stall)
        }
        // snippet: end
        let operation = manager.get("ok", success: nil)
        operation?.waitUntilFinished()
        #expect(watch.end().isEmpty)
        _ = EventRecorder.stop()
    }
}
