import CMeasure
import EventRecorder
import Foundation

/// The manager with the event recorder on, from before the first request to behind the last.
///
/// `bench` runs it beside the manager that is not recorded, at the same time on the same core: a
/// machine that changes its pace from second to second changes it for both.
///
/// What `EventRecorder.start` takes counts as well.
///
/// Also tells what the recorder costs when it is off: calls a request, as the recording counts
/// them, times what one call costs then, as a share of the request's CPU time.
final class RecordingRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    override func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        let begin = measure_cpu()
        guard (try? EventRecorder.start(capacity: 1 << 23)) != nil else { return }
        let start = Double(measure_cpu() - begin) / 1e9
        super.runMany(assignment, into: &outcome)
        outcome.cpu += start
        let recording = EventRecorder.stop()
        // What is dropped costs nothing.
        outcome.failures += recording.dropped
        let operations = recording.events.count { $0.kind == .operation && $0.phase == .end }
        let eventsARequest = Double(recording.events.count) / Double(max(1, operations))
        outcome.eventsARequest = eventsARequest
        outcome.shareWhenOff =
            eventsARequest * Self.secondsOfACallThatIsOff * Double(outcome.requests) / outcome.cpu
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
