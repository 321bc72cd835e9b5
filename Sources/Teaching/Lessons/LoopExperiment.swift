import EventRecorder
import Foundation
import Locking
import LoopbackServer
import SmallPort2Loop

/// Lesson 3: a run loop with nothing to wait for returns.
enum LoopExperiment {
    private struct Sight {
        var entries = 0
        var hasEnded = false
        var isAliveAfterRequest = false
        /// The thread's processor time after its request; nil where the thread has ended.
        var processorTime: Int64?
    }

    static func run() throws -> ExperimentResult {
        let sights = [try look(nil), try look(.noPort), try look(.endlessLoop)]
        return ExperimentResult(
            variants: ["correct"] + Mistake.allCases.map(\.rawValue),
            facts: [
                .init(
                    Words("times the run loop was entered in 300 ms", "300 ms 内 RunLoop 的进入次数"),
                    sights.map(\.entries), varies: true),
                .init(
                    Words("the thread has ended, without any request", "没有请求时线程已退出"),
                    sights.map(\.hasEnded)),
                .init(
                    Words("the thread lives after its last request", "最后一个请求结束后线程仍在"),
                    sights.map(\.isAliveAfterRequest)),
                .init(
                    Words(
                        "its processor time in the 300 ms after that request, ms",
                        "此后 300 ms 内它占用的处理器时间（ms）"),
                    sights.map { $0.processorTime.map { "\($0 / 1_000_000)" } ?? "-" },
                    varies: true),
            ],
            answer: sights[1].hasEnded && sights[1].entries == 1 ? 3 : sights[1].hasEnded ? 2 : 1)
    }

    private static func look(_ mistake: Mistake?) throws -> Sight {
        var sight = Sight()
        let idle = NetworkThread(mistake: mistake)
        let patience = Patience.forWhat(happens: mistake == .noPort)
        sight.hasEnded = Patience.until(within: patience) { idle.hasEnded }
        sight.entries = idle.entries
        idle.stop()
        try withServer(mistake) { server in
            let clock = Locked<ThreadClock?>(nil)
            let hasEnded = Moment()
            let thread = NetworkThread(fetching: [server.url("/plain")], mistake: mistake) { _ in
                // Records what the thread does after its last request.
                Picture.watchCurrentLoop()
                clock.withLock { $0 = ThreadClock() }
                Picture.block("ended") { hasEnded.signal() }
            }
            defer {
                if !thread.hasEnded { LoopMark.stop.record() }
                thread.stop()
            }
            guard hasEnded.wait(), let clock = clock.withLock({ $0 }) else { return }
            let entries = thread.entries
            sight.processorTime = processorTime(by: clock, within: patience) { thread.hasEnded }
            sight.isAliveAfterRequest = !thread.hasEnded
            if thread.hasEnded {
                sight.processorTime = nil
                LoopMark.end.record()
            } else if thread.entries > entries {
                LoopMark.again.record(Int64(thread.entries - entries))
            }
        }
        return sight
    }

    /// Records a thread's processor time a few times, until the thread has ended or the time is over.
    ///
    /// - Returns: how much the thread used meanwhile, in nanoseconds; nil if that cannot be read.
    private static func processorTime(
        by clock: ThreadClock, within seconds: Double, _ hasEnded: () -> Bool
    ) -> Int64? {
        let end = ContinuousClock.now + .seconds(seconds)
        let first = clock.nanoseconds
        var last = first
        while ContinuousClock.now < end && !hasEnded() {
            usleep(20_000)
            guard let before = last, let now = clock.nanoseconds else { continue }
            clock.record(now - before)
            last = now
        }
        return first.flatMap { first in last.map { $0 - first } }
    }
}
