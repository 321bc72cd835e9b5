import CMeasure
import EventRecorder
import Foundation

/// The manager with the event recorder off and on by turns, in one process: 20,000 requests each, in
/// recordings of 2,500.
///
/// A machine changes its pace from second to second, so both run beside each other, and which comes
/// first changes. A recording is long enough for what it keeps to matter: memory that stays among
/// what comes and goes costs more than the writing does.
///
/// Also tells what the recorder costs when it is off: calls a request, as the recording counts
/// them, times what one call costs then, as a share of the request's CPU time.
final class RecordingRival: ManagerRival, @unchecked Sendable {
    // @unchecked because it adds nothing.
    private static let pairs = 8
    private static let requests = 2500
    /// Requests at the beginning of each turn that do not count: the turn before has left memory
    /// and caches as it needed them, and `stop` has sorted what was recorded.
    private static let warmUp = 100

    override func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        let loop = ClosedLoop(self, atOnce: assignment.atOnce)
        loop.run(assignment, into: &outcome)
        var costs: [Double] = []
        var off: [Double] = []
        var events = 0
        for pair in 0..<Self.pairs {
            if pair.isMultiple(of: 2) { off.append(turn(loop)) }
            guard (try? EventRecorder.start()) != nil else { return }
            let on = turn(loop)
            let recording = EventRecorder.stop()
            if !pair.isMultiple(of: 2) { off.append(turn(loop)) }
            events += recording.events.count + recording.dropped
            costs.append(on / off[pair])
        }
        outcome.recorderCost = Self.middle(costs)
        let eventsARequest = Double(events) / Double(Self.pairs * (Self.warmUp + Self.requests))
        outcome.eventsARequest = eventsARequest
        outcome.shareWhenOff = eventsARequest * Self.secondsOfACallThatIsOff / Self.middle(off)
    }

    /// CPU time of a request of one turn, in seconds.
    private func turn(_ loop: ClosedLoop) -> Double {
        _ = loop.cpuOfOne(of: Self.warmUp)
        return loop.cpuOfOne(of: Self.requests)
    }

    /// The mean of the middle half: as deaf to disturbed turns as the median, and steadier.
    private static func middle(_ values: [Double]) -> Double {
        let half = values.sorted()[values.count / 4..<values.count - values.count / 4]
        return half.reduce(0, +) / Double(half.count)
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
