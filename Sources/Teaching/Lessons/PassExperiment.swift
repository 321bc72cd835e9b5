import CoreFoundation
import Foundation
import Locking
import LoopbackServer
import SmallPort3HandOver

/// Lesson 4: what a loop's observers hear between its sleep and what it runs then.
enum PassExperiment {
    /// What an observer hears of a pass, by its name in Core Foundation.
    private static let names: KeyValuePairs<UInt, String> = [
        CFRunLoopActivity.beforeTimers.rawValue: "beforeTimers",
        CFRunLoopActivity.beforeSources.rawValue: "beforeSources",
        CFRunLoopActivity.beforeWaiting.rawValue: "beforeWaiting",
        CFRunLoopActivity.afterWaiting.rawValue: "afterWaiting",
    ]

    /// What the observers heard before a job, a timer and a socket, for the correct variant alone.
    static func facts() throws -> [ExperimentResult.Fact] {
        let whats = [
            Words("a job (source 0) ran behind", "作业（source 0）之前听到的"),
            Words("a timer fired behind", "timer 触发之前听到的"),
            Words("a socket (source 1) was read behind", "读取 socket（source 1）之前听到的"),
        ]
        // No picture is drawn of it: it belongs to no variant.
        return try withServer(of: "") { server in
            let thread = NetworkThread()
            defer { thread.stop() }
            let heard = Locked<[String]>([])
            let told = whats.map { _ in (steps: Locked(""), moment: Moment()) }
            @Sendable func tell(_ index: Int) {
                let steps = heard.withLock { $0.joined(separator: ", ") }
                told[index].steps.withLock { $0 = steps }
                told[index].moment.comes()
            }
            // `isAsleep` alone is true as well while the loop looks once more, without a sleep.
            func sleeps() {
                _ = Patience.until {
                    thread.isAsleep && heard.withLock { $0.last } == "beforeWaiting"
                }
            }
            watch(thread, heard)
            sleeps()
            thread.perform { tell(0) }
            _ = told[0].moment.isThere()
            // nonisolated(unsafe) because it is set from here once, which Core Foundation allows from any thread.
            nonisolated(unsafe) let timer = CFRunLoopTimerCreateWithHandler(
                kCFAllocatorDefault, .greatestFiniteMagnitude, 0, 0, 0
            ) { _ in tell(1) }
            let isAdded = Moment()
            thread.perform {
                CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, kCFRunLoopCommonModes)
                isAdded.comes()
            }
            _ = isAdded.isThere()
            sleeps()
            CFRunLoopTimerSetNextFireDate(timer, CFAbsoluteTimeGetCurrent())
            _ = told[1].moment.isThere()
            thread.fetch(server.url("/held")) { _ in tell(2) }
            if server.reaches("held") { sleeps() }
            server.release("held")
            _ = told[2].moment.isThere()
            return zip(whats, told).map { what, told in
                .init(what, [told.steps.withLock { $0 }, "-"])
            }
        }
    }

    /// Keeps what was heard since the loop has woken.
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
            isWatched.comes()
        }
        _ = isWatched.isThere()
    }
}
