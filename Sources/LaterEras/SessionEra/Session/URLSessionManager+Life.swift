import Foundation
import FoundationNetworking
package import SessionTasks

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
                left.worker.finish(
                    task, current, task.error ?? URLError(.cancelled), isSilent: false)
            }
        }
        return task
    }

    /// Keeps an object until a task has ended and its blocks were called; not at all for one that has.
    ///
    /// It is for what stands for the task in the caller's hands, as Foundation's session keeps its tasks.
    package func keep(_ companion: any AnyObject & Sendable, until task: SessionTask) {
        table.keep(companion, for: task)
    }
}
