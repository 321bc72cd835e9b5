import TestSupport
import CurlConnection
import Foundation
import Locking

@testable import OperationNetworking

/// A monitor that tells what a test wants told.
final class FakeMonitor: ReachabilityMonitor {
    private let reporter = Locked<(@Sendable (NetworkReachabilityStatus) -> Void)?>(nil)
    private let stops = Locked(0)

    var stopCount: Int { stops.withLock { $0 } }

    func start(_ report: @escaping @Sendable (NetworkReachabilityStatus) -> Void) {
        reporter.withLock { $0 = report }
    }

    func stop() {
        stops.withLock { $0 += 1 }
    }

    /// Reports, also after `stop()`: a real one can have a report under way then.
    func tell(_ status: NetworkReachabilityStatus) {
        reporter.withLock { $0 }?(status)
    }
}

/// A manager with monitors that a test drives, and all that it said.
final class ReachabilityRoom: Sendable {
    let manager: NetworkReachabilityManager
    let said = Log<NetworkReachabilityStatus>()
    let center = NotificationCenter()
    private let made: Locked<[FakeMonitor]>

    init(target: ReachabilityTarget = .general) {
        let made = Locked<[FakeMonitor]>([])
        self.made = made
        manager = NetworkReachabilityManager(target: target, center: center) { _ in
            let monitor = FakeMonitor()
            made.withLock { $0.append(monitor) }
            return monitor
        }
        manager.setReachabilityStatusChangeBlock { [said] in said.add($0) }
    }

    /// All monitors that were ever started, in order.
    var monitors: [FakeMonitor] { made.withLock { $0 } }

    func tell(_ status: NetworkReachabilityStatus) {
        monitors.last?.tell(status)
    }

    func observe(_ block: @escaping @Sendable (Notification) -> Void) -> any NSObjectProtocol {
        center.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil, using: block)
    }
}
