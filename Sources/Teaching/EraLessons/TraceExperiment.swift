import EventRecorder
import Lessons

/// Lesson 18: five programs with a fault each, and what their recordings show.
enum TraceExperiment {
    /// Which times are long: more than 150 ms, and more than half of the longest one, which grows with
    /// the load of the machine.
    private static func isLong(_ times: [Double]) -> [Bool] {
        let limit = max(150, (times.max() ?? 0) / 2)
        return times.map { $0 > limit }
    }

    static func run() throws -> ExperimentResult {
        // Each program is recorded by itself, so a recording of the whole experiment is stopped.
        if EventRecorder.isRecording { _ = EventRecorder.stop() }
        let recordings = try TraceFault.allCases.map(FaultyProgram.recording)
        let facts = recordings.map { TraceFacts($0) }
        // A fault shows in each run. A delay by a busy machine is unlikely to repeat.
        let again = try TraceFault.allCases.map { TraceFacts(try FaultyProgram.recording(of: $0)) }
        let awake = zip(facts, again).map { min($0.networkThreadAwake, $1.networkThreadAwake) }
        let waits = zip(facts, again).map { min($0.waitForMain, $1.waitForMain) }
        let isAwakeForLong = isLong(awake)
        var result = ExperimentResult(
            variants: TraceFault.allCases.map(\.rawValue),
            facts: [
                .init(
                    Words("the network thread is awake for long", "网络线程长时间没有休眠"),
                    isAwakeForLong),
                .init(
                    Words("a block waits long for main", "有 block 长时间等待主线程"),
                    isLong(waits)),
                .init(
                    Words("the most exchanges at one time", "同时进行的交换最多"), facts.map(\.atOnce)),
                .init(
                    Words("operations that never started", "始终没有开始的操作数"),
                    facts.map(\.neverStarted)),
                .init(
                    Words("every exchange has a socket of its own", "每次交换都用新的 socket"),
                    facts.map { $0.sockets >= $0.exchanges }),
                .init(
                    Words("network thread awake at most, ms", "网络线程最长连续清醒毫秒数"),
                    awake.map { Int($0) }, varies: true),
                .init(
                    Words("a block waited for main at most, ms", "block 等待主线程的最长毫秒数"),
                    waits.map { Int($0) }, varies: true),
            ],
            answer: isAwakeForLong[1] ? 1 : facts[1].atOnce == 1 ? 2 : 3)
        result.recording = recordings.reduce(Recording()) { $0.merging($1) }
        return result
    }
}
