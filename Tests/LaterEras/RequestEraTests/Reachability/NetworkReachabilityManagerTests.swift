import TestSupport

@testable import OperationNetworking
@testable import RequestEra

/// AL-33, with a monitor in the test's hand.
@Suite("The reachability manager of the request era", .timeLimit(.minutes(5)))
struct NetworkReachabilityManagerTests {
    private typealias Manager = RequestEra.NetworkReachabilityManager
    private typealias Status = Manager.NetworkReachabilityStatus

    @Test func `the status is asked for when it is read, without listening`() {
        let room = ReachabilityRoom()
        #expect(room.manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        room.tell(.reachableViaWWAN)
        #expect(room.manager.isReachableOnWWAN && room.manager.isReachable)
        #expect(!room.manager.isReachableOnEthernetOrWiFi)
        room.tell(.unknown)
        #expect(room.manager.networkReachabilityStatus == .unknown && !room.manager.isReachable)
        #expect(room.monitors.isEmpty && room.said.all.isEmpty)
    }

    @Test func `the system's status in this era's words`() {
        let cases: [(Told, Status)] = [
            (.unknown, .unknown), (.notReachable, .notReachable),
            (.reachableViaWiFi, .reachable(.ethernetOrWiFi)),
            (.reachableViaWWAN, .reachable(.wwan)),
        ]
        for (reported, status) in cases {
            #expect(ReachabilityRoom(reported).manager.networkReachabilityStatus == status)
        }
    }

    @Test func `the first status comes after the start, then each that differs`() async {
        let room = ReachabilityRoom()
        #expect(room.manager.startListening())
        let reported: [Told] = [
            .reachableViaWiFi, .reachableViaWiFi, .notReachable, .unknown, .unknown,
            .reachableViaWWAN, .reachableViaWiFi, .reachableViaWiFi,
        ]
        reported.forEach(room.tell)
        await MainQueue.settle()
        #expect(
            room.said.all == [
                .reachable(.ethernetOrWiFi), .notReachable, .unknown, .reachable(.wwan),
                .reachable(.ethernetOrWiFi),
            ])
    }

    @Test func `none comes after stop, also what is on its way`() async {
        let room = ReachabilityRoom()
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        await MainActor.run {
            room.tell(.notReachable)
            room.manager.stopListening()
        }
        room.tell(.reachableViaWWAN)
        await MainQueue.settle()
        #expect(room.said.all == [.reachable(.ethernetOrWiFi)])
        #expect(room.monitors.map(\.stopCount) == [1])
    }

    @Test func `a new start tells the same status again, and nothing of the old run`() async {
        let room = ReachabilityRoom()
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        room.manager.startListening()
        room.monitors.first?.tell(.reachableViaWWAN)
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(room.said.all == [.reachable(.ethernetOrWiFi), .reachable(.ethernetOrWiFi)])
        #expect(room.monitors.map(\.stopCount) == [1, 0])
    }

    @Test func `the listener is called on its queue, which counts from the next start on`() async {
        let room = ReachabilityRoom()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "listener")
        queue.setSpecific(key: key, value: true)
        let called = Signal()
        room.manager.listenerQueue = queue
        room.manager.listener = { _ in
            #expect(DispatchQueue.getSpecific(key: key) == true)
            called.fire()
        }
        room.manager.startListening()
        room.manager.listenerQueue = .main
        room.tell(.reachableViaWiFi)
        await called.wait(for: 1, "the first status")
        #expect(room.manager.listenerQueue.label == DispatchQueue.main.label)
    }

    @Test func `a listener set after the start hears the next status, and may stop`() async {
        let room = ReachabilityRoom()
        room.manager.listener = nil
        room.manager.startListening()
        room.tell(.reachableViaWiFi)
        await MainQueue.settle()
        room.manager.listener = { [weak manager = room.manager, said = room.said] in
            said.add($0)
            manager?.stopListening()
        }
        await MainActor.run {
            room.tell(.notReachable)
            room.tell(.reachableViaWWAN)
        }
        await MainQueue.settle()
        #expect(room.said.all == [.notReachable])
    }

    @Test func `a system that does not tell says so: unknown, and false`() async {
        let room = ReachabilityRoom(.unknown)
        #expect(!room.manager.startListening())
        room.tell(.unknown)
        await MainQueue.settle()
        #expect(room.said.all == [.unknown])
    }

    @Test func `a manager that is gone has stopped`() async {
        let said = Log<Status>()
        let monitor = FakeMonitor()
        await MainActor.run {
            let manager = Manager(
                .general,
                Manager.System(monitor: { _ in monitor }, status: { _ in .reachableViaWiFi }))
            manager.listener = { said.add($0) }
            manager.startListening()
            monitor.tell(.reachableViaWiFi)
        }
        monitor.tell(.reachableViaWiFi)
        await MainQueue.settle()
        #expect(said.all.isEmpty && monitor.stopCount == 1)
    }

    @Test func `an empty name has no manager`() {
        #expect(Manager(host: "") == nil)
    }

    @Test func `starts, stops and reports from many threads end well`() async {
        let room = ReachabilityRoom()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        switch (number + step) % 4 {
                        case 0: room.manager.startListening()
                        case 1: room.tell(step % 3 == 0 ? .reachableViaWiFi : .notReachable)
                        case 2: _ = room.manager.isReachable
                        default: room.manager.stopListening()
                        }
                    }
                }
            }
        }
        room.manager.stopListening()
        await MainQueue.settle()
        let count = room.said.all.count
        room.monitors.forEach { $0.tell(.reachableViaWWAN) }
        await MainQueue.settle()
        #expect(room.said.all.count == count)
        #expect(room.monitors.allSatisfy { $0.stopCount == 1 })
    }
}
