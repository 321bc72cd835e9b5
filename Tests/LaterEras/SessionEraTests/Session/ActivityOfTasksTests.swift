import SessionEra
import TestSupport

@testable import OperationNetworking

@Suite("The activity of session tasks: IM-37", .timeLimit(.minutes(1)))
struct ActivityOfTasksTests {
    @Test func `a running task is activity, a suspended or finished one is not`() async throws {
        let world = TestWorld.sessions()
        let center = NotificationCenter()
        let activity = NetworkActivityManager(center: center, clock: TurnableClock().clock)
        let done = Log<Bool>()
        let task = world.manager.dataTask(with: world.request("/gate/activity")) { _, _, _ in
            done.add(true)
        }
        let names: [Notification.Name] = [
            .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete,
        ]
        // The manager of this test sees no other test's tasks.
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: task, queue: nil) {
                center.post($0)
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        task.resume()
        #expect(await world.server.reaches("activity"))
        await MainQueue.settle()
        #expect(activity.isNetworkActivityIndicatorVisible)
        task.suspend()
        await MainQueue.settle()
        #expect(!activity.isNetworkActivityIndicatorVisible)
        task.resume()
        await MainQueue.settle()
        #expect(activity.isNetworkActivityIndicatorVisible)
        world.server.release("activity")
        #expect(await done.reaches(1))
        await MainQueue.settle()
        #expect(!activity.isNetworkActivityIndicatorVisible)
    }
}
