import TestSupport

@testable import OperationNetworking
@testable import RequestEra

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

/// A manager whose facts a test makes, and all that it said.
final class FactsRoom: Sendable {
    typealias Manager = RequestEra.NetworkReachabilityManager
    let manager: Manager
    let said = Log<Manager.NetworkReachabilityStatus>()
    private let made: Locked<[FakeMonitor]>
    private let now: Locked<ReachabilityFacts?>

    init(_ facts: ReachabilityFacts? = .wired) {
        let made = Locked<[FakeMonitor]>([])
        let now = Locked<ReachabilityFacts?>(facts)
        self.made = made
        self.now = now
        manager = Manager(
            .general,
            Manager.System(
                monitor: { _ in
                    let monitor = FakeMonitor()
                    made.withLock { $0.append(monitor) }
                    return monitor
                }, facts: { _ in now.withLock { $0 } }))
        manager.listener = { [said] in said.add($0) }
    }

    /// All monitors that were ever started, in order.
    var monitors: [FakeMonitor] { made.withLock { $0 } }

    /// The facts change, and the monitor that was started last says so.
    func tell(_ facts: ReachabilityFacts?) {
        now.withLock { $0 = facts }
        monitors.last?.tell(facts)
    }
}

extension ReachabilityFacts {
    static let wired = ReachabilityFacts.route()
    static let mobile = ReachabilityFacts.route(over: Interface(name: "wwan0"))
    static let nothing = ReachabilityFacts()

    /// One interface with a default route.
    static func route(
        over interface: Interface = Interface(name: "eth0"), kind: Route.Kind = .delivers,
        hasSource: Bool = true
    ) -> ReachabilityFacts {
        var facts = ReachabilityFacts()
        facts.interfaces[2] = interface
        facts.sources =
            hasSource ? [Source(interface: 2, family: .ipv4, scope: .universe)] : []
        facts.routes = [
            Route(kind: kind, family: .ipv4, destination: [0, 0, 0, 0], interfaces: [2])
        ]
        return facts
    }
}
