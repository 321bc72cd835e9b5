import EventRecorder
import Foundation

/// An operation's recursive lock; a recording sees who waits for it, who holds it, and how deep.
///
/// ## Concurrency
/// Call from: any thread, also from inside. Lock: itself. Calls out on: the caller's thread, held.
final class OperationLock: @unchecked Sendable {
    // @unchecked because `depth` is changed by the holder alone.

    // MARK: Set once

    private let lock = NSRecursiveLock()
    /// Whose lock it is, in a recording.
    let number = EventRecorder.nextNumber()

    // MARK: Guarded by itself

    /// How often the holder has taken it, as far as the recording saw.
    private var depth: Int64 = 0

    init(name: String) {
        lock.name = name
    }

    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard EventRecorder.isRecording else { return try lock.withLock(body) }
        if !lock.try() {
            EventRecorder.span(.lockWait, subject: number) { lock.lock() }
        }
        let begin = EventRecorder.beginning
        depth += 1
        defer {
            let held = depth
            depth -= 1
            let end = EventRecorder.beginning
            lock.unlock()
            EventRecorder.whole(.lockHold, subject: number, value: held, from: begin, to: end)
        }
        return try body()
    }
}
