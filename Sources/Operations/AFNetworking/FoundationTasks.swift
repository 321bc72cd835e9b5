import FoundationNetworking
import SessionEra

extension URLSessionManager {
    /// A task of this manager in Foundation's type, kept until its blocks were called: a caller may
    /// hold it weakly, because Foundation's session keeps its tasks.
    func kept<Task: URLSessionTask>(_ task: Task) -> Task {
        if let handle = task.ownTask { keep(task, until: handle) }
        return task
    }
}
