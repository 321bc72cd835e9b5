import CurlConnection
import OperationNetworking
import TestSupport

/// What Documentation/Testing.md shows of the clock.
@Suite("The page's example of a clock", .timeLimit(.minutes(1)))
struct ClockExample {
    @Test func `a minute passes, and the load has failed`() async throws {
        let server = LoopbackServer.started()
        defer { server.stop() }
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        let ends = Log<URLError.Code?>()
        // snippet: begin
        let clock = TurnableClock()
        manager.configuration.clock = clock.clock
        manager.get("hang") { _, _ in
            ends.add(nil)
        } failure: { _, error in
            ends.add((error as? URLError)?.code)
        }
        clock.waitForAlarms()  // the load waits for its limit
        clock.turn(by: 60)  // the request's timeoutInterval: it fails with -1001
        // snippet: end
        #expect(await ends.reaches(1))
        #expect(ends.all == [.timedOut])
    }
}
