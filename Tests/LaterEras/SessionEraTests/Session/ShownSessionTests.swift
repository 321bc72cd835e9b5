import OperationNetworking
import SessionEra
import TestSupport

@Suite("The session that is shown with `.connection`", .timeLimit(.minutes(1)))
struct ShownSessionTests {
    private let world = TestWorld.sessions()

    @Test
    func `the session is what blocks hear; it shows the tasks, and runs none of them`()
        async throws
    {
        let heard = Log<ObjectIdentifier>()
        world.manager.setTaskDidComplete { session, _, _ in heard.add(ObjectIdentifier(session)) }
        let session = world.manager.session
        let shown = {
            await withCheckedContinuation { continuation in
                session.getAllTasks { continuation.resume(returning: $0.map(\.taskIdentifier)) }
            }
        }
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(await shown() == [task.taskIdentifier])
        task.resume()
        #expect(await heard.reaches(1))
        #expect(heard.all == [ObjectIdentifier(session)])
        #expect(session.delegateQueue === world.manager.operationQueue)
        #expect(session.delegate === world.manager)
        #expect(await shown().isEmpty)
    }

    @Test
    func `UM-30 invalidating the session that is shown lets go of the manager`() async {
        weak var weakManager: URLSessionManager?
        let log = Log<Bool>()
        var session: URLSession?
        do {
            let manager = URLSessionManager(sessionConfiguration: .ephemeral)
            manager.setSessionDidBecomeInvalidBlock { _, _ in log.add(true) }
            session = manager.session
            weakManager = manager
        }
        #expect(weakManager != nil)
        session?.invalidateAndCancel()
        #expect(await log.reaches(1))
        let limit = Date(timeIntervalSinceNow: patience / 2)
        while weakManager != nil, Date() < limit { await Task.yield() }
        #expect(weakManager == nil)
    }
}
