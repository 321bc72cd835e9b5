import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A monitor that tells what a test wants told.
final class FakeMonitor: ReachabilityMonitor {
    private let reporter = Locked<(@Sendable (ReachabilityFacts?) -> Void)?>(nil)
    private let stops = Locked(0)

    var stopCount: Int { stops.withLock { $0 } }

    func start(_ report: @escaping @Sendable (ReachabilityFacts?) -> Void) {
        reporter.withLock { $0 = report }
    }

    func stop() {
        stops.withLock { $0 += 1 }
    }

    /// Reports, also after `stop()`: a real one can have a report under way then.
    func tell(_ facts: ReachabilityFacts?) {
        reporter.withLock { $0 }?(facts)
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

    func tell(_ facts: ReachabilityFacts?) {
        monitors.last?.tell(facts)
    }

    func observe(_ block: @escaping @Sendable (Notification) -> Void) -> any NSObjectProtocol {
        center.addObserver(
            forName: .networkingReachabilityDidChange, object: nil, queue: nil, using: block)
    }
}

extension ReachabilityFacts {
    /// One interface with a default route.
    static func `default`(
        over interface: Interface = Interface(name: "eth0"),
        family: NetworkAddress.Family = .ipv4
    ) -> ReachabilityFacts {
        var facts = ReachabilityFacts()
        facts.interfaces[2] = interface
        facts.sources = [Source(interface: 2, family: family, scope: .universe)]
        facts.routes = [.default(family, over: 2)]
        return facts
    }

    static let wired = ReachabilityFacts.default()
    static let mobile = ReachabilityFacts.default(over: Interface(name: "wwan0"))
    static let nothing = ReachabilityFacts()
}

extension ReachabilityFacts.Route {
    static func `default`(
        _ family: NetworkAddress.Family = .ipv4, over interfaces: Int..., metric: UInt32 = 0,
        kind: Kind = .delivers, table: UInt32 = 254
    ) -> Self {
        Self(
            kind: kind, family: family,
            destination: [UInt8](repeating: 0, count: family.length), table: table, metric: metric,
            interfaces: interfaces)
    }
}
