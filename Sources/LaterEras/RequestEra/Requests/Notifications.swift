public import Foundation

extension Notification.Name {
    /// The notifications of requests.
    ///
    /// The first three come from `resume()`, `suspend()` and `cancel()` of a request that has a
    /// task: on the caller's thread, at each call, with the request as the object. A retry
    /// posts none.
    public struct Task {
        /// A request was resumed. Its end may be posted before, from another thread.
        public static let DidResume = Notification.Name(
            "org.alamofire.notification.name.task.didResume")
        /// A request was suspended.
        public static let DidSuspend = Notification.Name(
            "org.alamofire.notification.name.task.didSuspend")
        /// A request was cancelled.
        public static let DidCancel = Notification.Name(
            "org.alamofire.notification.name.task.didCancel")
        /// A request's last task has ended: posted on the session's delegate queue before any
        /// handler runs, with the session delegate as the object. Posted once; once more only where a
        /// validation that came after it had the request tried again.
        public static let DidComplete = Notification.Name(
            "org.alamofire.notification.name.task.didComplete")
    }
}

extension Notification {
    /// The keys of a request's notifications.
    public struct Key {
        /// The task. Module Alamofire has a key of this name, whose value is of Foundation's type.
        @_disfavoredOverload
        public static let Task = "org.alamofire.notification.key.task"
        /// The body of a data or upload request, in `Notification.Name.Task.DidComplete`; absent where a
        /// stream closure or `bytes()` got it, or the delegate has forgotten the task.
        public static let ResponseData = "org.alamofire.notification.key.responseData"
    }
}
