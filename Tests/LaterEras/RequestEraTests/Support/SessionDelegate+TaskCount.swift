import SessionTasks
import TestSupport

@testable import RequestEra

extension SessionDelegate {
    /// How many tasks have a request.
    var taskCount: Int {
        state.withLock { Array($0.unfinished.values) }
            .count { request in request.task.flatMap { self[$0] } === request }
    }
}
