import CMeasure
import Foundation

// What is done besides small requests in a loop.

/// Many requests handed over before the first may begin.
enum Enqueuing {
    static func run(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        rival.waitForSome(2 * assignment.atOnce)
        let allEnded = Awaited<UInt64>()
        rival.hold(true)
        let resident = measure_resident()
        let watch = Stopwatch()
        rival.enqueue(assignment.count) { allEnded.give(measure_now()) }
        outcome.enqueuing = Double(measure_now() - watch.begin) / 1e9
        outcome.bytesWaiting =
            Double(measure_resident() - resident) * 1024 / Double(assignment.count)
        rival.hold(false)
        let end = allEnded.wait() ?? 0
        watch.stop(into: &outcome, at: end)
        outcome.requests = assignment.count
    }
}

/// One large body.
enum LargeBody {
    static func down(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        // The last rival's file goes before the time begins, as in the C loop.
        for end in ["", ".part", ".part.json"] {
            assignment.path.map { _ = unlink($0 + end) }
        }
        move(into: &outcome) { rival.down(to: assignment.path, $0) }
    }

    static func up(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        move(into: &outcome) { rival.up(from: assignment.path ?? "", $0) }
    }

    private static func move(
        into outcome: inout Outcome, _ start: (@escaping @Sendable (Reply) -> Void) -> Void
    ) {
        let answer = Awaited<Reply>()
        let watch = Stopwatch()
        start { answer.give($0) }
        let reply = answer.wait()
        watch.stop(into: &outcome)
        outcome.requests = 1
        outcome.failures = reply?.isGood == true ? 0 : 1
        outcome.bytes = reply?.byteCount ?? 0
    }
}

/// Many requests that nobody answers, taken back.
enum Cancelling {
    static func run(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        let allEnded = Awaited<UInt64>()
        rival.enqueue(assignment.count) { allEnded.give(measure_now()) }
        let giveUp = measure_now() + 20_000_000_000
        while measure_waiting_at_peer(Int32(assignment.peer)) < assignment.count,
            measure_now() < giveUp
        {
            usleep(20_000)
        }
        let watch = Stopwatch()
        rival.cancelAll()
        let end = allEnded.wait() ?? 0
        watch.stop(into: &outcome, at: end)
        outcome.requests = assignment.count
        sleep(1)
        outcome.socketsLeft = Int(measure_sockets())
    }
}

/// One request.
enum One {
    static func run(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        let watch = Stopwatch()
        let answer = Awaited<(Reply, UInt64)>()
        rival.get { answer.give(($0, measure_now())) }
        guard let (reply, moment) = answer.wait() else { return }
        watch.stop(into: &outcome, at: moment)
        outcome.firstAnswer = moment
        outcome.requests = 1
        outcome.failures = reply.isGood ? 0 : 1
        outcome.bytes = reply.byteCount
    }
}

/// Nothing, after a few requests whose connections are kept.
enum Idling {
    static func run(_ rival: any Rival, _ assignment: Assignment, into outcome: inout Outcome) {
        rival.waitForSome(4 * assignment.atOnce)
        // Dispatch keeps threads for five seconds after their last work, and wakes them to end them.
        sleep(6)
        let sleeps = measure_sleeps()
        let watch = Stopwatch()
        usleep(UInt32(assignment.seconds * 1e6))
        watch.stop(into: &outcome)
        // The one sleep is this thread's own.
        outcome.sleeps = measure_sleeps() - sleeps - 1
    }
}

extension Rival {
    /// Makes some requests, so that threads, connections and tables are there.
    fileprivate func waitForSome(_ count: Int) {
        let allEnded = Awaited<Bool>()
        enqueue(count) { allEnded.give(true) }
        _ = allEnded.wait()
    }
}
