import Locking
import TestSupport

@testable import OperationNetworking
@testable import RequestEra

/// A status as monitors report it.
typealias Told = OperationNetworking.NetworkReachabilityStatus

/// A monitor that tells what a test wants told.
final class FakeMonitor: ReachabilityMonitor {
    private let reporter = Locked<(@Sendable (Told) -> Void)?>(nil)
    private let stops = Locked(0)

    var stopCount: Int { stops.withLock { $0 } }

    func start(_ report: @escaping @Sendable (Told) -> Void) {
        reporter.withLock { $0 = report }
    }

    func stop() {
        stops.withLock { $0 += 1 }
    }

    /// Reports, also after `stop()`: a real one can have a report under way then.
    func tell(_ status: Told) {
        reporter.withLock { $0 }?(status)
    }
}

/// A manager whose system a test plays, and all that it said.
final class ReachabilityRoom: Sendable {
    typealias Manager = RequestEra.NetworkReachabilityManager
    let manager: Manager
    let said = Log<Manager.NetworkReachabilityStatus>()
    private let made: Locked<[FakeMonitor]>
    private let now: Locked<Told>

    init(_ status: Told = .reachableViaWiFi) {
        let made = Locked<[FakeMonitor]>([])
        let now = Locked<Told>(status)
        self.made = made
        self.now = now
        manager = Manager(
            .general,
            Manager.System(
                monitor: { _ in
                    let monitor = FakeMonitor()
                    made.withLock { $0.append(monitor) }
                    return monitor
                }, status: { _ in now.withLock { $0 } }))
        manager.listener = { [said] in said.add($0) }
    }

    /// All monitors that were ever started, in order.
    var monitors: [FakeMonitor] { made.withLock { $0 } }

    /// The status changes, and the monitor that was started last says so.
    func tell(_ status: Told) {
        now.withLock { $0 = status }
        monitors.last?.tell(status)
    }
}
