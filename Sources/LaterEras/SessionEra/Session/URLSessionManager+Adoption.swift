import Foundation
import FoundationNetworking
import SessionTasks

extension URLSessionManager {
    /// Makes a manager that takes over the session of another one, with the tasks that it has
    /// (UM-03).
    ///
    /// The tasks go on. From now on they call this manager's blocks, and their answers go through
    /// its serializer and its queues; they keep the completion handlers, progress blocks and
    /// destinations that they were made with. Both managers have one delegate queue. The other one
    /// has no task any more, and makes a new session when it next needs one.
    ///
    /// AFNetworking adopted tasks that a background session had from an earlier process, without
    /// their handlers; Linux has no such sessions (LX-20).
    public convenience init(adoptingTasksOf manager: URLSessionManager) {
        self.init(sessionConfiguration: manager.slot.configuration)
        adopt(manager)
    }

    func adopt(_ manager: URLSessionManager) {
        guard let session = slot.takeSession(of: manager.slot) else { return }
        session.forwardsCredentialsToOtherOrigins = forwardsCredentialsToOtherOrigins
        session.replaceDelegate(by: self)
        session.forgetAnswersAboutServers()
    }
}
