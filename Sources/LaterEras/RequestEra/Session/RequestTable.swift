import SessionTasks

/// The requests of a delegate (AL-06): by task, and all that have not ended, which it keeps alive.
///
/// Tasks are told apart by themselves: those that could not be made share a number.
struct RequestTable {
    private var byTask: [SessionTask: Request] = [:]
    private var unfinished: [ObjectIdentifier: Request] = [:]
    /// Tasks that were made for a retry which was given up meanwhile; nobody hears of their end.
    private var dropped: Set<SessionTask> = []

    var count: Int { byTask.count }

    subscript(task: SessionTask) -> Request? {
        get { byTask[task] }
        set { byTask[task] = newValue }
    }

    /// All that have not ended.
    var requests: [Request] { Array(unfinished.values) }

    mutating func keep(_ request: Request) {
        unfinished[ObjectIdentifier(request)] = request
    }

    mutating func letGo(_ request: Request) {
        unfinished[ObjectIdentifier(request)] = nil
    }

    mutating func drop(_ task: SessionTask) {
        byTask[task] = nil
        dropped.insert(task)
    }

    /// Whether the end of a task was for nobody.
    mutating func wasDropped(_ task: SessionTask) -> Bool {
        dropped.remove(task) != nil
    }
}
