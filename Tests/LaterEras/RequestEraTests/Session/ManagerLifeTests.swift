import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("A manager's life", .timeLimit(.minutes(2)))
struct ManagerLifeTests {
    private func server() throws -> LoopbackServer {
        let server = LoopbackServer.started(routes: .served)
        server.add("/held") { _ in .text("late").after(.wait(gate: "held")) }
        return server
    }

    private static let cancelled = URLError.Code.cancelled.rawValue

    @Test func `a manager that goes cancels its requests, and each handler is called once`()
        async throws
    {
        let server = try server()
        let errors = Log<Int?>()
        let asked = Signal()
        do {
            let manager = SessionManager(configuration: .ephemeral)
            manager.retrier = Retrier { request, _, completion in
                // Nobody answers the first; the second waits; cancelled ones are not tried again.
                if request.request?.url?.path == "/status/503" { completion(true, 3_600) }
                if request.task?.response == nil { completion(false, 0) }
                asked.fire()
            }
            for path in ["/held", "/status/503", "/status/404"] {
                manager.request(server.url(path)).validate().response {
                    errors.add($0.error?.code)
                }
            }
            await asked.wait(for: 2)
            #expect(await server.reaches("held"))
            manager.startRequestsImmediately = false
            // Never resumed: with a task, and without.
            manager.request(server.url("/ok")).response { errors.add($0.error?.code) }
            manager.request("http://[::1").response { errors.add($0.error.map { _ in 0 }) }
            withExtendedLifetime(manager) {}
        }
        #expect(await errors.reaches(5))
        await MainQueue.settle()
        let codes = errors.all.map { $0 ?? 1 }.sorted()
        #expect(codes == [Self.cancelled, Self.cancelled, Self.cancelled, Self.cancelled, 0])
        server.stop()
    }

    @Test func `a manager goes although its requests have not ended`()
        async throws
    {
        let server = try server()
        let gone = Signal()
        do {
            let manager = Watched(SessionManager(configuration: .ephemeral))
            let sentinel = Sentinel(gone)
            manager.now.backgroundCompletionHandler = { sentinel.touch() }
            manager.now.request(server.url("/held")).response { _ in }
            #expect(await server.reaches("held"))
        }
        await gone.wait(for: 1, "the manager to go")
        server.stop()
    }

    @Test func `invalidating the session that is shown ends the tasks`()
        async throws
    {
        let server = try server()
        let manager = SessionManager(configuration: .ephemeral)
        let ended = Signal()
        manager.delegate.sessionDidBecomeInvalidWithError = { _, _ in ended.fire() }
        let request = manager.request(server.url("/held"))
        #expect(await server.reaches("held"))
        manager.session.invalidateAndCancel()
        #expect(await request.ended().error?.code == Self.cancelled)
        await ended.wait(for: 1, "the session's end")
        server.stop()
    }

    @Test func `a request of an invalid session ends with an error, and so does a retry`()
        async throws
    {
        let server = try server()
        let manager = SessionManager(configuration: .ephemeral)
        let answer = Log<RequestRetryCompletion>()
        manager.retrier = Retrier { request, _, completion in
            if request.retryCount > 0 || request.response == nil { return completion(false, 0) }
            answer.add(completion)
        }
        let retried = manager.request(server.url("/status/503")).validate()
        #expect(await answer.reaches(1))
        let released = Signal()
        let queue = manager.taskSession.delegateQueue
        manager.delegate.sessionDidBecomeInvalidWithError = { _, _ in
            // The session lets go of its delegate in the operation after the next.
            queue.addOperation { queue.addOperation { released.fire() } }
        }
        manager.session.finishTasksAndInvalidate()
        await released.wait()
        let request = manager.request(server.url("/ok"))
        #expect(await request.ended().error as? SessionError == .sessionInvalidated)
        answer.all[0](true, 0)
        #expect(await retried.ended().error as? SessionError == .sessionInvalidated)
        server.stop()
    }

    @Test
    func `a request whose task could not be made ends with its manager, where nobody resumed it`()
        async throws
    {
        let server = try server()
        let errors = Log<Int?>()
        do {
            let manager = SessionManager(configuration: .ephemeral)
            manager.startRequestsImmediately = false
            manager.upload(URL(fileURLWithPath: "/no/such/file"), to: server.url("/post"))
                .response { errors.add($0.error?.code) }
            withExtendedLifetime(manager) {}
        }
        #expect(await errors.reaches(1))
        #expect(errors.all == [URLError.Code.fileDoesNotExist.rawValue])
        server.stop()
    }

    @Test func `the suspended task of a manager that goes stays suspended, and its request ends`()
        async throws
    {
        let server = try server()
        var manager: SessionManager? = SessionManager(
            configuration: .ephemeral)
        let held = try #require(manager?.request(server.url("/held")))
        #expect(await server.reaches("held"))
        held.suspend()
        manager?.startRequestsImmediately = false
        let waiting = try #require(manager?.request(server.url("/ok")))
        manager = nil
        for request in [held, waiting] {
            #expect(request.task?.state == .suspended)
            #expect(await request.ended().error?.code == Self.cancelled)
            request.resume()
            #expect(request.task?.state == .suspended)
        }
        #expect(server.requests.allSatisfy { $0.path == "/held" })
        server.stop()
    }

    @Test func `the default headers are those of the configuration`() {
        let headers = SessionManager.defaultHTTPHeaders
        #expect(headers["Accept-Encoding"] == "gzip;q=1.0, compress;q=0.5")
        #expect(headers["User-Agent"]?.contains("Alamofire") == true)
        let languages = (0..<9).map { "l\($0)" }
        #expect(
            RequestHeaders.acceptLanguage(languages)
                == "l0;q=1.0, l1;q=0.9, l2;q=0.8, l3;q=0.7, l4;q=0.6, l5;q=0.5")
        let info: [String: Any] = [
            "CFBundleExecutable": "app", "CFBundleShortVersionString": "1.2",
            "CFBundleIdentifier": "com.x", "CFBundleVersion": "3",
        ]
        let agent = RequestHeaders.userAgent(info)
        #expect(agent.hasPrefix("app/1.2 (com.x; build:3; "))
        #expect(agent.hasSuffix(") Alamofire/4.9.1"))
        #expect(RequestHeaders.userAgent([:]).hasPrefix("Unknown/Unknown (Unknown; build:Unknown;"))
    }
}
