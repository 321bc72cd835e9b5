public import Foundation

extension Notification.Name {
    /// Posted on the main queue when an operation's run has begun; the object is the operation.
    public static let networkingOperationDidStart = Notification.Name(
        "com.alamofire.networking.operation.start")

    /// Posted on the main queue when an operation has finished or was paused while executing.
    public static let networkingOperationDidFinish = Notification.Name(
        "com.alamofire.networking.operation.finish")
}

/// Which notifications an operation owes: every start gets exactly one finish (NO-1, wound 52).
struct NotificationBalance {
    private var isStartOpen = false
    private var wasEverStarted = false

    /// A run begins.
    mutating func start() -> Notification.Name {
        isStartOpen = true
        wasEverStarted = true
        return .networkingOperationDidStart
    }

    /// A run pauses: observers that got its start get a finish.
    mutating func pause() -> Notification.Name? {
        defer { isStartOpen = false }
        return isStartOpen ? .networkingOperationDidFinish : nil
    }

    /// The operation is over. One that never began still posts its finish (OP-16).
    mutating func finish() -> Notification.Name? {
        defer { isStartOpen = false }
        return isStartOpen || !wasEverStarted ? .networkingOperationDidFinish : nil
    }
}
