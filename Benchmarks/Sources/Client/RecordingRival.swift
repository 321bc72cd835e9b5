import CMeasure
import EventRecorder
import Foundation

/// The manager with the event recorder off and on by turns, in one process: ten times a thousand
/// requests each.
///
/// Also tells what the recorder costs when it is off: calls a request, as the recording counts
/// them, times what one call costs then, as a share of the request's CPU time.
final class RecordingRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    private static let turns = 10
    private static let requests = 1000

    override func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        let loop = ClosedLoop(self, atOnce: assignment.atOnce)
        loop.run(assignment, into: &outcome)
        var costs: [Double] = []
        var off: [Double] = []
        var events = 0
        for turn in 0..<Self.turns {
            // Who comes first changes, so that a machine that gets slower wrongs neither.
            if turn.isMultiple(of: 2) { off.append(loop.cpuOfOne(of: Self.requests)) }
            guard (try? EventRecorder.start(capacity: 1 << 20)) != nil else { return }
            let on = loop.cpuOfOne(of: Self.requests)
            let recording = EventRecorder.stop()
            if !turn.isMultiple(of: 2) { off.append(loop.cpuOfOne(of: Self.requests)) }
            events += recording.events.count + recording.dropped
            costs.append(on / off[turn])
        }
        outcome.recorderCost = costs.sorted()[costs.count / 2]
        outcome.eventsARequest = Double(events) / Double(Self.turns * Self.requests)
        let request = off.sorted()[off.count / 2]
        outcome.shareWhenOff =
            (outcome.eventsARequest ?? 0) * Self.secondsOfACallThatIsOff / request
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
