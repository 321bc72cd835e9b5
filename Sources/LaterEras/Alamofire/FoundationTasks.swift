public import CurlConnection
public import Foundation
public import FoundationNetworking
public import RequestEra
import SessionTasks

// Foundation's task types stay what they are in a file that imports this module, so that a program's own sessions and
// their delegates work there. A request's task is given as one of them, which passes every call on.

/// A type whose tasks are given in Foundation's types too, which come first in a file that imports this module.
///
/// They are in a protocol, because in an extension of the class itself one property would hide the other.
public protocol FoundationTasked {}

extension Request: FoundationTasked {}
extension SessionDelegate: FoundationTasked {}

extension FoundationTasked where Self: Request {
    /// The task of the latest attempt; nil where none could be made.
    public var task: URLSessionTask? { foundationTask }
}

extension SessionDelegate {
    /// The request of a task; see the subscript with a `SessionTask`. A task of another session has none.
    public subscript(task: URLSessionTask) -> Request? {
        get { task.ownTask.flatMap { self[$0] } }
        set {
            if let task = task.ownTask { self[task] = newValue }
        }
    }
}

// MARK: - Notifications

/// The key of the task in a notification's user info.
public struct NotifiedTaskKey: Sendable {}

/// A type that has a key of its own in this module.
public protocol TaskKeyed {}

extension Notification.Key: TaskKeyed {}

extension TaskKeyed where Self == Notification.Key {
    /// The task, a `URLSessionTask`.
    public static var Task: NotifiedTaskKey { NotifiedTaskKey() }
}

extension Dictionary where Key == AnyHashable, Value == Any {
    /// The task of a notification as one of Foundation's type; nil where the user info has none.
    public subscript(key: NotifiedTaskKey) -> Any? {
        let key: String = Notification.Key.Task
        return (self[key] as? SessionTask).map { FoundationTasks.task(for: $0) }
    }
}

// MARK: - Measurements

// Foundation on Linux measures nothing, so these names stand for what is measured here.

/// The times of a request; of a response its `metrics`.
public typealias URLSessionTaskMetrics = RequestMetrics
/// The times of one exchange of it.
public typealias URLSessionTaskTransactionMetrics = TransactionMetrics
