import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("The clock of a timeline", .timeLimit(.minutes(1)))
struct AttemptClockTests {
    @Test func `it reads the calendar's clock once, and goes on by one that nobody sets`() {
        var clock = AttemptClock()
        #expect(abs(clock.date - Date().timeIntervalSinceReferenceDate) < 60)
        clock.date = 1_000
        clock.instant = 5_000_000_000
        #expect(clock.time(at: 5_000_000_000) == 1_000)
        #expect(clock.time(at: 8_500_000_000) == 1_003.5)
        #expect(clock.time(at: 4_000_000_000) == 999)
    }

    /// As it is where somebody sets the calendar's clock by an hour while the request runs.
    @Test func `durations do not jump with the calendar's clock`() async throws {
        let world = TestWorld.requests()
        world.manager.startRequestsImmediately = false
        let request = world.get("/ok")
        request.state.withLock { $0.clock.date -= 3_600 }
        request.resume()
        let timeline = await request.data().timeline
        #expect(timeline.totalDuration < 600 && timeline.totalDuration >= 0)
        #expect(timeline.latency < 600 && timeline.latency >= 0)
        #expect(
            abs(timeline.requestStartTime + 3_600 - Date().timeIntervalSinceReferenceDate) < 600)
    }
}
