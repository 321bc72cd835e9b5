import Foundation
import FoundationNetworking
import SessionTasks

// The life of a task.
extension URLSessionManager {
    /// Gives a new task its delegate. The handler of a task that could not be made is called now,
    /// and nobody else.
    func adopt<Task: SessionTask>(_ task: Task, _ delegate: SessionTaskDelegate) -> Task {
        if task.taskIdentifier == 0, let error = task.error {
            delegate.finish(task, current, error, isSilent: true)
        } else {
            table.add(task, delegate)
            // It may have ended while it was made, with its session.
            if task.state == .completed, let left = table.remove(task) {
                left.finish(task, current, task.error ?? URLError(.cancelled), isSilent: false)
            }
        }
        return task
    }
}
