import CurlConnection
import TestSupport

@testable import OperationNetworking

/// RB-1 to RB-6 and wound 51, with a monitor in the test's hand.
@Suite("The reachability manager", .timeLimit(.minutes(5)))
struct ReachabilityManagerTests {
    private let room = ReachabilityRoom()
    private var manager: NetworkReachabilityManager { room.manager }

    @Test func `unknown before the start, whatever the destination`() {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        let managers = [
            NetworkReachabilityManager(), .shared, NetworkReachabilityManager(domain: "localhost"),
            NetworkReachabilityManager(address: &address), manager,
        ]
        for manager in managers {
            #expect(manager.status == .unknown && !manager.isReachable)
            #expect(!manager.isReachableViaWWAN && !manager.isReachableViaWiFi)
            #expect(manager.localizedNetworkReachabilityStatusString() == "Unknown")
        }
        #expect(room.monitors.isEmpty)
    }

    @Test func `reports come in order, each time the status is the one reported`() async {
        let seen = Log<NetworkReachabilityStatus>()
        manager.setReachabilityStatusChangeBlock { [weak manager, room] status in
            #expect(MainQueue.isCurrent)
            room.said.add(status)
            if let manager { seen.add(manager.status) }
        }
        manager.startMonitoring()
        let order: [NetworkReachabilityStatus] = [
            .reachableViaWiFi, .notReachable, .reachableViaWWAN, .unknown,
        ]
        let reported = (0..<300).map { order[$0 % 4] }
        reported.forEach(room.tell)
        await MainQueue.settle()
        #expect(room.said.all == reported)
        #expect(seen.all == room.said.all)
    }

    @Test func `the derived properties follow the status`() async {
        manager.startMonitoring()
        let cases: [(NetworkReachabilityStatus, [Bool], String)] = [
            (.reachableViaWiFi, [true, false, true], "Reachable via WiFi"),
            (.reachableViaWWAN, [true, true, false], "Reachable via WWAN"),
            (.notReachable, [false, false, false], "Not Reachable"),
            (.unknown, [false, false, false], "Unknown"),
        ]
        for (status, expected, text) in cases {
            room.tell(status)
            await MainQueue.settle()
            let found = [
                manager.isReachable, manager.isReachableViaWWAN, manager.isReachableViaWiFi,
            ]
            #expect(found == expected, "\(text)")
            #expect(manager.localizedNetworkReachabilityStatusString() == text)
        }
    }

    @Test func `an unchanged status is reported too`() async {
        manager.startMonitoring()
        room.tell(.reachableViaWiFi)
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi, .reachableViaWiFi])
    }

    @Test func `none after stop, also what is on its way, and the status stays`() async {
        manager.startMonitoring()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        await MainActor.run {
            room.tell(.notReachable)
            manager.stopMonitoring()
        }
        room.tell(.reachableViaWWAN)
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi])
        #expect(manager.status == .reachableViaWiFi)
        #expect(room.monitors.map(\.stopCount) == [1])
    }

    @Test func `stop inside the block ends the run there`() async {
        let notices = Signal()
        let token = room.observe { _ in notices.fire() }
        manager.setReachabilityStatusChangeBlock { [weak manager, room] status in
            room.said.add(status)
            manager?.stopMonitoring()
        }
        manager.startMonitoring()
        await MainActor.run {
            room.tell(.reachableViaWiFi)
            room.tell(.notReachable)
            room.tell(.reachableViaWWAN)
        }
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi])
        #expect(manager.status == .reachableViaWiFi)
        #expect(notices.count == 0)
        room.center.removeObserver(token)
    }

    @Test func `a start inside the block reports anew, and nothing of the old run`() async {
        let once = Locked(true)
        manager.setReachabilityStatusChangeBlock { [weak manager, room] status in
            room.said.add(status)
            let isFirst = once.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if isFirst { manager?.startMonitoring() }
        }
        manager.startMonitoring()
        await MainActor.run {
            room.tell(.reachableViaWiFi)
            room.tell(.notReachable)
        }
        await MainQueue.settle()
        #expect(room.monitors.count == 2 && room.monitors.first?.stopCount == 1)
        room.monitors.first?.tell(.notReachable)
        room.tell(.reachableViaWWAN)
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi, .reachableViaWWAN])
    }

    @Test func `a second start begins anew with a monitor of its own`() async {
        manager.startMonitoring()
        manager.startMonitoring()
        #expect(room.monitors.map(\.stopCount) == [1, 0])
        room.monitors.first?.tell(.notReachable)
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi])
    }

    @Test func `a manager that is gone has stopped, and a report on its way finds nobody`() async {
        let said = Log<NetworkReachabilityStatus>()
        let monitor = FakeMonitor()
        await MainActor.run {
            let manager = NetworkReachabilityManager(
                target: .general, center: room.center
            ) { _ in monitor }
            manager.setReachabilityStatusChangeBlock { said.add($0) }
            manager.startMonitoring()
            monitor.tell(.reachableViaWiFi)
        }
        monitor.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(said.all.isEmpty && monitor.stopCount == 1)
    }

    @Test func `a block may set another or none; none gets no call`() async {
        manager.setReachabilityStatusChangeBlock { [weak manager, room] status in
            room.said.add(status)
            manager?.setReachabilityStatusChangeBlock(nil)
        }
        manager.startMonitoring()
        room.tell(.reachableViaWiFi)
        room.tell(.notReachable)
        await MainQueue.settle()
        #expect(room.said.all == [.reachableViaWiFi] && manager.status == .notReachable)
    }

    @Test func `the notification comes on main after the block, with the status as a number`() async
    {
        let log = Log<String>()
        manager.setReachabilityStatusChangeBlock { _ in log.add("block") }
        let token = room.observe { [weak manager] note in
            let item = note.userInfo?[networkingReachabilityNotificationStatusItem]
            #expect((item as? NSNumber)?.intValue == 1 && item as? Int == 1)
            #expect(note.object == nil && note.userInfo?.count == 1)
            #expect(manager?.isReachableViaWWAN == true)
            #expect(MainQueue.isCurrent)
            log.add("notification")
        }
        manager.startMonitoring()
        room.tell(.reachableViaWWAN)
        room.tell(.reachableViaWWAN)
        await MainQueue.settle()
        room.center.removeObserver(token)
        #expect(log.all == ["block", "notification", "block", "notification"])
        #expect(
            Notification.Name.networkingReachabilityDidChange.rawValue
                == "com.alamofire.networking.reachability.change")
        #expect(
            networkingReachabilityNotificationStatusItem
                == "AFNetworkingReachabilityNotificationStatusItem")
    }

    @Test func `nothing to watch: the start is silent`() async {
        let manager = NetworkReachabilityManager(domain: "")
        manager.setReachabilityStatusChangeBlock { [room] in room.said.add($0) }
        manager.startMonitoring()
        await MainQueue.settle()
        #expect(room.said.all.isEmpty && manager.status == .unknown)
    }

    @Test func `starts, stops and reports from many threads end well`() async {
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask { [room] in
                    for step in 0..<200 {
                        switch (number + step) % 4 {
                        case 0: room.manager.startMonitoring()
                        case 1: room.tell(step % 3 == 0 ? .reachableViaWiFi : .notReachable)
                        case 2: _ = room.manager.isReachable
                        default: room.manager.stopMonitoring()
                        }
                    }
                }
            }
        }
        manager.stopMonitoring()
        await MainQueue.settle()
        let count = room.said.all.count
        room.monitors.forEach { $0.tell(.reachableViaWWAN) }
        await MainQueue.settle()
        #expect(room.said.all.count == count)
        #expect(room.monitors.allSatisfy { $0.stopCount == 1 })
    }

    @Test func `names and numbers of the statuses are the original's`() {
        let all: [NetworkReachabilityStatus] = [
            .unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi,
        ]
        #expect(all.map(\.rawValue) == [-1, 0, 1, 2])
        #expect(
            all.map(\.localizedDescription) == [
                "Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi",
            ])
    }
}
