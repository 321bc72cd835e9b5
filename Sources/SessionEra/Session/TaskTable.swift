import Foundation
import FoundationNetworking

/// A manager's tasks, by the `URLSessionTask`s that run for them (UM-08).
///
/// A key holds the session too, because task numbers start again in a session after a reset.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables. Calls out on: nothing.
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

    /// Connects Foundation's task with this one, until `end`.
    func begin(_ raw: URLSessionTask, of session: URLSession, for task: SessionTask) {
        lock.withLock {
            running[Key(session, raw)] = task
            live[task.number] = task
        }
    }

    /// The task of Foundation's task, also after a suspension.
    func task(of raw: URLSessionTask, in session: URLSession) -> SessionTask? {
        lock.withLock { running[Key(session, raw)] }
    }

    /// Foundation has made its last delegate call for its task.
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

    /// The tasks that have not ended, the oldest first.
    var tasks: [SessionTask] {
        lock.withLock { live }.values.sorted { $0.number < $1.number }
    }
}
