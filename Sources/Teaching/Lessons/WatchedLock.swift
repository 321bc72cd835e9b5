import EventRecorder
import Foundation

/// A lock whose holder, and who waits for it, a recording sees.
///
/// ## Concurrency
/// Call from: any thread. Lock: the one that it is made of; the depth is changed by its holder.
final class WatchedLock: NSLocking, @unchecked Sendable {
    // @unchecked because the depth is only touched while the lock is held.
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
    /// A lock that a recording sees; nil where nothing is recorded.
    static func lock(isRecursive: Bool = true) -> (any NSLocking)? {
        guard EventRecorder.isRecording else { return nil }
        let name = "operation's lock"
        return isRecursive
            ? WatchedLock(NSRecursiveLock(), name) : WatchedLock(NSLock(), name)
    }

    /// Waits for the end of a thread that was begun by `aside`; a recording sees who waits for whom.
    static func wait(for end: Moment, within seconds: Double) -> Bool {
        EventRecorder.span(.lockWait, subject: end.number) { end.isThere(within: seconds) }
    }
}
