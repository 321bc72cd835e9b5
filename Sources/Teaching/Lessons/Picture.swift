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

    /// Ends a variant's part: what follows belongs to none.
    package static func end() { begin("") }

    /// Begins the part of the correct variant, or of a mistake's.
    static func begin<Mistake: RawRepresentable>(_ mistake: Mistake?)
    where Mistake.RawValue == String {
        begin(mistake?.rawValue ?? "correct")
    }

    /// Records a call of the experiment's own thread.
    static func note(_ call: String) {
        EventRecorder.instant(.note, text: EventText(call))
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
        // `isExecuting` is announced when that state begins, and again when it ends.
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

/// What an experiment does to a run loop, as a note in the recording: the loop's own thread records its
/// sleep and its modes, and nothing of other threads.
package enum LoopMark: String, Sendable {
    case signal = "CFRunLoopSourceSignal"
    case signalAndWake = "CFRunLoopSourceSignal, CFRunLoopWakeUp"
    case stop = "CFRunLoopStop"
    /// The thread was found to have ended.
    case end = "CFRunLoopRun returned"
    /// The loop was run again and again; the note's value says how often.
    case again = "CFRunLoopRun, again"

    func record(_ value: Int64 = 0) {
        EventRecorder.instant(.note, value: value, text: EventText(rawValue))
    }
}

/// A lock that records its owner and the threads that wait for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: `inner`; only its owner changes the depth.
final class WatchedLock: NSLocking, @unchecked Sendable {
    // @unchecked because the depth is only used while the lock is locked.
    private let inner: any NSLocking
    /// Locks it if no other thread has it.
    private let tryToLock: () -> Bool
    private let number = EventRecorder.nextNumber()
    private let name: String
    private var depth: Int64 = 0

    init(_ inner: NSLock, _ name: String) {
        self.inner = inner
        self.name = name
        tryToLock = inner.try
    }

    init(_ inner: NSRecursiveLock, _ name: String) {
        self.inner = inner
        self.name = name
        tryToLock = inner.try
    }

    func lock() {
        if !tryToLock() {
            EventRecorder.span(.lockWait, subject: number, text: EventText(name)) { inner.lock() }
        }
        depth += 1
        EventRecorder.begin(.lockHold, subject: number, value: depth, text: EventText(name))
    }

    func unlock() {
        EventRecorder.end(.lockHold, subject: number, value: depth, text: EventText(name))
        depth -= 1
        inner.unlock()
    }
}

extension Picture {
    /// A lock that is recorded; nil where nothing is recorded.
    static func lock(isRecursive: Bool = true) -> (any NSLocking)? {
        guard EventRecorder.isRecording else { return nil }
        let name = "operation's lock"
        return isRecursive
            ? WatchedLock(NSRecursiveLock(), name) : WatchedLock(NSLock(), name)
    }

    /// Waits for the end of a thread that `onNewThread` started, and records which thread waits for which.
    static func wait(for end: Moment, within seconds: Double) -> Bool {
        EventRecorder.span(.lockWait, subject: end.number) { end.wait(within: seconds) }
    }
}
