import OperationNetworking
import TestSupport

@testable import SessionEra
@testable import SessionTasks

@Suite(
    "Making, invalidating, listing, copying: UM-01, UM-02, UM-08, UM-16, UM-28 to UM-30, LX-27",
    .timeLimit(.minutes(1)))
struct SessionLifeTests {
    private let world = TestWorld.sessions()

    @Test func `UM-01.1 without a configuration it is the default one`() {
        let manager = URLSessionManager(sessionConfiguration: nil)
        let timeout = manager.session.configuration.timeoutIntervalForRequest
        #expect(timeout == URLSessionConfiguration.default.timeoutIntervalForRequest)
        manager.session.invalidateAndCancel()
    }

    @Test func `UM-01.2 the delegate queue is one wide, and it is the session's`() {
        #expect(world.manager.operationQueue.maxConcurrentOperationCount == 1)
        #expect(world.manager.session.delegateQueue === world.manager.operationQueue)
    }

    @Test func `UM-01.3 JSON, no pinning and the shared reachability manager are the defaults`() {
        let manager = URLSessionManager(sessionConfiguration: nil)
        #expect(manager.responseSerializer is JSONResponseSerializer)
        #expect(manager.securityPolicy.pinningMode == .none)
        #expect(manager.reachabilityManager === NetworkReachabilityManager.shared)
    }

    @Test func `UM-02.1 the session is the same at each access, from many threads too`() async {
        let manager = URLSessionManager(sessionConfiguration: nil)
        let sessions = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<20 { group.addTask { ObjectIdentifier(manager.session) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(sessions.count == 1)
        manager.session.invalidateAndCancel()
    }

    @Test func `UM-02.2 after an invalidation with reset the next session is new and works`() async
    {
        let first = world.manager.session
        world.manager.invalidateSessionCancelingTasks(true, resetSession: true)
        #expect(world.manager.session !== first)
        #expect(await world.data("/ok").text == "hello world")
    }

    @Test func `UM-02.3 without reset the invalid session stays, and LX-27 its tasks fail`() async {
        let first = world.manager.session
        world.manager.invalidateSessionCancelingTasks(true, resetSession: false)
        #expect(world.manager.session === first)
        let outcome = await world.data("/ok")
        #expect(outcome.error as? SessionError == .sessionInvalidated)
        #expect(outcome.wasMain)
    }

    @Test
    func `LX-27 every kind of task of an invalid session fails, posts nothing and is in no list`()
        async
    {
        world.manager.session.invalidateAndCancel()
        let notices = Notices(.networkingTaskDidResume, .networkingTaskDidComplete)
        let request = world.request("/upload", "POST")
        var errors: [any Error] = []
        var tasks: [SessionTask] = []
        func note(_ outcome: Outcome) { outcome.error.map { errors.append($0) } }
        func made<Task: SessionTask>(_ task: Task) -> Task {
            tasks.append(task)
            return task
        }
        note(
            await world.outcome {
                made(world.manager.dataTask(with: request, completionHandler: $0))
            })
        note(
            await world.outcome {
                made(
                    world.manager.uploadTask(with: request, from: Data(), completionHandler: $0))
            })
        note(
            await world.outcome {
                made(
                    world.manager.uploadTask(
                        withStreamedRequest: request, completionHandler: $0))
            })
        note(
            await world.download {
                made(world.manager.downloadTask(with: request, completionHandler: $0))
            })
        #expect(
            errors.map { $0 as? SessionError } == Array(repeating: .sessionInvalidated, count: 4))
        #expect(tasks.allSatisfy { $0.state == .completed })
        #expect(world.manager.tasks.isEmpty)
        await MainQueue.settle()
        #expect(!notices.log.all.contains { note in tasks.contains { $0 === note.object } })
    }

    @Test func `LX-27 making tasks while the session is invalidated stops no process`() async {
        for _ in 0..<20 {
            let manager = URLSessionManager(
                sessionConfiguration: .ephemeral)
            let request = world.request("/ok")
            let log = Log<Bool>()
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<10 {
                    group.addTask {
                        if index == 5 {
                            manager.invalidateSessionCancelingTasks(true, resetSession: false)
                        }
                        manager.dataTask(with: request) { _, _, _ in log.add(true) }.resume()
                    }
                }
            }
            #expect(await log.reaches(10))
        }
    }

    @Test func `UM-08.1 tasks made and run from many threads each end once, with their own answer`()
        async
    {
        let results = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<60 {
                group.addTask { [world] in
                    let outcome = await world.data("/text?value=number\(index)")
                    return outcome.text == "number\(index)"
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0 })
        #expect(results.count == 60)
    }

    @Test func `UM-08.2 a task leaves the manager at its end`() async {
        _ = await world.data("/ok")
        #expect(world.manager.tasks.isEmpty)
    }

    @Test func `UM-08.3 managers do not see each other's tasks`() {
        let other = URLSessionManager(sessionConfiguration: nil)
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(other.tasks.isEmpty)
        #expect(other.downloadProgress(for: task) == nil)
        task.cancel()
    }

    @Test func `UM-08 a task of an old session is not taken for one of the new session`() async {
        let old = Log<String>()
        let task = world.manager.dataTask(with: world.request("/gate/old")) { _, object, _ in
            old.add((object as? Data).map { String(decoding: $0, as: UTF8.self) } ?? "error")
        }
        task.resume()
        #expect(world.server.waitUntilReached("old"))
        world.manager.invalidateSessionCancelingTasks(false, resetSession: true)
        #expect(await world.data("/ok").text == "hello world")
        world.server.release("old")
        #expect(await old.reaches(1))
        #expect(old.all == ["passed old"])
    }

    @Test func `UM-16 the block, then the notification, with the session`()
        async
    {
        let manager = URLSessionManager(sessionConfiguration: nil)
        let session = manager.session
        let log = Log<String>()
        manager.setSessionDidBecomeInvalidBlock { session, error in
            log.add("block \(error == nil)")
        }
        let token = NotificationCenter.default.addObserver(
            forName: .urlSessionDidInvalidate, object: session, queue: nil
        ) { _ in log.add("notification") }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.invalidateSessionCancelingTasks(false, resetSession: false)
        #expect(await log.reaches(2))
        #expect(log.all == ["block true", "notification"])
    }

    @Test func `invalidating with cancelling ends the tasks, also those that are suspended`() async
    {
        let log = Log<Int>()
        let tasks = (0..<3).map { index in
            world.manager.dataTask(with: world.request("/gate/never")) { _, _, error in
                log.add((error as? URLError)?.code.rawValue ?? 0)
            }
        }
        tasks[0].resume()
        tasks[1].resume()
        tasks[1].suspend()
        world.manager.invalidateSessionCancelingTasks(true, resetSession: false)
        #expect(await log.reaches(3))
        #expect(log.all == [NSURLErrorCancelled, NSURLErrorCancelled, NSURLErrorCancelled])
    }

    @Test func `a task that was being made while the others were cancelled is cancelled too`()
        async throws
    {
        let manager = world.manager
        let log = Log<Int>()
        let work = ManagedTask(
            .object { _, _, error in log.add((error as? URLError)?.code.rawValue ?? 0) },
            upload: nil, download: nil)
        let task = manager.taskSession.make(.data(world.request("/ok")), nil, { _ in work }) {
            manager.invalidateSessionCancelingTasks(true, resetSession: false)
            return SessionDataTask($0, $1, $2, $3)
        }
        task.resume()
        #expect(await log.reaches(1))
        #expect(log.all == [NSURLErrorCancelled])
        #expect(world.server.requests.isEmpty)
    }

    @Test func `UM-16 a session that is invalidated again tells of it once`()
        async
    {
        let manager = URLSessionManager(sessionConfiguration: nil)
        let notices = Notices(.urlSessionDidInvalidate, of: manager.session)
        let log = Log<Bool>()
        manager.setSessionDidBecomeInvalidBlock { _, _ in log.add(true) }
        manager.invalidateSessionCancelingTasks(false, resetSession: false)
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
        #expect(await notices.log.reaches(1))
        // What Foundation still had to tell has gone through the queue that all sessions share.
        #expect(await world.data("/ok").status == 200)
        let idle = Log<Bool>()
        manager.operationQueue.addOperation { idle.add(true) }
        #expect(await idle.reaches(1))
        #expect(notices.log.all.count == 1)
        #expect(log.all.count == 1)
    }

    @Test
    func `UM-28 the lists hold what has not ended, by kind, and do not block the delegate queue`()
        async
    {
        let manager = world.manager
        let data = manager.dataTask(with: world.request("/ok"))
        let upload = manager.uploadTask(with: world.request("/ok", "PUT"), from: Data())
        let download = manager.downloadTask(with: world.request("/ok"))
        #expect(manager.tasks == [data, upload, download])
        #expect(manager.dataTasks == [data])
        #expect(manager.uploadTasks == [upload])
        #expect(manager.downloadTasks == [download])
        let log = Log<Int>()
        manager.operationQueue.addOperation { log.add(manager.tasks.count) }
        #expect(await log.reaches(1))
        #expect(log.all == [3])
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @Test func `UM-29.1 a copy has the configuration and nothing else`()
        throws
    {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 17
        let manager = URLSessionManager(sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        let copy = try #require(manager.copy() as? URLSessionManager)
        #expect(copy.session.configuration.timeoutIntervalForRequest == 17)
        #expect(copy.responseSerializer is JSONResponseSerializer)
        #expect(copy.session !== manager.session)
        copy.session.invalidateAndCancel()
        manager.session.invalidateAndCancel()
    }

    @Test func `UM-29.2 an archive keeps the settings of the configuration`()
        throws
    {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 17
        configuration.httpMaximumConnectionsPerHost = 3
        configuration.httpAdditionalHeaders = ["X-Mine": "yes"]
        let manager = URLSessionManager(sessionConfiguration: configuration)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: manager, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: URLSessionManager.self, from: data))
        let found = read.session.configuration
        #expect(found.timeoutIntervalForRequest == 17)
        #expect(found.httpMaximumConnectionsPerHost == 3)
        #expect(found.httpAdditionalHeaders?["X-Mine"] as? String == "yes")
        read.session.invalidateAndCancel()
    }

    @Test func `UM-30 the session keeps the manager until it is invalidated`() async {
        weak var weakManager: URLSessionManager?
        let log = Log<Bool>()
        var session: URLSession?
        do {
            let manager = URLSessionManager(
                sessionConfiguration: .ephemeral)
            manager.setSessionDidBecomeInvalidBlock { _, _ in log.add(true) }
            session = manager.session
            weakManager = manager
        }
        #expect(weakManager != nil)
        session?.finishTasksAndInvalidate()
        #expect(await log.reaches(1))
        for _ in 0..<10_000 where weakManager != nil { await MainQueue.settle() }
        #expect(weakManager == nil)
    }

    @Test func `UM-30 a manager whose session was never used goes by itself`() {
        weak var manager: URLSessionManager?
        do {
            let strong = URLSessionManager(sessionConfiguration: nil)
            manager = strong
        }
        #expect(manager == nil)
    }

    @Test func `UM-30 withManager invalidates the session at the end, also after an error`()
        async throws
    {
        let log = Log<Bool>()
        struct Stop: Error {}
        for throwing in [false, true] {
            do {
                try await URLSessionManager.withManager(
                    HTTPSessionManager(baseURL: nil)
                ) {
                    manager in
                    manager.setSessionDidBecomeInvalidBlock { _, _ in log.add(true) }
                    if throwing { throw Stop() }
                }
            } catch is Stop {}
        }
        #expect(await log.reaches(2))
    }

    @Test
    func `no task that waits for a connection is sent while all are cancelled, and each ends once`()
        async throws
    {
        for _ in 0..<30 {
            let world = TestWorld.sessions { $0.httpMaximumConnectionsPerHost = 1 }
            world.server.hold("door")
            let codes = Log<Int>()
            for _ in 0..<12 {
                world.manager.dataTask(with: world.request("/gate/door")) { _, _, error in
                    codes.add((error as? URLError)?.errorCode ?? 0)
                }.resume()
            }
            #expect(await world.server.reaches("door"))
            world.manager.invalidateSessionCancelingTasks(true, resetSession: false)
            #expect(await codes.reaches(12))
            #expect(codes.all == Array(repeating: -999, count: 12))
            #expect(world.server.statistics.requests == 1)
        }
    }
}
