import CoreFoundation
import EventRecorder
import Foundation
import Locking
import LoopbackServer
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

/// Lesson 4: for which activities a loop calls its observers between its sleep and a job.
enum PassExperiment {
    /// The activities of a pass, by their names in Core Foundation.
    private static let names: KeyValuePairs<UInt, String> = [
        CFRunLoopActivity.beforeTimers.rawValue: "beforeTimers",
        CFRunLoopActivity.beforeSources.rawValue: "beforeSources",
        CFRunLoopActivity.beforeWaiting.rawValue: "beforeWaiting",
        CFRunLoopActivity.afterWaiting.rawValue: "afterWaiting",
    ]

    /// The activities before a job, a timer and a socket, for the correct variant alone.
    static func facts() throws -> [ExperimentResult.Fact] {
        let whats = [
            Words("a job (source 0) ran after", "作业（source 0）运行之前的 activity"),
            Words("a timer fired after", "timer 触发之前的 activity"),
            Words("a socket (source 1) was read after", "读取 socket（source 1）之前的 activity"),
        ]
        // It is not in the timeline, because it belongs to no variant.
        return try withServer(of: "") { server in
            let thread = NetworkThread()
            defer { thread.stop() }
            let heard = Locked<[String]>([])
            let marks = whats.map { _ in (steps: Locked(""), moment: Moment()) }
            @Sendable func mark(_ index: Int) {
                let steps = heard.withLock { $0.joined(separator: ", ") }
                marks[index].steps.withLock { $0 = steps }
                marks[index].moment.signal()
            }
            // `isAsleep` is also true while the loop polls once more without sleeping.
            func sleeps() {
                _ = Patience.until {
                    thread.isAsleep && heard.withLock { $0.last } == "beforeWaiting"
                }
            }
            watch(thread, heard)
            sleeps()
            thread.perform { mark(0) }
            _ = marks[0].moment.wait()
            // nonisolated(unsafe) because it is set from here once, which Core Foundation allows from any thread.
            nonisolated(unsafe) let timer = CFRunLoopTimerCreateWithHandler(
                kCFAllocatorDefault, .greatestFiniteMagnitude, 0, 0, 0
            ) { _ in mark(1) }
            let isAdded = Moment()
            thread.perform {
                CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopCommonModes)
                isAdded.signal()
            }
            _ = isAdded.wait()
            sleeps()
            CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent())
            _ = marks[1].moment.wait()
            thread.fetch(server.url("/held")) { _ in mark(2) }
            if server.reaches("held") { sleeps() }
            server.release("held")
            _ = marks[2].moment.wait()
            return zip(whats, marks).map { what, mark in
                .init(what, [mark.steps.withLock { $0 }, "-"])
            }
        }
    }

    /// Collects the activities since the loop has woken.
    private static func watch(_ thread: NetworkThread, _ heard: Locked<[String]>) {
        let isWatched = Moment()
        thread.perform {
            let observer = CFRunLoopObserverCreateWithHandler(
                kCFAllocatorDefault, CFRunLoopActivity.allActivities.rawValue, true, 0
            ) { _, activity in
                heard.withLock { heard in
                    if activity == .afterWaiting { heard = [] }
                    heard += names.filter { $0.key == activity.rawValue }.map(\.value)
                }
            }
            CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopCommonModes)
            isWatched.signal()
        }
        _ = isWatched.wait()
    }
}

/// A run-loop mode, such as the main loop runs in while a list is scrolled.
struct TrackingMode {
    private let name = CFStringCreateWithCString(
        kCFAllocatorDefault, "tracking", CFStringBuiltInEncodings.UTF8.rawValue)

    func makeCommon(in loop: CFRunLoop?) {
        CFRunLoopAddCommonMode(loop, name)
    }

    /// Runs the current loop in the mode, until it is stopped or the time is over.
    func run(atMost seconds: Double) {
        // Without anything in the mode the loop would return at once.
        let timer = CFRunLoopTimerCreateWithHandler(
            kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1_000, 0, 0, 0
        ) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, name)
        EventRecorder.instant(.runLoopMode, text: EventText("tracking"))
        CFRunLoopRunInMode(name, seconds, false)
        EventRecorder.instant(.runLoopMode, text: EventText("default"))
        CFRunLoopTimerInvalidate(timer)
    }
}
