import CoreFoundation
import EventRecorder
import Foundation
import Locking

/// Adds events to a recording, from which a lesson's timeline is drawn.
///
/// The small port records nothing, so that it stays small; its run loop and its operations are
/// observed from outside. Without a recording an experiment runs the same, and is not observed.
package enum Picture {
    /// The text before a variant's name in a note.
    package static let mark = "variant "

    /// Begins the part of the recording that belongs to a variant.
    package static func begin(_ variant: String) {
        EventRecorder.instant(.note, text: EventText(mark + variant))
    }

    /// Begins the part of the correct variant, or of a mistake's.
    static func begin<Mistake: RawRepresentable>(_ mistake: Mistake?)
    where Mistake.RawValue == String {
        begin(mistake?.rawValue ?? "correct")
    }

    /// Records when the run loop of a thread sleeps.
    ///
    /// - Parameter perform: dispatches a job to the thread.
    static func watch(_ perform: (@escaping @Sendable () -> Void) -> Void) {
        guard EventRecorder.isRecording else { return }
        perform { watchCurrentLoop() }
    }

    /// Records when the run loop of the calling thread sleeps and wakes.
    static func watchCurrentLoop() {
        guard EventRecorder.isRecording else { return }
        EventRecorder.nameThread("network thread")
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

    /// Returns an observer of an operation's states, which records its begin and end.
    static func observer(_ name: String) -> @Sendable (_ key: String, _ isAfter: Bool) -> Void {
        guard EventRecorder.isRecording else { return { _, _ in } }
        let (number, text) = (EventRecorder.nextNumber(), EventText(name))
        // It is called when a state begins, and again when that state ends.
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

    /// Runs and records a caller's block.
    static func block<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        try EventRecorder.span(.callback, text: EventText(name), body)
    }
}
