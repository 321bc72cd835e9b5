import CMeasure
import EventRecorder
import Foundation

/// The manager while the event recorder records.
///
/// Also tells what the recorder costs when it is off: calls a request, as the recording counts
/// them, times what one call costs then, as a share of the request's CPU time.
final class RecordingRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    override func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        let loop = ClosedLoop(self, atOnce: assignment.atOnce)
        guard (try? EventRecorder.start(capacity: 1 << 23)) != nil else { return }
        loop.run(assignment, into: &outcome)
        let recording = EventRecorder.stop()
        // The warm-up is in the recording too.
        let requests = Double(loop.requestsInAll)
        let events = Double(recording.events.count + recording.dropped) / max(requests, 1)
        outcome.eventsARequest = events
        let request = outcome.cpu / Double(max(outcome.requests, 1))
        outcome.shareWhenOff = events * Self.secondsOfACallThatIsOff / request
    }

    private static var secondsOfACallThatIsOff: Double {
        let count = 20_000_000
        let begin = measure_cpu()
        for number in 0..<count {
            EventRecorder.instant(.callback, subject: UInt64(number))
        }
        return Double(measure_cpu() - begin) / 1e9 / Double(count)
    }
}
