package import Foundation
import Locking

/// Where bytes of a body go.
public enum ByteDirection: Hashable, Sendable {
    /// To the server.
    case upload
    /// From the server.
    case download
}

/// Work that an indicator or a bar can follow: an operation, or a task of a session.
///
/// Its starts and ends are posted as notifications, which `WorkObservation` observes.
public protocol ObservedWork: AnyObject, Sendable {
    /// Called with the bytes that were moved, and those that are expected; -1 where unknown.
    typealias ProgressBlock = @Sendable (_ completed: Int64, _ expected: Int64) -> Void

    /// Whether it runs: it was started, and is neither held nor at its end.
    var isUnderWay: Bool { get }
    /// Whether it has ended, so that it never runs again.
    var hasEnded: Bool { get }

    /// Adds a block that hears of bytes.
    func addProgressBlock(for direction: ByteDirection, _ block: @escaping ProgressBlock)
}

extension URLConnectionOperation: ObservedWork {
    /// Whether it executes; a paused one does not.
    public var isUnderWay: Bool { isExecuting }

    /// Whether it is finished.
    public var hasEnded: Bool { isFinished }

    /// Adds a progress block that is called on main, after the one that is set now; one that is set
    /// later replaces both.
    public func addProgressBlock(
        for direction: ByteDirection, _ block: @escaping ObservedWork.ProgressBlock
    ) {
        let path = direction == .upload ? \Blocks.uploadProgress : \.downloadProgress
        reportAlso(path) { block($1, $2) }
    }
}

/// Hears when work begins, is held or ends, as long as it is kept.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the observers, which are constant. Calls out on: the thread that posts.
package final class WorkObservation: Sendable {
    private let center: NotificationCenter
    private let observers: Locked<[any NSObjectProtocol]>

    /// Observes work, which is not kept.
    ///
    /// - Parameter changed: called after each change. Changes of several threads may come in another
    ///   order, so it asks the work what it is now.
    package init(
        of work: any ObservedWork, center: NotificationCenter = .default,
        changed: @escaping @Sendable () -> Void
    ) {
        self.center = center
        let names =
            [.networkingOperationDidStart, .networkingOperationDidFinish]
            + (TaskNotification.starts + TaskNotification.ends).map { Notification.Name($0) }
        let made = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { [weak work] notification in
                guard let work, TaskNotification.work(of: notification) === work else { return }
                changed()
            }
        }
        observers = Locked(made)
    }

    deinit {
        observers.withLock { $0.forEach(center.removeObserver) }
    }
}
