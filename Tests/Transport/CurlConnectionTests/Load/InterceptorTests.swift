import CurlConnection
import HTTPSemantics
import TestSupport

@Suite("An interceptor", .timeLimit(.minutes(2)))
struct InterceptorTests {
    private func load(
        _ world: TestWorld, _ request: URLRequest, _ interceptor: some RequestInterceptor,
        _ recorder: Recorder = Recorder(),
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> Heard {
        start(world, request, interceptor, recorder, configure: configure)
        return recorder.atEnd()
    }

    private func start(
        _ world: TestWorld, _ request: URLRequest, _ interceptor: some RequestInterceptor,
        _ recorder: Recorder,
        configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) {
        world.thread.start(request, recorder) {
            $0.configuration.interceptor = interceptor
            configure($0)
        }
    }

    @Test func `a request is sent as it was changed, each time anew`() throws {
        try withWorld { world in
            world.server.add("/flaky") { request in
                request.headers["X-Number"] == "2" ? .text("ok") : .status(503)
            }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { _ in true }
            let heard = load(world, world.request("/flaky"), interceptor)
            #expect(heard.text == "ok")
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(world.server.requests.map { $0.headers["X-Number"] } == ["1", "2"])
            #expect(heard.decisions.map(\.cause) == [.status(503)])
            #expect(interceptor.failures.map { $0.response?.statusCode } == [503])
            #expect(!heard.wasOutsideItsThread)
        }
    }

    @Test func `an error of the change is that of the request, of which nothing is sent`() throws {
        try withWorld { world in
            let interceptor = TestInterceptor()
            interceptor.onRequest = { _ in throw URLError(.userAuthenticationRequired) }
            let heard = load(world, world.request("/ok"), interceptor)
            #expect(heard.code == .userAuthenticationRequired)
            #expect(world.server.requests.isEmpty)
        }
    }

    @Test func `a changed request is checked as any other`() throws {
        try withWorld { world in
            let interceptor = TestInterceptor()
            interceptor.onRequest = {
                var request = $0
                request.httpMethod = "GET /other"
                return request
            }
            let heard = load(world, world.request("/ok"), interceptor)
            #expect(heard.error != nil)
            #expect(world.server.requests.isEmpty)
        }
    }

    @Test func `twenty refused requests wait for one new token, and use no connection meanwhile`()
        throws
    {
        try withWorld { world in
            world.server.add("/private") { request in
                request.headers["Authorization"] == "Bearer new"
                    ? .text("welcome") : .status(401)
            }
            let fetches = Watched(0)
            let token = AccessToken(for: world.server.url("/"), token: "old") {
                fetches.change { $0 += 1 }
                // All have been refused, though only six connections are allowed, and another request of that
                // thread to the same server has its turn.
                _ = await world.server.sees { statistics, _ in statistics.requests >= 20 }
                _ = world.load("/ok")
                return "new"
            }
            let recorders = (0..<20).map { _ in Recorder() }
            for recorder in recorders {
                start(world, world.request("/private"), token, recorder)
            }
            #expect(recorders.allSatisfy { $0.atEnd().text == "welcome" })
            #expect(fetches.now == 1)
            #expect(world.server.requests.count == 41)
        }
    }

    @Test(arguments: ["Basic realm=\"a\"", "Bearer, Basic realm=\"a\""])
    func `a 401 with a challenge that has no credential is asked about too`(challenge: String)
        throws
    {
        try withWorld { world in
            world.server.add("/private") { request in
                request.headers["X-Number"] == "2"
                    ? .text("welcome")
                    : .text("who?", status: 401, headers: [("WWW-Authenticate", challenge)])
            }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { _ in true }
            let heard = load(world, world.request("/private"), interceptor)
            #expect(heard.text == "welcome")
            #expect(interceptor.failures.count == 1)
        }
    }

    @Test func `a request that is changed to another origin fails, and nothing is sent`() throws {
        try withWorld { world in
            let elsewhere = world.other.url("/ok")
            let interceptor = TestInterceptor()
            interceptor.onRequest = { _ in URLRequest(url: elsewhere) }
            let heard = load(world, world.request("/ok"), interceptor)
            #expect(heard.code == .badURL)
            #expect(world.server.requests.isEmpty && world.other.requests.isEmpty)
        }
    }

    @Test func `a body is sent again, from its beginning`() throws {
        try withWorld { world in
            world.server.add("/private") { request in
                request.headers["X-Number"] == "2"
                    ? .text(String(decoding: request.body, as: UTF8.self)) : .status(401)
            }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { $0.response?.statusCode == 401 }
            let request = world.request("/private", "POST", body: Data("form".utf8))
            let heard = load(world, request, interceptor)
            #expect(heard.text == "form")
        }
    }

    @Test func `a failure without a response is asked about too, whatever the method`() throws {
        try withWorld { world in
            world.server.add("/cut") { request in
                request.headers["X-Number"] == "2" ? .text("ok") : ScriptedResponse([.close])
            }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { $0.error?.code == .networkConnectionLost }
            let request = world.request("/cut", "POST", body: Data("form".utf8))
            #expect(load(world, request, interceptor).text == "ok")
        }
    }

    @Test func `after a no the response or the error is delivered`() throws {
        try withWorld { world in
            world.server.add("/cut") { _ in ScriptedResponse([.close]) }
            let interceptor = TestInterceptor()
            #expect(load(world, world.request("/status/404"), interceptor).status == 404)
            #expect(
                load(world, world.request("/cut"), interceptor).code == .networkConnectionLost)
            #expect(interceptor.failures.count == 2)
            #expect(load(world, world.request("/ok"), interceptor).text == "hello world")
            #expect(interceptor.failures.count == 2)
        }
    }

    @Test func `after five times yes it is not asked any more`() throws {
        try withWorld { world in
            let interceptor = TestInterceptor()
            interceptor.onFailure = { _ in true }
            let heard = load(world, world.request("/status/500"), interceptor)
            #expect(heard.status == 500)
            #expect(world.server.requests.count == 6)
            #expect(interceptor.failures.map(\.retryCount) == [0, 1, 2, 3, 4])
        }
    }

    @Test func `what a RetryPolicy sends again is no question, and its last failure is one`() throws
    {
        try withWorld { world in
            let interceptor = TestInterceptor()
            let heard = load(world, world.request("/status/503"), interceptor) {
                var policy = RetryPolicy()
                policy.maximumAttempts = 3
                policy.delay = 0
                $0.configuration.retryPolicy = policy
            }
            #expect(heard.status == 503)
            #expect(world.server.requests.map { $0.headers["X-Number"] } == ["1", "2", "3"])
            #expect(interceptor.failures.count == 1)
        }
    }

    @Test func `a failure has one decision, and what is sent again costs the policy no attempt`()
        throws
    {
        try withWorld { world in
            let statuses = ["1": 401, "2": 503, "3": 401, "4": 503]
            world.server.add("/busy") { request in
                statuses[request.headers["X-Number"] ?? ""].map { .status($0) } ?? .text("ok")
            }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { $0.response?.statusCode == 401 }
            let heard = load(world, world.request("/busy"), interceptor) {
                var policy = RetryPolicy()
                policy.maximumAttempts = 3
                policy.delay = 0
                $0.configuration.retryPolicy = policy
            }
            #expect(heard.text == "ok")
            #expect(heard.decisions.map(\.attempt) == [1, 2, 3, 4])
            #expect(heard.decisions.map(\.cause) == [401, 503, 401, 503].map { .status($0) })
            #expect(heard.decisions.allSatisfy { $0.outcome == .waits(seconds: 0) })
        }
    }

    @Test func `what a redirect leads to elsewhere is neither changed nor asked about`() throws {
        try withWorld { world in
            let elsewhere = world.other.url("/status/401").absoluteString
            world.server.add("/away") { _ in .redirect(to: elsewhere) }
            let interceptor = TestInterceptor()
            interceptor.onFailure = { _ in true }
            let heard = load(world, world.request("/away"), interceptor)
            #expect(heard.status == 401)
            #expect(world.other.requests.count == 1)
            #expect(interceptor.failures.isEmpty)
        }
    }

    @Test func `a load that is cancelled while it is asked cancels the task, and hears nothing`()
        throws
    {
        try withWorld { world in
            let interceptor = TestInterceptor()
            let isCalled = Watched(false)
            let isCancelled = Watched(false)
            interceptor.onRequest = { request in
                isCalled.change { $0 = true }
                _ = try? await Task.sleep(for: .seconds(patience))
                isCancelled.change { $0 = Task.isCancelled }
                return request
            }
            let recorder = Recorder()
            start(world, world.request("/ok"), interceptor, recorder)
            #expect(isCalled.blockUntil { $0 })
            // Others go on meanwhile.
            #expect(world.load("/ok").text == "hello world")
            _ = world.thread.sync { recorder.connection?.cancel() }
            #expect(isCancelled.blockUntil { $0 })
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend])
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `a request that is changed while the load is suspended is sent when it is resumed`()
        throws
    {
        try withWorld { world in
            let gate = Watched(false)
            let isCalled = Watched(false)
            let interceptor = TestInterceptor()
            interceptor.onRequest = { request in
                isCalled.change { $0 = true }
                _ = await gate.reaches { $0 }
                return request
            }
            let recorder = Recorder()
            start(world, world.request("/ok"), interceptor, recorder)
            #expect(isCalled.blockUntil { $0 })
            _ = world.thread.sync { recorder.connection?.suspend() }
            gate.change { $0 = true }
            #expect(interceptor.answers.blockUntil { $0 == 1 })
            world.thread.settle()
            #expect(world.server.requests.isEmpty)
            _ = world.thread.sync { recorder.connection?.resume() }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `a load that is cancelled by the interceptor's question hears nothing more`() throws
    {
        try withWorld { world in
            let recorder = Recorder()
            let interceptor = TestInterceptor()
            let isCancelled = Watched(false)
            interceptor.onFailure = { _ in
                recorder.connection?.cancel()
                isCancelled.change { $0 = true }
                return true
            }
            start(world, world.request("/status/401"), interceptor, recorder)
            #expect(isCancelled.blockUntil { $0 })
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend])
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `the limit for the whole load runs while it is asked, the request's does not`()
        throws
    {
        try withWorld { world in
            let clock = TurnableClock()
            let gate = Watched(false)
            let isCalled = Watched(false)
            let interceptor = TestInterceptor()
            interceptor.onRequest = { request in
                isCalled.change { $0 = true }
                _ = await gate.reaches { $0 }
                return request
            }
            defer { gate.change { $0 = true } }
            let recorder = Recorder()
            var request = world.request("/ok")
            request.timeoutInterval = 5
            start(world, request, interceptor, recorder) {
                $0.configuration.clock = clock.clock
                $0.timeoutIntervalForResource = 60
            }
            #expect(isCalled.blockUntil { $0 })
            world.turn(clock, by: 50)
            #expect(!recorder.heard.hasEnded)
            world.turn(clock, by: 20)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }
}

/// Numbers each request in `X-Number`, and notes each failure.
///
/// ## Concurrency
/// Call from: any thread. Lock: those of what it notes. The answers are set before the start.
private final class TestInterceptor: RequestInterceptor, @unchecked Sendable {
    // @unchecked because what changes has its own lock, and the rest is set before the start.
    var onRequest: (@Sendable (URLRequest) async throws -> URLRequest)?
    var onFailure: @Sendable (RequestFailure) -> Bool = { _ in false }
    let answers = Watched(0)
    private let seen = Locked<(requests: Int, failures: [RequestFailure])>((0, []))

    var failures: [RequestFailure] { seen.withLock { $0.failures } }

    func adapt(_ request: URLRequest) async throws -> URLRequest {
        defer { answers.change { $0 += 1 } }
        if let onRequest { return try await onRequest(request) }
        var request = request
        let number = seen.withLock {
            $0.requests += 1
            return $0.requests
        }
        request.setValue("\(number)", forHTTPHeaderField: "X-Number")
        return request
    }

    func shouldRetry(_ failure: RequestFailure) -> Bool {
        seen.withLock { $0.failures.append(failure) }
        return onFailure(failure)
    }
}
