import TestSupport
import Testing

@testable import OperationNetworking
@testable import RequestEra

/// `NetworkReachabilityManagerTests` of 4.9.1: those of the machine on its loopback interface, those
/// of flags over the kernel's answer, which is what Linux has in their place.
@Suite("NetworkReachabilityManagerTests", .timeLimit(.minutes(5)))
struct OriginalNetworkReachabilityManagerTests {
    private typealias Manager = RequestEra.NetworkReachabilityManager

    /// Whether the system tells; some containers refuse route sockets.
    static let isTold = ReachabilityTarget.general.currentStatus() != .unknown

    // MARK: Initialization

    @Test func `ManagerCanBeInitializedFromHost`() {
        #expect(Manager(host: "localhost") != nil)
    }

    @Test func `ManagerCanBeInitializedFromAddress`() {
        #expect(Manager() != nil)
    }

    @Test(.enabled(if: isTold)) func `HostManagerIsReachableOnWiFi`() throws {
        let manager = try #require(Manager(host: "localhost"))
        #expect(manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        #expect(manager.isReachable && manager.isReachableOnEthernetOrWiFi)
        #expect(!manager.isReachableOnWWAN)
    }

    @Test(.enabled(if: isTold)) func `HostManagerStartsWithReachableStatus`() throws {
        let manager = try #require(Manager(host: "127.0.0.1"))
        #expect(manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        #expect(manager.isReachable && manager.isReachableOnEthernetOrWiFi)
        #expect(!manager.isReachableOnWWAN)
    }

    @Test func `AddressManagerStartsWithReachableStatus`() {
        let manager = ReachabilityRoom(.reachableViaWiFi).manager
        #expect(manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        #expect(manager.isReachable && manager.isReachableOnEthernetOrWiFi)
        #expect(!manager.isReachableOnWWAN)
    }

    @Test func `HostManagerCanBeDeinitialized`() async {
        weak var gone: Manager?
        do {
            let manager = Manager(host: "localhost")
            manager?.startListening()
            gone = manager
        }
        // A report on its way may hold it while it is delivered.
        while gone != nil { await Task.yield() }
    }

    @Test func `AddressManagerCanBeDeinitialized`() async {
        weak var gone: Manager?
        do {
            let manager = Manager()
            manager?.startListening()
            gone = manager
        }
        // A report on its way may hold it while it is delivered.
        while gone != nil { await Task.yield() }
    }

    // MARK: Listener

    @Test(.enabled(if: isTold))
    func `HostManagerIsNotifiedWhenStartListeningIsCalled`() async throws {
        let manager = try #require(Manager(host: "localhost"))
        let said = Log<Manager.NetworkReachabilityStatus>()
        let called = Signal()
        manager.listener = {
            said.add($0)
            called.fire()
        }
        #expect(manager.startListening())
        await called.wait(for: 1, "the first status")
        manager.stopListening()
        #expect(said.all.first == .reachable(.ethernetOrWiFi))
    }

    @Test func `AddressManagerIsNotifiedWhenStartListeningIsCalled`() async {
        let room = ReachabilityRoom()
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(room.said.all == [.reachable(.ethernetOrWiFi)])
    }

    @Test func `ZeroManagerIsNotifiedWhenStoppedAndStarted`() async {
        let room = ReachabilityRoom()
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        room.manager.stopListening()
        let second = Log<Manager.NetworkReachabilityStatus>()
        room.manager.listener = { second.add($0) }
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(room.said.all.count == 1 && second.all == [.reachable(.ethernetOrWiFi)])
        #expect(room.manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
    }

    // MARK: Status

    private let own = NetworkAddress(literal: "192.0.2.2")

    /// The kernel has a way from the source, which is the address of this interface.
    private func status(
        from source: NetworkAddress?, over name: String = "eth0", isRunning: Bool = true
    ) -> Manager.NetworkReachabilityStatus {
        let interface = NetworkInterface(
            name: name, isRunning: isRunning, addresses: [source].compactMap { $0 })
        let answer = ReachabilityAnswer(from: source, to: .rootServer4, over: [interface])
        return Manager.NetworkReachabilityStatus(answer.status)
    }

    /// A route that could be made is no route yet.
    @Test func `ManagerReturnsNotReachableStatusWhenReachableFlagIsAbsent`() {
        #expect(status(from: nil) == .notReachable)
    }

    /// The line is down.
    @Test func `ManagerReturnsNotReachableStatusWhenConnectionIsRequired`() {
        #expect(status(from: own, isRunning: false) == .notReachable)
    }

    /// The interface waits for an address that somebody must give: the kernel lends the loopback's.
    @Test func `ManagerReturnsNotReachableStatusWhenInterventionIsRequired`() {
        #expect(status(from: .loopback4) == .notReachable)
    }

    @Test func `ManagerReturnsReachableOnWiFiStatusWhenConnectionIsNotRequired`() {
        #expect(status(from: own) == .reachable(.ethernetOrWiFi))
    }

    /// A tunnel that comes up by itself: its route and its address stand.
    @Test func `ManagerReturnsReachableOnWiFiStatusWhenConnectionIsOnDemand`() {
        #expect(status(from: own, over: "tun0") == .reachable(.ethernetOrWiFi))
    }

    /// A bridge whose ports wake with traffic.
    @Test func `ManagerReturnsReachableOnWiFiStatusWhenConnectionIsOnTraffic`() {
        #expect(status(from: own, over: "br0") == .reachable(.ethernetOrWiFi))
    }

    @Test func `ManagerReturnsReachableOnWWANStatusWhenIsWWAN`() {
        #expect(status(from: own, over: "wwan0") == .reachable(.wwan))
    }

    @Test func `ManagerReturnsNotReachableOnWWANStatusWhenIsWWANAndConnectionIsRequired`() {
        #expect(status(from: own, over: "wwan0", isRunning: false) == .notReachable)
    }
}
