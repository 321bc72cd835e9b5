import Locking
import SessionTasks

/// A manager's tasks and the delegate of each (UM-08).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists, and one around each list. Calls out on: nobody.
struct TaskTable: Sendable {
    /// What is kept for a task until it has ended.
    struct Entry: Sendable {
        let worker: SessionTaskDelegate
        /// What stands for the task in the caller's hands.
        var companion: (any AnyObject & Sendable)?
    }

    private typealias List = Locked<[SessionTask: Entry]>

    private struct Lists {
        var own = List([:])
        /// Those of another manager now, as long as calls for them may be under way (UM-03).
        var given: List?
    }

    private let lists = Locked(Lists())

    func add(_ task: SessionTask, _ delegate: SessionTaskDelegate) {
        lists.withLock { $0.own }.withLock { $0[task] = Entry(worker: delegate) }
    }

    func delegate(of task: SessionTask) -> SessionTaskDelegate? {
        let lists = lists.withLock { $0 }
        return (lists.own.withLock { $0[task] } ?? lists.given?.withLock { $0[task] })?.worker
    }

    /// Keeps an object until the task has ended; not at all for one that has.
    func keep(_ companion: any AnyObject & Sendable, for task: SessionTask) {
        lists.withLock { $0.own }.withLock { $0[task]?.companion = companion }
    }

    /// The task has ended.
    func remove(_ task: SessionTask) -> Entry? {
        let lists = lists.withLock { $0 }
        return lists.own.withLock { $0.removeValue(forKey: task) }
            ?? lists.given?.withLock { $0.removeValue(forKey: task) }
    }

    /// The tasks that have not ended, the oldest first.
    var tasks: [SessionTask] {
        lists.withLock { $0.own }.withLock { $0.keys.sorted { $0.number < $1.number } }
    }

    // MARK: - Adoption

    /// Takes all tasks of another table, which finds them until `forgetGiven`. This one is empty.
    func take(from other: TaskTable) {
        let list = other.lists.withLock { lists in
            let list = lists.own
            lists = Lists(own: List([:]), given: list)
            return list
        }
        lists.withLock { $0.own = list }
    }

    func forgetGiven() {
        lists.withLock { $0.given = nil }
    }
}
