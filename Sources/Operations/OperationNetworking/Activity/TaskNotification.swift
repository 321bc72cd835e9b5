import Foundation

/// The notifications of the later eras' tasks, by the names that AFNetworking 4 and Alamofire 4 gave
/// them. Their modules are above this one.
enum TaskNotification {
    static let starts = [
        "com.alamofire.networking.task.resume", "org.alamofire.notification.name.task.didResume",
    ]
    static let ends = [
        "com.alamofire.networking.task.suspend", "com.alamofire.networking.task.complete",
        "org.alamofire.notification.name.task.didSuspend",
        "org.alamofire.notification.name.task.didCancel",
        "org.alamofire.notification.name.task.didComplete",
    ]

    /// The task of a request's notification, whose object is another one; else the object.
    static func work(of notification: Notification) -> AnyObject? {
        (notification.userInfo?["org.alamofire.notification.key.task"] ?? notification.object)
            .map { $0 as AnyObject }
    }
}
