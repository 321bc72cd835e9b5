import CurlConnection
import HTTPSemantics
import Scheduling
import TestSupport

@testable import OperationNetworking

/// With a monitor in the test's hand.
@Suite("A manager that holds while there is no network", .timeLimit(.minutes(2)))
struct OfflineWatchTests {
    private let manager = HTTPRequestOperationManager(baseURL: nil)
    private let monitors = Locked<[FakeMonitor]>([])

    init() {
        manager.reachabilityManager = NetworkReachabilityManager(
            target: .anyHost, center: .default
        ) { [monitors] _ in
            let monitor = FakeMonitor()
            monitors.withLock { $0.append(monitor) }
            return monitor
        }
    }

    /// Reports, and lets main hear of it.
    private func tell(_ status: NetworkReachabilityStatus) async {
        monitors.withLock { $0.last }?.tell(status)
        await MainQueue.settle()
    }

    @Test func `it holds while no other machine can be reached, and goes by each report`() async {
        manager.holdsWhileOffline = true
        #expect(!manager.isOffline)
        let reports: [(NetworkReachabilityStatus, Bool)] = [
            (.notReachable, true), (.reachableViaWWAN, false), (.notReachable, true),
            (.reachableViaWiFi, false), (.notReachable, true), (.unknown, false),
        ]
        for (status, isOffline) in reports {
            await tell(status)
            #expect(manager.isOffline == isOffline)
        }
    }

    @Test func `what is known already counts at once`() async {
        manager.reachabilityManager.startMonitoring()
        await tell(.notReachable)
        manager.holdsWhileOffline = true
        #expect(manager.isOffline)
    }

    @Test func `a watch that was let go says nothing more`() async {
        manager.holdsWhileOffline = true
        let watch = manager.offlineWatch.withLock { $0 }
        await tell(.notReachable)
        #expect(manager.isOffline)
        manager.holdsWhileOffline = false
        #expect(!manager.isOffline)
        // As if main were inside its report.
        watch?.update()
        await tell(.notReachable)
        #expect(!manager.isOffline && manager.existingLimiter != nil)
    }

    @Test func `unless a reachability manager was set, a way to any machine is enough`() {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.holdsWhileOffline = true
        let source = manager.offlineWatch.withLock { $0 }?.reachability
        #expect(source?.target == .anyHost)
        #expect(NetworkReachabilityManager.shared.target == .general)
        manager.holdsWhileOffline = false
    }

    @Test(arguments: [
        "file:///etc/hostname", "data:,x", "http://localhost/", "http://127.0.0.1/",
        "http://[::1]/", "http://example.com/",
    ])
    func `what stays on this machine is not held`(address: String) {
        let limiter = OperationLimiter()
        limiter.setOffline(true, 1)
        let url = URL(string: address)
        let isHere = !address.contains("example")
        var member = QueueMember(manager: 1)
        let own = Admission(limiter, Admission.Needs(url, member), .normal) {}
        #expect(own.ask() == isHere)
        member.isOverSocket = true
        let other = Admission(limiter, Admission.Needs(url, member), .normal) {}
        #expect(other.ask())
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
