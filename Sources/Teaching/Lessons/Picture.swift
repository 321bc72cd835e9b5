import CoreFoundation
import EventRecorder
import Foundation
import Locking

/// What an experiment adds to a recording, so that a picture can be drawn of it.
///
/// The small port records nothing, so that it stays small: here its run loop and its operations are
/// watched from outside. Where nothing is recorded nothing is watched, and an experiment goes the same way.
package enum Picture {
    /// Stands before a variant's name in a note.
    package static let mark = "variant "

    /// What happens from here on belongs to a variant.
    package static func begin(_ variant: String) {
        EventRecorder.instant(.note, text: EventText(mark + variant))
    }

    /// What happens from here on belongs to the correct variant or to that of a mistake.
    static func begin<Mistake: RawRepresentable>(_ mistake: Mistake?)
    where Mistake.RawValue == String {
        begin(mistake?.rawValue ?? "correct")
    }

    /// Records when the run loop of a thread sleeps.
    ///
    /// - Parameter perform: hands a job to the thread.
    static func watch(_ perform: (@escaping @Sendable () -> Void) -> Void) {
        guard EventRecorder.isRecording else { return }
        perform { watchCurrentLoop() }
    }

    /// The same for the thread that calls it.
    static func watchCurrentLoop() {
        guard EventRecorder.isRecording else { return }
        Thread.current.name = "network thread"
        let activities: CFRunLoopActivity = [.beforeWaiting, .afterWaiting]
        let observer = CFRunLoopObserverCreateWithHandler(
            kCFAllocatorDefault, activities.rawValue, true, 0
        ) { _, activity in
            if activity == .beforeWaiting {
                EventRecorder.begin(.runLoopSleep)
            } else {
                EventRecorder.end(.runLoopSleep)
            }
        }
        CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopCommonModes)
    }

    /// Hears the announcements of an operation, and records its life as they tell it.
    static func observer(_ name: String) -> @Sendable (_ key: String, _ isAfter: Bool) -> Void {
        guard EventRecorder.isRecording else { return { _, _ in } }
        let (number, text) = (EventRecorder.nextNumber(), EventText(name))
        // The key of a state is announced when it begins, and once more when it ends.
        let hasBegun = Locked(false)
        return { key, isAfter in
            guard isAfter else { return }
            if key == "isFinished" { EventRecorder.end(.operation, subject: number, text: text) }
            let begins = hasBegun.withLock { hasBegun in
                defer { hasBegun = hasBegun || key == "isExecuting" }
                return !hasBegun && key == "isExecuting"
            }
            if begins { EventRecorder.begin(.operation, subject: number, text: text) }
        }
    }

    /// Runs a caller's block, seen by a recording.
    static func block<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        try EventRecorder.span(.callback, text: EventText(name), body)
    }
}
