import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

/// With a source of the kernel's facts in the test's hand.
@Suite("A manager that holds while there is no network", .timeLimit(.minutes(2)))
struct OfflineWatchTests {
    private let manager = HTTPRequestOperationManager(baseURL: nil)
    private let monitors = Locked<[FakeMonitor]>([])

    init() {
        manager.reachabilityManager = NetworkReachabilityManager(
            target: .anybody, center: .default
        ) { [monitors] _ in
            let monitor = FakeMonitor()
            monitors.withLock { $0.append(monitor) }
            return monitor
        }
    }

    /// Reports, and lets main hear of it.
    private func tell(_ facts: ReachabilityFacts) async {
        monitors.withLock { $0.last }?.tell(facts)
        await MainQueue.settle()
    }

    private var onLink: ReachabilityFacts {
        var facts = ReachabilityFacts.wired
        facts.routes = [
            .init(
                family: .ipv4, destination: [10, 0, 0, 0], prefixLength: 8, scope: .link,
                interfaces: [2])
        ]
        return facts
    }

    @Test func `it holds while no route leads to another machine, and goes by each report`() async {
        manager.holdsWhileOffline = true
        #expect(!manager.isOffline)
        for (facts, isOffline) in [
            (ReachabilityFacts.nothing, true), (onLink, false), (.nothing, true), (.wired, false),
        ] {
            await tell(facts)
            #expect(manager.isOffline == isOffline)
        }
    }

    @Test func `what is known already counts at once`() async {
        manager.reachabilityManager.startMonitoring()
        await tell(.nothing)
        manager.holdsWhileOffline = true
        #expect(manager.isOffline)
    }

    @Test func `a watch that was let go says nothing more`() async {
        manager.holdsWhileOffline = true
        let watch = manager.offlineWatch.withLock { $0 }
        await tell(.nothing)
        #expect(manager.isOffline)
        manager.holdsWhileOffline = false
        #expect(!manager.isOffline)
        // As if main were inside its report.
        watch?.look()
        await tell(.nothing)
        #expect(!manager.isOffline && manager.existingGate != nil)
    }

    @Test func `unless a reachability manager was set, any route to another machine is enough`() {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.holdsWhileOffline = true
        let source = manager.offlineWatch.withLock { $0 }?.reachability
        #expect(source?.target == .anybody)
        #expect(NetworkReachabilityManager.shared.target == .general)
        manager.holdsWhileOffline = false
    }

    @Test(arguments: [
        "file:///etc/hostname", "data:,x", "http://localhost/", "http://127.0.0.1/",
        "http://[::1]/", "http://example.com/",
    ])
    func `what stays on this machine is not held`(address: String) {
        let gate = AdmissionGate()
        gate.isOffline = true
        let url = URL(string: address)
        let isHere = !address.contains("example")
        let own = Admission(gate, to: url, group: nil, priority: .normal) {}
        #expect(own.mayStart == isHere)
        let other = Admission(gate, to: url, group: nil, priority: .normal, isOverSocket: true) {}
        #expect(other.mayStart)
    }

    @Test func `what a manager holds tries once the manager is let go, and ends`() async {
        let errors = Log<URLError.Code?>()
        do {
            let manager = HTTPRequestOperationManager(baseURL: nil)
            manager.isOffline = true
            manager.completionQueue = DispatchQueue(label: "callbacks")
            manager.get(
                "http://elsewhere.invalid/",
                success: { _, _ in errors.add(nil) },
                failure: { errors.add(($1 as? URLError)?.code) })
            #expect(manager.snapshot().map(\.reason) == [.offline])
        }
        #expect(await errors.reaches(1))
    }

    @Test func `what goes over a socket of this machine is not held`() async {
        manager.configuration.unixDomainSocketPath = "/nobody/listens.socket"
        manager.isOffline = true
        let errors = Log<URLError.Code?>()
        manager.completionQueue = DispatchQueue(label: "callbacks")
        manager.get(
            "http://elsewhere.invalid/",
            success: { _, _ in errors.add(nil) }, failure: { errors.add(($1 as? URLError)?.code) })
        #expect(await errors.reaches(1))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("not-there")
        var options = DownloadOptions()
        options.retryPolicy = nil
        manager.download("http://elsewhere.invalid/", to: file, options: options) { result in
            if case .failure(let error) = result { errors.add((error as? URLError)?.code) }
        }
        #expect(await errors.reaches(2))
        #expect(errors.all == [.cannotConnectToHost, .cannotConnectToHost])
    }
}
