import CurlConnection
import TestSupport

@testable import OperationNetworking

/// Section 1.10 and wound 52, with a clock that the test turns.
@Suite("The activity counter", .timeLimit(.minutes(5)))
struct NetworkActivityManagerTests {
    private let center = NotificationCenter()
    private let clock = TurnableClock()
    private let said = Log<Bool>()
    private let manager: NetworkActivityManager

    init() {
        manager = NetworkActivityManager(center: center, clock: clock.clock)
        let said = said
        manager.setVisibilityChangeBlock {
            #expect(MainQueue.isCurrent)
            said.add($0)
        }
        manager.isEnabled = true
    }

    private func operation(_ address: String = "http://127.0.0.1/") throws
        -> URLConnectionOperation
    {
        URLConnectionOperation(request: URLRequest(url: try #require(URL(string: address))))
    }

    private func start(_ object: Any?) {
        center.post(name: .networkingOperationDidStart, object: object)
    }

    private func finish(_ object: Any?) {
        center.post(name: .networkingOperationDidFinish, object: object)
    }

    @Test func `not enabled, nothing visible at first`() {
        let manager = NetworkActivityManager()
        #expect(!manager.isEnabled && !manager.isNetworkActivityIndicatorVisible)
        #expect(!NetworkActivityManager.shared.isEnabled)
    }

    @Test func `shown at once, hidden after 0.17 s without activity`() async {
        manager.incrementActivityCount()
        #expect(manager.isNetworkActivityIndicatorVisible)
        await MainQueue.settle()
        #expect(said.all == [true] && clock.alarms.isEmpty)
        manager.decrementActivityCount()
        #expect(!manager.isNetworkActivityIndicatorVisible)
        await MainQueue.settle()
        #expect(said.all == [true] && clock.alarms == [0.17])
        await clock.ring()
        #expect(said.all == [true, false])
    }

    @Test func `activity within the delay keeps the indicator, the block is not called`() async {
        manager.incrementActivityCount()
        manager.decrementActivityCount()
        manager.incrementActivityCount()
        await MainQueue.settle()
        manager.decrementActivityCount()
        await MainQueue.settle()
        manager.incrementActivityCount()
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all == [true])
        manager.decrementActivityCount()
        await MainQueue.settle()
        #expect(clock.alarms == [0.17])
        await clock.ring()
        #expect(said.all == [true, false])
    }

    @Test func `the delay begins anew with each end`() async {
        for _ in 0..<2 {
            manager.incrementActivityCount()
            await MainQueue.settle()
            manager.decrementActivityCount()
            await MainQueue.settle()
            clock.turn(by: 0.1)
        }
        await MainQueue.settle()
        // The first delay has passed, and the second has not.
        #expect(said.all == [true] && clock.alarms.count == 1)
        await clock.ring()
        #expect(said.all == [true, false])
    }

    @Test func `activity that main has not heard of keeps the indicator`() async {
        manager.incrementActivityCount()
        await MainQueue.settle()
        manager.decrementActivityCount()
        await MainQueue.settle()
        await MainActor.run {
            clock.turn(by: 1)
            manager.incrementActivityCount()
        }
        await MainQueue.settle()
        #expect(said.all == [true])
    }

    @Test func `what is over before main hears of it is not shown`() async {
        await MainActor.run {
            manager.incrementActivityCount()
            manager.decrementActivityCount()
        }
        await MainQueue.settle()
        #expect(said.all.isEmpty && clock.alarms.isEmpty)
    }

    @Test func `the count is never below zero`() async {
        for _ in 0..<5 { manager.decrementActivityCount() }
        manager.incrementActivityCount()
        #expect(manager.isNetworkActivityIndicatorVisible)
        manager.decrementActivityCount()
        #expect(!manager.isNetworkActivityIndicatorVisible)
    }

    @Test func `operations count from start to finish`() async throws {
        let (first, second) = (try operation(), try operation())
        start(first)
        start(second)
        finish(first)
        #expect(manager.isNetworkActivityIndicatorVisible)
        finish(second)
        #expect(!manager.isNetworkActivityIndicatorVisible)
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all.isEmpty || said.all == [true, false])
    }

    @Test func `a finish without a start counts nothing, a second start neither`() throws {
        let (running, cancelled) = (try operation(), try operation())
        start(running)
        finish(cancelled)
        finish(cancelled)
        #expect(manager.isNetworkActivityIndicatorVisible)
        start(running)
        finish(running)
        #expect(!manager.isNetworkActivityIndicatorVisible)
        finish(running)
        start(running)
        #expect(manager.isNetworkActivityIndicatorVisible)
    }

    @Test func `requests without a URL and other objects count nothing`() throws {
        var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1/")))
        request.url = nil
        start(URLConnectionOperation(request: request))
        start(nil)
        start("operation")
        start(Operation())
        #expect(!manager.isNetworkActivityIndicatorVisible)
    }

    @Test func `a URL that changes on the way does not unbalance the count`() throws {
        let operation = try operation()
        start(operation)
        operation.request.url = nil
        finish(operation)
        #expect(!manager.isNetworkActivityIndicatorVisible)
    }

    @Test func `while not enabled it counts in silence`() async throws {
        manager.isEnabled = false
        let operation = try operation()
        start(operation)
        await MainQueue.settle()
        #expect(manager.isNetworkActivityIndicatorVisible && said.all.isEmpty)
        manager.isEnabled = true
        await MainQueue.settle()
        #expect(said.all == [true])
        manager.isEnabled = false
        await MainQueue.settle()
        #expect(said.all == [true, false] && clock.alarms.isEmpty)
        finish(operation)
        manager.isEnabled = true
        await MainQueue.settle()
        #expect(said.all == [true, false] && !manager.isNetworkActivityIndicatorVisible)
    }

    @Test func `a plan to hide made before disabling does nothing afterwards`() async {
        manager.incrementActivityCount()
        await MainQueue.settle()
        manager.decrementActivityCount()
        await MainQueue.settle()
        manager.isEnabled = false
        await MainQueue.settle()
        manager.isEnabled = true
        manager.incrementActivityCount()
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all == [true, false, true])
    }

    @Test func `a manager that is gone hears nothing`() async throws {
        let said = Log<Bool>()
        let gone = Signal()
        await MainActor.run { [center, clock] in
            let manager = NetworkActivityManager(center: center, clock: clock.clock)
            let sentinel = Sentinel(gone)
            manager.setVisibilityChangeBlock {
                sentinel.touch()
                said.add($0)
            }
            manager.isEnabled = true
            manager.incrementActivityCount()
        }
        #expect(gone.count == 1)
        start(try operation())
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all.isEmpty)
    }

    @Test func `only the newest plan has an alarm, however much work came and went`() async {
        manager.incrementActivityCount()
        await MainQueue.settle()
        for _ in 0..<50 {
            manager.decrementActivityCount()
            await MainQueue.settle()
            manager.incrementActivityCount()
            manager.decrementActivityCount()
            await MainQueue.settle()
            #expect(clock.alarms == [0.17])
            manager.incrementActivityCount()
            await MainQueue.settle()
            #expect(clock.alarms.isEmpty)
        }
        #expect(said.all == [true])
    }

    @Test func `after eight threads the count is 0; the block got true and false in turn`() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [manager] in
                    for _ in 0..<500 {
                        manager.incrementActivityCount()
                        manager.decrementActivityCount()
                    }
                }
            }
        }
        await MainQueue.settle()
        await clock.ring()
        #expect(!manager.isNetworkActivityIndicatorVisible)
        let said = said.all
        #expect(said.last != true)
        #expect(said.indices.allSatisfy { said[$0] == ($0 % 2 == 0) })
    }

    // MARK: Four states (IM-37)

    @Test func `with a start delay short work shows nothing, longer work is shown when it passes`()
        async
    {
        manager.activationDelay = 1
        manager.incrementActivityCount()
        await MainQueue.settle()
        #expect(said.all.isEmpty && clock.alarms == [1])
        manager.decrementActivityCount()
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all.isEmpty)
        manager.incrementActivityCount()
        await MainQueue.settle()
        // More work does not begin the delay anew.
        manager.incrementActivityCount()
        await MainQueue.settle()
        #expect(clock.alarms == [1])
        await clock.ring()
        #expect(said.all == [true])
        manager.completionDelay = 0.5
        manager.decrementActivityCount()
        manager.decrementActivityCount()
        await MainQueue.settle()
        #expect(Set(clock.alarms) == [0.5])
        manager.incrementActivityCount()
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all == [true])
        manager.decrementActivityCount()
        await MainQueue.settle()
        await clock.ring()
        #expect(said.all == [true, false])
    }

    @Test func `disabling during the start delay shows nothing`() async {
        manager.activationDelay = 1
        manager.incrementActivityCount()
        await MainQueue.settle()
        manager.isEnabled = false
        await MainQueue.settle()
        await clock.ring()
        manager.isEnabled = true
        await MainQueue.settle()
        #expect(said.all.isEmpty && clock.alarms == [1])
        await clock.ring()
        #expect(said.all == [true])
    }

    @Test func `tasks of both later eras are counted by their notifications, each once`() async {
        final class Work: Sendable {}
        let (task, request) = (Work(), Work())
        func post(_ name: String, _ object: AnyObject, _ info: [String: Any]? = nil) {
            center.post(name: Notification.Name(name), object: object, userInfo: info)
        }
        post("com.alamofire.networking.task.resume", task)
        post("com.alamofire.networking.task.resume", task)
        #expect(manager.isNetworkActivityIndicatorVisible)
        post("com.alamofire.networking.task.suspend", task)
        #expect(!manager.isNetworkActivityIndicatorVisible)
        post("com.alamofire.networking.task.complete", task)
        let info = ["org.alamofire.notification.key.task": request]
        post("org.alamofire.notification.name.task.didResume", Work(), info)
        #expect(manager.isNetworkActivityIndicatorVisible)
        post("org.alamofire.notification.name.task.didCancel", Work(), info)
        post("org.alamofire.notification.name.task.didComplete", Work(), info)
        #expect(!manager.isNetworkActivityIndicatorVisible)
        manager.incrementActivityCount()
        #expect(manager.isNetworkActivityIndicatorVisible)
    }
}

extension TurnableClock {
    /// Lets the time come for all that is planned, and main do it.
    fileprivate func ring() async {
        while turnToNext() {}
        await MainQueue.settle()
    }
}
