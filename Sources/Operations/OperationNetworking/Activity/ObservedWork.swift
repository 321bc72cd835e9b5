package import Foundation
import Locking

/// Whether the bytes of a body are sent or received.
public enum ByteDirection: Hashable, Sendable {
    /// To the server.
    case upload
    /// From the server.
    case download
}

/// An operation or task whose activity and progress can be displayed.
///
/// Its starts and ends are posted as notifications, which `WorkObservation` observes.
public protocol ObservedWork: AnyObject, Sendable {
    /// Called with the transferred and the expected number of bytes; -1 if unknown.
    typealias ProgressBlock = @Sendable (_ completed: Int64, _ expected: Int64) -> Void

    /// Whether it was started, and is neither paused, suspended nor finished.
    var isUnderWay: Bool { get }
    /// Whether it has ended.
    var hasEnded: Bool { get }

    /// Adds a block that is called as bytes are transferred.
    func addProgressBlock(for direction: ByteDirection, _ block: @escaping ProgressBlock)
}

extension URLConnectionOperation: ObservedWork {
    /// Whether it is executing; a paused one is not.
    public var isUnderWay: Bool { isExecuting }

    /// Whether it is finished.
    public var hasEnded: Bool { isFinished }

    /// Adds a progress block that is called on main, after the one that is set. Setting another one later
    /// replaces both.
    public func addProgressBlock(
        for direction: ByteDirection, _ block: @escaping ObservedWork.ProgressBlock
    ) {
        let path = direction == .upload ? \Blocks.uploadProgress : \.downloadProgress
        reportAlso(path) { block($1, $2) }
    }
}

/// Observes when work begins, pauses or ends, until it is released.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the observers. Calls out on: the thread that posts, not under the lock.
package final class WorkObservation: Sendable {
    private let center: NotificationCenter
    private let observers = Locked<[any NSObjectProtocol]>([])

    init(_ center: NotificationCenter) {
        self.center = center
    }

    /// - Parameters:
    ///   - work: not retained.
    ///   - changed: called after each change. It should read the work's state, because notifications of
    ///     several threads may come in another order.
    package convenience init(
        of work: any ObservedWork, center: NotificationCenter = .default,
        changed: @escaping @Sendable () -> Void
    ) {
        self.init(center)
        let names: [Notification.Name] = [
            .networkingOperationDidStart, .networkingOperationDidFinish,
        ]
        observe(names + TaskNotification.starts + TaskNotification.ends) { [weak work] other in
            if let work, other === work { changed() }
        }
    }

    deinit {
        observers.withLock { $0.forEach(center.removeObserver) }
    }

    /// - Parameter handle: called with the operation or task of a notification.
    func observe(
        _ names: [Notification.Name], _ handle: @escaping @Sendable (AnyObject) -> Void
    ) {
        let new = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { notification in
                if let work = TaskNotification.work(of: notification) { handle(work) }
            }
        }
        observers.withLock { $0 += new }
    }
}

/// The notifications of tasks and requests, which modules above this one post, by the names of
/// AFNetworking 4 and Alamofire 4.
enum TaskNotification {
    static let starts = [
        "com.alamofire.networking.task.resume", "org.alamofire.notification.name.task.didResume",
    ].map(Notification.Name.init(rawValue:))
    static let ends = [
        "com.alamofire.networking.task.suspend", "com.alamofire.networking.task.complete",
        "org.alamofire.notification.name.task.didSuspend",
        "org.alamofire.notification.name.task.didCancel",
        "org.alamofire.notification.name.task.didComplete",
    ].map(Notification.Name.init(rawValue:))

    /// The task of an Alamofire request's notification; otherwise the notification's object.
    static func work(of notification: Notification) -> AnyObject? {
        (notification.userInfo?["org.alamofire.notification.key.task"] ?? notification.object)
            .map { $0 as AnyObject }
    }
}
