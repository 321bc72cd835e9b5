import TestSupport

@testable import OperationNetworking

/// Wound 52: whatever real operations go through, the count comes back to zero.
@Suite("The activity of operations", .timeLimit(.minutes(5)))
struct ActivityOfOperationsTests {
    private let world = TestWorld()
    private let center = NotificationCenter()
    private let manager: NetworkActivityManager

    init() {
        manager = NetworkActivityManager(center: center, clock: TurnableClock().clock)
    }

    /// Passes one operation's notifications on to the manager, which so sees no other test's.
    private func follow(_ operation: LifeOperation) -> [any NSObjectProtocol] {
        let names = [
            Notification.Name.networkingOperationDidStart, .networkingOperationDidFinish,
        ]
        return names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) {
                [center] in center.post($0)
            }
        }
    }

    private func leave(_ tokens: [any NSObjectProtocol]) {
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }

    @Test func `a running operation is activity, a paused or finished one is not`() async {
        let operation = world.operation(world.gate("activity", after: 5))
        let tokens = follow(operation)
        let end = operation.endSignal()
        operation.start()
        await world.reached("activity")
        await MainQueue.settle()
        #expect(manager.isNetworkActivityIndicatorVisible)
        operation.pause()
        await world.settle()
        await MainQueue.settle()
        #expect(!manager.isNetworkActivityIndicatorVisible)
        world.server.release("activity")
        operation.resume()
        await end.wait()
        await MainQueue.settle()
        #expect(!manager.isNetworkActivityIndicatorVisible)
        leave(tokens)
    }
}
