import Dispatch
import EventRecorder
import Foundation
import SessionTasks

/// Gives a completion handler its task, which is made after the handler.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, around the variables. Calls out on: the thread that calls
/// `withTask`; before the task is known, later on `queue`.
final class TaskLink: @unchecked Sendable {
    // @unchecked because the variables are only touched under `lock`.
    private let lock = NSLock()
    private let queue: DispatchQueue
    private var task: SessionDataTask?
    private var waiting: (@Sendable (SessionDataTask) -> Void)?

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func withTask(_ body: @escaping @Sendable (SessionDataTask) -> Void) {
        let task = lock.withLock {
            if self.task == nil { waiting = body }
            return self.task
        }
        if let task { body(task) }
    }

    func set(_ task: SessionDataTask) {
        let waiting = lock.withLock {
            self.task = task
            defer { self.waiting = nil }
            return self.waiting
        }
        if let waiting { queue.recordedAsync { waiting(task) } }
    }
}

extension HTTPSessionManager {
    /// Makes a task whose handler calls one of two blocks with the task (HM-06).
    func linked<Task: SessionDataTask>(
        _ success: Success?, _ failure: Failure?, _ make: (@escaping CompletionHandler) -> Task
    ) -> Task {
        let link = TaskLink(queue: completionQueue ?? .main)
        let task = make { _, object, error in
            // nonisolated(unsafe) because all callers get the same object, as in the original.
            nonisolated(unsafe) let object = object
            link.withTask { task in
                if let error {
                    EventRecorder.span(.callback, subject: task.number, text: .failure) {
                        failure?(task, error)
                    }
                } else {
                    EventRecorder.span(.callback, subject: task.number, text: .success) {
                        success?(task, object)
                    }
                }
            }
        }
        link.set(task)
        return task
    }
}
