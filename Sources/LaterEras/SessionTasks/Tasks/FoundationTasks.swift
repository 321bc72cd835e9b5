import Foundation
package import FoundationNetworking
import Locking

// Old sources name Foundation's task classes, and programs ask Foundation's session for its tasks. They get one of
// these, which passes every call on to the session's own task. The underlying `URLSessionTask` would not suffice: a
// download has no `URLSessionDownloadTask` (LX-07), a suspended one is replaced by another (LX-06), and calls to it post no
// notification (UM-14).

extension URLSessionTask {
    /// The session's task behind this one; nil for Foundation's own.
    package var ownTask: SessionTask? { (self as? any HandledTask)?.handle }
}

/// The tasks by their handles.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `tasks`. Calls out on: nothing.
package enum FoundationTasks {
    private struct Weak {
        weak var task: URLSessionTask?
    }

    /// A task keeps its handle, so no other object has its address while that is a key.
    private static let tasks = Locked<[ObjectIdentifier: Weak]>([:])

    package static func task(for handle: SessionTask) -> URLSessionTask {
        switch handle {
        case let handle as SessionDataTask: task(for: handle)
        case let handle as SessionDownloadTask: task(for: handle)
        default: task(for: handle, HandledDataTask.init)
        }
    }

    package static func task(for handle: SessionDataTask) -> URLSessionDataTask {
        guard let handle = handle as? SessionUploadTask else {
            return task(for: handle, HandledDataTask.init)
        }
        return task(for: handle)
    }

    package static func task(for handle: SessionUploadTask) -> URLSessionUploadTask {
        task(for: handle, HandledUploadTask.init)
    }

    package static func task(for handle: SessionDownloadTask) -> URLSessionDownloadTask {
        task(for: handle, HandledDownloadTask.init)
    }

    /// The task of a handle; the same one as long as it is referenced.
    private static func task<Handle: SessionTask, Task: HandledTask>(
        for handle: Handle, _ make: (Handle) -> Task
    ) -> Task {
        tasks.withLock { tasks in
            if let task = tasks[ObjectIdentifier(handle)]?.task as? Task { return task }
            let task = make(handle)
            tasks[ObjectIdentifier(handle)] = Weak(task: task)
            return task
        }
    }

    static func remove(_ task: some HandledTask) {
        let key = ObjectIdentifier(task.handle)
        // A task that is being released is nil here already; its successor stays, and is not released under the
        // lock.
        let successor = tasks.withLock { tasks in
            let successor = tasks[key]?.task
            if successor == nil { tasks[key] = nil }
            return successor
        }
        withExtendedLifetime(successor) {}
    }
}
