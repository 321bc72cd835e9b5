import EventRecorder
import OperationNetworking
import TestSupport

/// What Documentation/Testing.md shows of stop points.
@Suite("The page's example of a stop point", .timeLimit(.minutes(1)))
struct StopExample {
    @Test func `a cancel that comes before the end is reported wins`() throws {
        let server = LoopbackServer.started()
        defer { server.stop() }
        let operation = URLConnectionOperation(request: URLRequest(url: server.url("/ok")))
        // snippet: begin
        let points = try StopPoints()
        let stop = points.stop(
            at: StopSite(.delegateCall, .begin, text: "connectionDidFinishLoading(_:)"))
        operation.start()
        stop.isReached()  // the network thread is about to notify of the end
        operation.cancel()  // what do other threads do?
        stop.letGo()
        operation.waitUntilFinished()
        let recording = points.end()
        // snippet: end
        #expect((operation.error as? URLError)?.code == .cancelled)
        #expect(recording.isComplete)
    }
}
