import Foundation
package import FoundationNetworking
import Locking

// Old sources use Foundation's task classes, and `URLSession.getAllTasks` returns objects of them. These objects here are
// subclasses of Foundation's tasks, and their methods call the `SessionTask` that does the work.

extension URLSessionTask {
    /// The `SessionTask` whose methods this task calls; nil for a task that Foundation has made.
    package var ownTask: SessionTask? { (self as? any ForwardingTask)?.handle }
}

/// Makes the objects of Foundation's task classes.
package enum FoundationTasks {
    package static func task(for handle: SessionTask) -> URLSessionTask {
        switch handle {
        case let handle as SessionDataTask: task(for: handle)
        case let handle as SessionDownloadTask: task(for: handle)
        default: task(for: handle, ForwardingDataTask.init)
        }
    }

    package static func task(for handle: SessionDataTask) -> URLSessionDataTask {
        guard let handle = handle as? SessionUploadTask else {
            return task(for: handle, ForwardingDataTask.init)
        }
        return task(for: handle)
    }

    package static func task(for handle: SessionUploadTask) -> URLSessionUploadTask {
        task(for: handle, ForwardingUploadTask.init)
    }

    package static func task(for handle: SessionDownloadTask) -> URLSessionDownloadTask {
        task(for: handle, ForwardingDownloadTask.init)
    }

    /// Returns the object for a `SessionTask`: the same one each time, while it is retained.
    private static func task<Handle: SessionTask, Task: ForwardingTask>(
        for handle: Handle, _ make: (Handle) -> Task
    ) -> Task {
        if let task = handle.values.withLock({ $0.foundationTask }) as? Task { return task }
        let new = make(handle)
        return handle.values.withLock { values in
            if let task = values.foundationTask as? Task { return task }
            values.foundationTask = new
            return new
        }
    }
}
