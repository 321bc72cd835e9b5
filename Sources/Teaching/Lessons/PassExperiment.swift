import CoreFoundation
import Foundation
import Locking
import LoopbackServer
import SmallPort3HandOver

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
            Words("a job (source 0) ran after", "作业（source 0）之前听到的"),
            Words("a timer fired after", "timer 触发之前听到的"),
            Words("a socket (source 1) was read after", "读取 socket（source 1）之前听到的"),
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
