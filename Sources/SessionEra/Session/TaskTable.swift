import Foundation
import FoundationNetworking

/// A manager's tasks, by the `URLSessionTask`s that run for them (UM-08).
///
/// A key holds the session too: task numbers begin anew in a session made after a reset.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables. Calls out on: nobody.
final class TaskTable: @unchecked Sendable {
    // @unchecked because the variables are only touched under `lock`.
    private struct Key: Hashable {
        let session: ObjectIdentifier
        let number: Int

        init(_ session: URLSession, _ raw: URLSessionTask) {
            self.session = ObjectIdentifier(session)
            number = raw.taskIdentifier
        }
    }

    private let lock = NSLock()

    // MARK: Guarded by lock

    private var running: [Key: SessionTask] = [:]
    private var live: [UInt64: SessionTask] = [:]

    /// Notes that Foundation's task works for this one, until `end`.
    func begin(_ raw: URLSessionTask, of session: URLSession, for task: SessionTask) {
        lock.withLock {
            running[Key(session, raw)] = task
            live[task.number] = task
        }
    }

    /// Whom Foundation's task works for, or worked for before it was suspended.
    func task(of raw: URLSessionTask, in session: URLSession) -> SessionTask? {
        lock.withLock { running[Key(session, raw)] }
    }

    /// Foundation will not mention its task again.
    func end(_ raw: URLSessionTask, of session: URLSession) -> SessionTask? {
        lock.withLock { running.removeValue(forKey: Key(session, raw)) }
    }

    /// The task has ended.
    func remove(_ task: SessionTask) {
        _ = lock.withLock { live.removeValue(forKey: task.number) }
    }

    func contains(_ task: SessionTask) -> Bool {
        lock.withLock { live[task.number] != nil }
    }

    /// Those that have not ended, the oldest first.
    var tasks: [SessionTask] {
        lock.withLock { live }.values.sorted { $0.number < $1.number }
    }
}
