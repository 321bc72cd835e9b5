import EventRecorder
import SessionTasks
import TestSupport

@testable import RequestEra

/// A task can end as soon as its session lists it.
@Suite("A request whose task ends while it is made", .timeLimit(.minutes(5)))
struct EntryTests {
    // In processes of their own, since a process has one recording.

    @Test(arguments: [false, true])
    func
        `it hears of the end where the manager's tasks are cancelled, or its session is invalidated`(
            _ isInvalidated: Bool
        ) async
    {
        await #expect(processExitsWith: .success) { [isInvalidated] in
            let world = TestWorld.requests()
            let points = try StopPoints()
            let stop = points.stop(at: StopSite(.request, .begin))
            let ended = Signal()
            Thread.detachNewThread {
                world.get("/ok").response(queue: DispatchQueue(label: "handlers")) { _ in
                    ended.fire()
                }
            }
            #expect(stop.isReached())
            if isInvalidated {
                world.manager.taskSession.invalidateAndCancel()
            } else {
                for task in world.manager.taskSession.tasks { task.cancel() }
            }
            let queue = world.manager.taskSession.delegateQueue
            await onNewThread { queue.waitUntilAllOperationsAreFinished() }
            stop.letGo()
            await ended.wait(for: 1, "the handler")
            points.end()
        }
    }

    @Test func `so does one that is tried again`() async throws {
        let server = LoopbackServer.started(routes: .served)
        defer { server.stop() }
        let delegate = CancellingWhileEntered()
        let manager = SessionManager(configuration: .ephemeral, delegate: delegate)
        delegate.session = manager.taskSession
        manager.retrier = Retrier.upTo(1)
        let request = manager.request(server.url("/status/503")).validate()
        #expect(await request.ended().error != nil)
        #expect(request.retryCount == 1)
    }
}

/// Cancels all tasks that there are before a request of one is known.
private final class CancellingWhileEntered: SessionDelegate, @unchecked Sendable {
    // @unchecked because the session is set before the first request.
    weak var session: TaskSession?

    override subscript(task: SessionTask) -> Request? {
        get { super[task] }
        set {
            if newValue != nil, let session {
                for task in session.tasks { task.cancel() }
                session.delegateQueue.waitUntilAllOperationsAreFinished()
            }
            super[task] = newValue
        }
    }
}
