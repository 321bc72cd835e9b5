import Foundation
package import FoundationNetworking
import Locking

// Old sources name Foundation's task classes, and programs ask Foundation's session for its tasks.
// They get one of these, whose methods call the session's own task: its suspensions and its
// notifications (UM-14) are those that count.

extension URLSessionTask {
    /// The session's task behind this one; nil for Foundation's own.
    package var ownTask: SessionTask? { (self as? any ForwardingTask)?.handle }
}

/// Makes the tasks of Foundation's type.
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

    /// One object for a handle, as long as it is referenced.
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
