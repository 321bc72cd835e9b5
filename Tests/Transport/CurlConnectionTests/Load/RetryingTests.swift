import CurlConnection
import TestSupport

@Suite("Requests that are sent again", .timeLimit(.minutes(2)))
struct RetryingTests {
    private let turned = TurnableClock()

    private var policy: RetryPolicy {
        var policy = RetryPolicy()
        // The first wait could be nothing, and the others are what the test turns by.
        policy.delay = 4
        return policy
    }

    /// Answers the first requests with these, and later ones with "ok".
    private func serve(
        _ world: TestWorld, _ answers: [ScriptedResponse], at path: String = "/late"
    ) {
        let left = Locked(answers[...])
        world.server.add(path) { _ in left.withLock { $0.popFirst() } ?? .text("ok") }
    }

    private func start(
        _ world: TestWorld, _ request: URLRequest, _ policy: RetryPolicy,
        on recorder: Recorder = Recorder(),
        _ change: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> Recorder {
        let clock = turned.clock
        var request = request
        // No limit without a byte, whose moments the test would turn to.
        request.timeoutInterval = 0
        world.thread.start(request, recorder) {
            $0.configuration.retryPolicy = policy
            $0.configuration.clock = clock
            change($0)
        }
        return recorder
    }

    /// Turns to whatever is due next, until the load has ended.
    private func turn(_ recorder: Recorder) -> Heard {
        for _ in 0..<2_000 where !recorder.heard.hasEnded {
            if turned.waitForAlarms(within: 0.05) { turned.turnToNext() }
        }
        return recorder.atEnd()
    }

    private func waits(_ recorder: Recorder) -> Bool {
        recorder.wait { !$0.decisions.isEmpty }
    }

    @Test func `the delegate hears of the last try alone, and the metrics of all`() throws {
        try withWorld { world in
            serve(world, [.status(503), .status(429, headers: [("Retry-After", "7")])])
            let began = turned.date
            let recorder = start(world, world.request("/late"), policy)
            let heard = turn(recorder)
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.text == "ok")
            #expect(world.server.requests.count == 3)
            let metrics = try #require(heard.metrics.first)
            #expect(metrics.transactionMetrics.count == 3)
            let decisions = metrics.retryDecisions
            #expect(decisions.map(\.attempt) == [1, 2])
            #expect(decisions.map(\.cause) == [.status(503), .status(429)])
            #expect(turned.date.timeIntervalSince(began) >= 7)
        }
    }

    @Test func `an error says where the budget ended the tries`() throws {
        try withWorld { world in
            serve(world, Array(repeating: ScriptedResponse([.close]), count: 9))
            var policy = policy
            policy.maximumAttempts = 9
            policy.budget = RetryBudget(ratio: 0, reserve: 2)
            let heard = turn(start(world, world.request("/late"), policy))
            #expect(heard.code == .networkConnectionLost)
            let error = try #require(heard.error)
            #expect(
                error.localizedDescription.contains("retry budget is used up"),
                "\(error.localizedDescription)")
            #expect(heard.metrics.first?.retryDecisions.last?.outcome == .stops(.budgetUsed))
        }
    }

    @Test func `the last try's response is the answer, whatever its status`() throws {
        try withWorld { world in
            var policy = policy
            policy.maximumAttempts = 2
            serve(world, [.status(503), .text("still not", status: 503)])
            let heard = turn(start(world, world.request("/late"), policy))
            #expect(heard.status == 503)
            #expect(heard.text == "still not")
            #expect(
                heard.metrics.first?.retryDecisions.last?.outcome == .stops(.attemptsUsed))
        }
    }

    @Test func `a connection that nobody takes is tried again`() throws {
        try withWorld { world in
            let port = world.server.port
            world.server.stop()
            let recorder = start(
                world, URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)/ok"))),
                policy)
            #expect(waits(recorder))
            try world.server.start(port: port)
            let heard = turn(recorder)
            #expect(heard.text == "hello world")
            #expect(
                heard.metrics.first?.retryDecisions.first?.cause == .error(.cannotConnectToHost))
        }
    }

    @Test func `after the response's head nothing is sent again`() throws {
        try withWorld { world in
            let heard = start(world, world.request("/truncated"), policy).atEnd()
            #expect(heard.code == .networkConnectionLost)
            #expect(heard.count(.response) == 1)
            #expect(world.server.requests.count == 1)
        }
    }

    // MARK: Methods and keys

    @Test func `a POST is not repeated; with a key it is, with the same one`() throws {
        try withWorld { world in
            var request = world.request("/late", "POST")
            request.httpBody = Data("order".utf8)
            serve(world, [.status(503)])
            let plain = start(world, request, policy).atEnd()
            #expect(plain.status == 503)
            #expect(plain.metrics.first?.retryDecisions.first?.outcome == .stops(.notIdempotent))
            #expect(world.server.requests.last?.headers["Idempotency-Key"] == nil)
            world.server.resetLog()
            serve(world, [.status(503), .status(502)])
            var policy = policy
            policy.idempotencyKeyField = "Idempotency-Key"
            #expect(turn(start(world, request, policy)).text == "ok")
            let keys = world.server.requests.map { $0.headers["Idempotency-Key"] }
            #expect(keys.count == 3)
            #expect(Set(keys).count == 1 && keys.first != .some(nil))
            #expect(world.server.requests.allSatisfy { $0.body == Data("order".utf8) })
            // Another request has another; a GET needs none; the program's own stays.
            world.server.resetLog()
            serve(world, [])
            _ = start(world, request, policy).atEnd()
            #expect(world.server.requests.last?.headers["Idempotency-Key"] != keys.first)
            _ = start(world, world.request("/late"), policy).atEnd()
            #expect(world.server.requests.last?.headers["Idempotency-Key"] == nil)
            request.setValue("own", forHTTPHeaderField: "Idempotency-Key")
            _ = start(world, request, policy).atEnd()
            #expect(world.server.requests.last?.headers["Idempotency-Key"] == "own")
        }
    }

    @Test func `a stream that cannot be read again ends it with the failure itself`() throws {
        try withWorld { world in
            var request = world.request("/late", "PUT")
            request.httpBodyStream = PiecesStream([Data("once".utf8)], allowed: 1)
            request.setValue("4", forHTTPHeaderField: "Content-Length")
            let closing = ScriptedResponse([.close])
            serve(world, [closing])
            let heard = turn(start(world, request, policy))
            #expect(heard.code == .networkConnectionLost)
            #expect(heard.metrics.first?.retryDecisions.last?.outcome == .stops(.bodyUsed))
            #expect(heard.ends == 1)
        }
    }

    @Test func `a late answer without another stream ends it as an early one does`() throws {
        try withWorld { world in
            var request = world.request("/late", "PUT")
            request.httpBodyStream = PiecesStream([Data("once".utf8)], allowed: 1)
            request.setValue("4", forHTTPHeaderField: "Content-Length")
            serve(world, [ScriptedResponse([.close])])
            let decider = Decider(late: .stream)
            _ = start(world, request, policy, on: decider)
            for _ in 0..<2_000 where decider.asked.stream == nil {
                if turned.waitForAlarms(within: 0.05) { turned.turnToNext() }
            }
            world.thread.settle()
            decider.asked.stream?.answer(nil)
            let heard = decider.recorder.atEnd()
            #expect(heard.code == .networkConnectionLost)
            #expect(heard.metrics.first?.retryDecisions.last?.outcome == .stops(.bodyUsed))
        }
    }

    // MARK: While it waits

    @Test func `a cancel while it waits ends it, and nothing is sent`() throws {
        try withWorld { world in
            serve(world, [.status(503)])
            let recorder = start(world, world.request("/late"), policy)
            #expect(waits(recorder))
            world.thread.sync { recorder.connection?.cancel() }
            turned.turn(by: 100)
            world.thread.settle()
            #expect(recorder.heard.ends == 0)
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `a cancel while it waits lets go of the connection, and of its body`() throws {
        try withWorld { world in
            serve(world, [.status(503)])
            let recorder = start(world, world.request("/late"), policy)
            #expect(waits(recorder))
            world.thread.settle()
            weak let connection = recorder.connection
            #expect(connection != nil)
            world.thread.sync {
                recorder.connection?.cancel()
                recorder.connection = nil
            }
            world.thread.settle()
            #expect(connection == nil)
        }
    }

    @Test(arguments: ["9223372036854775807", "99999999999999999999"])
    func `any number of seconds can be waited for, and is at most three years`(seconds: String)
        throws
    {
        try withWorld { world in
            serve(world, [.status(503, headers: [("Retry-After", seconds)])])
            var policy = policy
            policy.maximumRetryAfter = .infinity
            let recorder = start(world, world.request("/late"), policy)
            #expect(waits(recorder))
            world.turn(turned, by: 1e8 - 1)
            #expect(world.server.requests.count == 1)
            world.turn(turned, by: 1)
            #expect(recorder.atEnd().text == "ok")
        }
    }

    @Test func `what waits has no place: others take the only connection`() throws {
        try withWorld { world in
            serve(world, [.status(503)])
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let recorder = start(world, world.request("/late"), policy, one)
            #expect(waits(recorder))
            #expect(start(world, world.request("/ok"), policy, one).atEnd().status == 200)
            #expect(turn(recorder).text == "ok")
        }
    }

    @Test func `the limit of the whole load allows no wait beyond it`() throws {
        try withWorld { world in
            serve(world, [.status(503, headers: [("Retry-After", "60")])])
            let heard = start(world, world.request("/late"), policy) {
                $0.timeoutIntervalForResource = 59
            }.atEnd()
            #expect(heard.status == 503)
            #expect(heard.metrics.first?.retryDecisions.first?.outcome == .stops(.deadline))
        }
    }

    // MARK: Many

    @Test func `a server that always fails gets no more than the budget allows`() throws {
        try withWorld { world in
            let asked = Locked<UInt64>(0)
            world.server.add("/never") { _ in
                asked.withLock { $0 += 1 }
                return .status(503)
            }
            var policy = RetryPolicy(budget: RetryBudget(ratio: 0.1, reserve: 5))
            policy.delay = 0
            let given = policy
            for _ in 0..<100 {
                let recorder = Recorder()
                world.thread.start(world.request("/never"), recorder) {
                    $0.configuration.retryPolicy = given
                }
                #expect(recorder.atEnd().status == 503)
            }
            #expect(asked.withLock { $0 } <= 100 + 5 + 10)
        }
    }
}
