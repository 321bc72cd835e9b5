import CoreFoundation
import Foundation
import Locking
import SmallPort3HandOver

/// Lessons 4 and 5: when a job runs that was dispatched to a thread with a run loop.
enum HandOverExperiments {
    private struct Sight {
        var ranAtOnce = false
        var ranLater = false

        var answer: Int { ranAtOnce ? 1 : ranLater ? 2 : 3 }
    }

    private static func result(
        of mistake: Mistake, _ later: Words, and others: [ExperimentResult.Fact] = [],
        _ look: (Mistake?) -> Sight
    ) -> ExperimentResult {
        let sights = [look(nil), look(mistake)]
        return ExperimentResult(
            variants: ["correct", mistake.rawValue],
            facts: [
                .init(Words("the job ran by itself", "作业自行运行"), sights.map(\.ranAtOnce)),
                .init(later, sights.map(\.ranLater)),
            ] + others,
            answer: sights[1].answer)
    }

    /// Dispatches a job to a loop that sleeps.
    static func wakeUp() throws -> ExperimentResult {
        let pass = try PassExperiment.facts()
        return result(
            of: .noWakeUp,
            Words("it had run when something else woke the loop", "别的事件唤醒 RunLoop 后作业已运行"),
            and: pass
        ) { mistake in
            Picture.begin(mistake)
            let thread = NetworkThread(mistake: mistake)
            Picture.watch(thread.perform)
            guard Patience.until({ thread.isAsleep }) else { return Sight() }
            var sight = Sight()
            let ran = Moment()
            (mistake == nil ? LoopMark.signalAndWake : .signal).record()
            thread.perform { Picture.block("job") { ran.signal() } }
            sight.ranAtOnce = ran.wait(within: Patience.forWhat(happens: mistake == nil))
            // `stop` wakes the loop; the job precedes it.
            LoopMark.signalAndWake.record()
            thread.stop()
            sight.ranLater = ran.wait()
            return sight
        }
    }

    /// Dispatches a job to a loop in another mode, as the main thread's is while a list is scrolled.
    static func modes() -> ExperimentResult {
        result(
            of: .defaultModeOnly,
            Words("it had run when the loop was back in the default mode", "回到 default mode 后作业已运行")
        ) { mistake in
            Picture.begin(mistake)
            let thread = NetworkThread(mistake: mistake)
            defer { thread.stop() }
            Picture.watch(thread.perform)
            let tracking = Locked<CFRunLoop?>(nil)
            let isBack = Moment()
            thread.perform {
                track(tracking)
                isBack.signal()
            }
            let isInside = Patience.until { tracking.withLock { $0 } != nil && thread.isAsleep }
            guard isInside else { return Sight() }
            var sight = Sight()
            let ran = Moment()
            LoopMark.signalAndWake.record()
            thread.perform { Picture.block("job") { ran.signal() } }
            sight.ranAtOnce = ran.wait(within: Patience.forWhat(happens: mistake == nil))
            LoopMark.stop.record()
            // Back to the default mode.
            tracking.withLock { CFRunLoopStop($0) }
            sight.ranLater = ran.wait()
            // The end of the mode belongs to this variant in a timeline.
            _ = isBack.wait()
            return sight
        }
    }

    /// Runs the loop in a mode of its own, which is one of the common ones, until it is stopped.
    private static func track(_ tracking: Locked<CFRunLoop?>) {
        let loop = CFRunLoopGetCurrent()
        let mode = TrackingMode()
        mode.makeCommon(in: loop)
        tracking.withLock { $0 = loop }
        mode.run(atMost: 4 * Patience.long)
    }
}
