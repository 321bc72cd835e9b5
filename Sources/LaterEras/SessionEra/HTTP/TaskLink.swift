import EventRecorder
import Foundation
import Locking

/// Calls a completion handler with its task, which is made after the handler.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the state. Calls out on: the thread that calls
/// `withTask`; before the task is known, later on `queue`.
struct TaskLink: Sendable {
    private struct State {
        var task: SessionDataTask?
        var waiting: (@Sendable (SessionDataTask) -> Void)?
    }

    private let queue: DispatchQueue
    private let state = Locked(State())

    init(queue: DispatchQueue) {
        self.queue = queue
    }

    func withTask(_ body: @escaping @Sendable (SessionDataTask) -> Void) {
        let task = state.withLock { state in
            if state.task == nil { state.waiting = body }
            return state.task
        }
        if let task { body(task) }
    }

    func set(_ task: SessionDataTask) {
        let waiting = state.withLock { state in
            state.task = task
            return state.waiting.take()
        }
        if let waiting { queue.recordedAsync { waiting(task) } }
    }
}

extension HTTPSessionManager {
    /// Makes a task whose handler calls one of two blocks with the task.
    func linked<Task: SessionDataTask>(
        _ success: Success?, _ failure: Failure?, _ make: (@escaping CompletionHandler) -> Task
    ) -> Task {
        let link = TaskLink(queue: completionQueue ?? .main)
        let task = make { _, object, error in
            // nonisolated(unsafe) because it is not changed here; the callers share it, as in the original.
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
