import EventRecorder
import Foundation

/// A lock that records its owner and the threads that wait for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: `inner`; only its owner changes the depth.
final class WatchedLock: NSLocking, @unchecked Sendable {
    // @unchecked because the depth is only used while the lock is locked.
    private let inner: any NSLocking
    private let isFree: () -> Bool
    private let number = EventRecorder.nextNumber()
    private let name: String
    private var depth: Int64 = 0

    init(_ inner: NSLock, _ name: String) {
        self.inner = inner
        self.name = name
        isFree = inner.try
    }

    init(_ inner: NSRecursiveLock, _ name: String) {
        self.inner = inner
        self.name = name
        isFree = inner.try
    }

    func lock() {
        if !isFree() {
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
