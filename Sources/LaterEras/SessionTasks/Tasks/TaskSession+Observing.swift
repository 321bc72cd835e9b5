import Foundation
import FoundationNetworking
import OperationNetworking

// What an observer of a manager hears of its tasks.

extension TaskSession {
    /// Nobody else has the task yet.
    func tellOfMaking(_ task: SessionTask) {
        observedManager?.tellOfMaking(task.observed)
    }

    func tellObserver(
        of task: SessionTask,
        _ call: @escaping @Sendable (any RequestObserver, ObservedRequest) -> Void
    ) {
        observedManager?.tell(task.observed, call)
    }

    func tellObserver(ofEndOf task: SessionTask, _ error: (any Error)?) {
        guard let observedManager else { return }
        let metrics = task.metrics
        observedManager.tell(task.observed) {
            $0.request($1, didEndWith: error, metrics: metrics)
        }
    }
}

extension SessionTask {
    /// The task as it is now.
    fileprivate var observed: ObservedRequest {
        ObservedRequest(id: number, urlRequest: source.request, response: response)
    }
}
