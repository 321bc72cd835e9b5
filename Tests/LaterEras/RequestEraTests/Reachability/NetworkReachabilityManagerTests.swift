import TestSupport

@testable import OperationNetworking
@testable import RequestEra

/// AL-33, with facts in the test's hand.
@Suite("The reachability manager of the request era", .timeLimit(.minutes(5)))
struct NetworkReachabilityManagerTests {
    private typealias Manager = RequestEra.NetworkReachabilityManager
    private typealias Status = Manager.NetworkReachabilityStatus
    private typealias Interface = ReachabilityFacts.Interface

    @Test func `the status is asked for when it is read, without listening`() {
        let room = FactsRoom()
        #expect(room.manager.networkReachabilityStatus == .reachable(.ethernetOrWiFi))
        room.tell(.mobile)
        #expect(room.manager.isReachableOnWWAN && room.manager.isReachable)
        #expect(!room.manager.isReachableOnEthernetOrWiFi)
        room.tell(nil)
        #expect(room.manager.networkReachabilityStatus == .unknown && !room.manager.isReachable)
        #expect(room.monitors.isEmpty && room.said.all.isEmpty)
    }

    /// The table that stands in place of the original's table over flags.
    @Test func `from facts to a status`() {
        let cases: [(ReachabilityFacts?, Status)] = [
            (nil, .unknown), (.nothing, .notReachable), (.wired, .reachable(.ethernetOrWiFi)),
            (.mobile, .reachable(.wwan)), (.route(kind: .refuses), .notReachable),
            (.route(hasSource: false), .notReachable),
            (.route(over: Interface(name: "eth0", isUp: false)), .notReachable),
            (.route(over: Interface(name: "eth0", isRunning: false)), .notReachable),
            (.route(over: Interface(name: "wwan0", isRunning: false)), .notReachable),
            (.route(over: Interface(name: "ppp0")), .reachable(.wwan)),
            (.route(over: Interface(name: "wlan0")), .reachable(.ethernetOrWiFi)),
        ]
        for (facts, status) in cases {
            #expect(FactsRoom(facts).manager.networkReachabilityStatus == status)
        }
    }

    @Test func `the first status comes after the start, then each that differs`() async {
        let room = FactsRoom()
        #expect(room.manager.startListening())
        for facts: ReachabilityFacts? in [.wired, .wired, .nothing, nil, nil, .mobile, .wired] {
            room.tell(facts)
        }
        room.tell(.route(over: Interface(name: "eth1")))
        await MainQueue.settle()
        #expect(
            room.said.all == [
                .reachable(.ethernetOrWiFi), .notReachable, .unknown, .reachable(.wwan),
                .reachable(.ethernetOrWiFi),
            ])
    }

    @Test func `none comes after stop, also what is on its way`() async {
        let room = FactsRoom()
        room.manager.startListening()
        room.tell(.wired)
        await MainQueue.settle()
        await MainActor.run {
            room.tell(.nothing)
            room.manager.stopListening()
        }
        room.tell(.mobile)
        await MainQueue.settle()
        #expect(room.said.all == [.reachable(.ethernetOrWiFi)])
        #expect(room.monitors.map(\.stopCount) == [1])
    }

    @Test func `a new start tells the same status again, and nothing of the old run`() async {
        let room = FactsRoom()
        room.manager.startListening()
        room.tell(.wired)
        await MainQueue.settle()
        room.manager.startListening()
        room.monitors.first?.tell(.mobile)
        room.tell(.wired)
        await MainQueue.settle()
        #expect(room.said.all == [.reachable(.ethernetOrWiFi), .reachable(.ethernetOrWiFi)])
        #expect(room.monitors.map(\.stopCount) == [1, 0])
    }

    @Test func `the listener is called on its queue, which counts from the next start on`() async {
        let room = FactsRoom()
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
        room.tell(.wired)
        await called.wait(for: 1, "the first status")
        #expect(room.manager.listenerQueue.label == DispatchQueue.main.label)
    }

    @Test func `a listener set after the start hears the next status, and may stop`() async {
        let room = FactsRoom()
        room.manager.listener = nil
        room.manager.startListening()
        room.tell(.wired)
        await MainQueue.settle()
        room.manager.listener = { [weak manager = room.manager, said = room.said] in
            said.add($0)
            manager?.stopListening()
        }
        await MainActor.run {
            room.tell(.nothing)
            room.tell(.mobile)
        }
        await MainQueue.settle()
        #expect(room.said.all == [.notReachable])
    }

    @Test func `a system that does not tell says so: unknown, and false`() async {
        let room = FactsRoom(nil)
        #expect(!room.manager.startListening())
        room.tell(nil)
        await MainQueue.settle()
        #expect(room.said.all == [.unknown])
    }

    @Test func `a manager that is gone has stopped`() async {
        let said = Log<Status>()
        let monitor = FakeMonitor()
        await MainActor.run {
            let manager = Manager(
                .general, Manager.System(monitor: { _ in monitor }, facts: { _ in .wired }))
            manager.listener = { said.add($0) }
            manager.startListening()
            monitor.tell(.wired)
        }
        monitor.tell(.wired)
        await MainQueue.settle()
        #expect(said.all.isEmpty && monitor.stopCount == 1)
    }

    @Test func `an empty name has no manager`() {
        #expect(Manager(host: "") == nil)
    }

    @Test func `starts, stops and reports from many threads end well`() async {
        let room = FactsRoom()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<200 {
                        switch (number + step) % 4 {
                        case 0: room.manager.startListening()
                        case 1: room.tell(step % 3 == 0 ? .wired : .nothing)
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
        room.monitors.forEach { $0.tell(.mobile) }
        await MainQueue.settle()
        #expect(room.said.all.count == count)
        #expect(room.monitors.allSatisfy { $0.stopCount == 1 })
    }
}
