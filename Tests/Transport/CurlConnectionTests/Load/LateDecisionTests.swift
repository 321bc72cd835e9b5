import TestSupport

@testable import CurlConnection

@Suite("Decisions that come later", .timeLimit(.minutes(5)))
struct LateDecisionTests {
    private let clock = TurnableClock()

    /// A request in whose load a question is put.
    private func request(_ world: TestWorld, asking question: Decider.Question) -> URLRequest {
        switch question {
        case .redirect: return world.request("/redirect")
        case .response: return world.request("/ok")
        case .stream:
            var request = world.request("/redirect?to=/upload&status=307", "PUT")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            return request
        case .cache:
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            return world.request("/kept")
        }
    }

    private func ownCache(_ capacity: Int = 1 << 20) throws -> @Sendable (URLConnection) -> Void {
        let cache = try ResponseCache(memoryCapacity: capacity)
        return { $0.configuration.responseCache = cache }
    }

    @Test(arguments: Decider.Question.allCases)
    func `others go on while an answer is awaited, and the load goes on after it`(
        question: Decider.Question
    ) throws {
        try withWorld { world in
            let decider = Decider(late: question)
            let configure = try ownCache()
            world.thread.start(
                request(world, asking: question), decider, configure: configure)
            #expect(decider.isCalled(question))
            #expect(world.load("/bytes/100000").data.count == 100_000)
            world.thread.settle()
            #expect(!decider.heard.hasEnded)
            #expect(decider.heard.data.isEmpty == (question != .cache))
            decider.goOn()
            let heard = decider.recorder.atEnd()
            #expect(heard.order.last == .finish)
            #expect(heard.status == 200)
            #expect(!heard.wasOutsideItsThread)
            #expect(decider.asked.questions.count { $0 == question } == 1)
        }
    }

    @Test(arguments: Decider.Question.allCases)
    func `the idle limit does not run while an answer is awaited`(question: Decider.Question)
        throws
    {
        try withWorld { world in
            let decider = Decider(late: question)
            var request = request(world, asking: question)
            request.timeoutInterval = 50
            let configure = try ownCache()
            world.thread.start(request, decider) { [clock] in
                configure($0)
                $0.configuration.clock = clock.clock
            }
            #expect(decider.isCalled(question))
            world.turn(clock, by: 120)
            #expect(!decider.heard.hasEnded)
            decider.goOn()
            #expect(decider.recorder.atEnd().order.last == .finish)
        }
    }

    @Test(arguments: Decider.Question.allCases)
    func `the limit for the whole load runs, and then no answer counts`(
        question: Decider.Question
    ) throws {
        try withWorld { world in
            let decider = Decider(late: question)
            let configure = try ownCache()
            world.thread.start(request(world, asking: question), decider) { [clock] in
                configure($0)
                $0.configuration.clock = clock.clock
                $0.timeoutIntervalForResource = 40
            }
            #expect(decider.isCalled(question))
            world.turn(clock, by: 39)
            #expect(!decider.heard.hasEnded)
            world.turn(clock, by: 1)
            let heard = decider.recorder.atEnd()
            // A whole response is one, though nobody has said whether it may be stored
            #expect(heard.code == (question == .cache ? nil : .timedOut))
            decider.goOn()
            world.thread.settle()
            #expect(decider.heard.calls == heard.calls)
            #expect(decider.heard.ends == 1)
        }
    }

    @Test(arguments: Decider.Question.allCases)
    func `nothing follows a cancel while an answer is awaited`(question: Decider.Question) throws {
        try withWorld { world in
            let decider = Decider(late: question)
            world.thread.start(
                request(world, asking: question), decider, configure: try ownCache())
            #expect(decider.isCalled(question))
            let requests = world.server.requests.count
            _ = world.thread.sync { decider.recorder.connection?.cancel() }
            let calls = decider.heard.calls
            decider.goOn()
            world.thread.settle()
            #expect(world.load("/ok").text == "hello world")
            #expect(decider.heard.calls == calls)
            #expect(world.server.requests.count == requests + 1)
        }
    }

    @Test(arguments: Decider.Question.allCases)
    func `a question that nobody keeps is an error that says so`(question: Decider.Question) throws
    {
        try withWorld { world in
            let decider = Decider(late: question)
            let configure = try ownCache()
            world.thread.start(
                request(world, asking: question), decider, configure: configure)
            #expect(decider.isCalled(question))
            decider.release()
            let heard = decider.recorder.atEnd()
            switch question {
            case .redirect, .response:
                #expect(heard.code == .cancelled)
                #expect(heard.error?.localizedDescription.contains("never answered") == true)
            case .stream: #expect(heard.code == .requestBodyStreamExhausted)
            case .cache:
                #expect(heard.text == "kept")
                world.thread.start(world.request("/kept"), decider, configure: configure)
                #expect(decider.recorder.wait { $0.count(.willSend) == 2 })
                decider.goOn()
                #expect(world.server.waitUntil(timeout: 60) { _, log in log.count == 2 })
            }
            #expect(heard.ends == 1)
        }
    }

    @Test func `the first answer counts, given late or at once`() throws {
        try withWorld { world in
            for isLate in [false, true] {
                let decider = isLate ? Decider(late: .redirect) : Decider()
                decider.recorder.onCall = { call, _ in
                    if !isLate, call == .willSendRedirect { decider.goOn() }
                }
                world.thread.start(world.request("/redirect"), decider)
                if isLate {
                    #expect(decider.isCalled(.redirect))
                    let decision = decider.asked.redirect
                    decision?.answer(world.request("/text?value=first"))
                    decision?.answer(nil)
                    decision?.answer(world.request("/ok"))
                }
                let heard = decider.recorder.atEnd()
                #expect(heard.text == (isLate ? "first" : "hello world"))
                world.thread.settle()
                #expect(decider.heard.ends == 1)
            }
        }
    }

    @Test func `defaults answer at once, as a delegate without decisions does`() throws {
        final class Plain: URLConnectionDelegate {
            var calls: [String] = []
            let done = DispatchSemaphore(value: 0)
            func connection(_ connection: URLConnection, didReceive response: URLResponse) {
                calls.append("response")
            }
            func connection(_ connection: URLConnection, didReceive data: Data) {
                calls.append(String(decoding: data, as: UTF8.self))
            }
            func connectionDidFinishLoading(_ connection: URLConnection) {
                calls.append("finish")
                done.signal()
            }
        }
        try withWorld { world in
            let plain = Box(Plain())
            let request = world.request("/redirect")
            world.thread.run {
                guard let plain = plain.value else { return }
                URLConnection(request: request, delegate: plain, startImmediately: false).start()
            }
            #expect(plain.value?.done.wait(timeout: .now() + 60) == .success)
            #expect(plain.value?.calls == ["response", "hello world", "finish"])
        }
    }

    // MARK: Redirects

    @Test func `a refused redirect is the response, asked about in its turn`() throws {
        try withWorld { world in
            let decider = Decider(late: .redirect, .response)
            world.thread.start(world.request("/redirect"), decider)
            #expect(decider.isCalled(.redirect))
            decider.asked.redirect?.answer(nil)
            #expect(decider.isCalled(.response))
            decider.asked.response?.answer(.allow)
            let heard = decider.recorder.atEnd()
            #expect(heard.status == 302)
            #expect(heard.order.last == .finish)
            #expect(world.server.requests.map(\.path) == ["/redirect"])
        }
    }

    // MARK: The response

    @Test func `nothing of a body is told before the answer, and the server must wait`() throws {
        try withWorld { world in
            let decider = Decider(late: .response)
            world.thread.start(world.request("/bytes/50000000?seed=3"), decider)
            #expect(decider.isCalled(.response))
            #expect(world.load("/ok").text == "hello world")
            world.thread.settle()
            #expect(decider.heard.data.isEmpty)
            #expect(world.server.waitUntil(timeout: 60) { seen, _ in seen.inFlight == 1 })
            #expect(world.server.statistics.bytesSent < 40_000_000)
            decider.goOn()
            let heard = decider.recorder.atEnd()
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 3, range: 0..<50_000_000))
        }
    }

    @Test(arguments: ["/bytes/50000000", "/ok", "/204"])
    func `a response that is not wanted is -999, and the server sees the close`(path: String)
        throws
    {
        try withWorld { world in
            let decider = Decider(late: .response)
            world.thread.start(world.request(path), decider)
            #expect(decider.isCalled(.response))
            decider.asked.response?.answer(.cancel)
            let heard = decider.recorder.atEnd()
            #expect(heard.code == .cancelled)
            #expect(heard.order == [.willSend, .response, .fail])
            #expect(heard.ends == 1)
            if path.hasPrefix("/bytes") { #expect(world.serverSeesTheClose()) }
        }
    }

    @Test func `an exchange that fails while its response is decided about fails the load`() throws
    {
        try withWorld { world in
            world.server.add("/cut") { _ in
                ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "100")])),
                    .wait(gate: "cut"), .reset,
                ])
            }
            let decider = Decider(late: .response)
            world.thread.start(world.request("/cut"), decider)
            #expect(decider.isCalled(.response))
            world.server.release("cut")
            let heard = decider.recorder.atEnd()
            #expect(heard.code == .networkConnectionLost)
            decider.goOn()
            world.thread.settle()
            #expect(decider.heard.calls == heard.calls)
        }
    }

    @Test func `a stored response is asked about too`() throws {
        try withWorld { world in
            let configure = try ownCache()
            let request = request(world, asking: .cache)
            let first = Decider()
            world.thread.start(request, first, configure: configure)
            #expect(first.recorder.atEnd().text == "kept")
            for answer in [URLConnection.ResponseDisposition.allow, .cancel] {
                let decider = Decider(late: .response)
                world.thread.start(request, decider, configure: configure)
                #expect(decider.isCalled(.response))
                world.thread.settle()
                #expect(decider.heard.data.isEmpty)
                decider.asked.response?.answer(answer)
                let heard = decider.recorder.atEnd()
                #expect(heard.text == (answer == .allow ? "kept" : ""))
                #expect(heard.code == (answer == .allow ? nil : .cancelled))
            }
            #expect(world.server.requests.count == 1)
        }
    }

    // MARK: Streams

    @Test func `no new stream is -1027 where the body must be sent again`() throws {
        try withWorld { world in
            let decider = Decider(late: .stream)
            world.thread.start(request(world, asking: .stream), decider)
            #expect(decider.isCalled(.stream))
            decider.asked.stream?.answer(nil)
            #expect(decider.recorder.atEnd().code == .requestBodyStreamExhausted)
        }
    }

    @Test func `a new stream is awaited where libcurl sends a request again`() throws {
        try withWorld { world in
            // Given a server that closes a kept connection instead of answering its second request
            let turn = Turn()
            world.server.add("/twice") { request in
                turn.next() == 1
                    ? ScriptedResponse([.close])
                    : .text(String(decoding: request.body, as: UTF8.self))
            }
            #expect(world.load("/ok").text == "hello world")
            let decider = Decider(late: .stream)
            var request = world.request("/twice", "PUT")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            world.thread.start(request, decider)
            #expect(decider.isCalled(.stream))
            #expect(world.load("/ok").text == "hello world")
            decider.goOn()
            let heard = decider.recorder.atEnd()
            #expect(heard.text == "again")
            #expect(heard.ends == 1)
        }
    }

    // MARK: The cache

    @Test(arguments: [true, false])
    func `what a late answer lets the cache store is there after the end`(stores: Bool) throws {
        try withWorld { world in
            let configure = try ownCache()
            let request = request(world, asking: .cache)
            let decider = Decider(late: .cache)
            world.thread.start(request, decider, configure: configure)
            #expect(decider.isCalled(.cache))
            world.thread.settle()
            #expect(!decider.heard.hasEnded)
            decider.asked.cache?.answer(stores ? decider.asked.offer : nil)
            #expect(decider.recorder.atEnd().text == "kept")
            let second = Decider()
            world.thread.start(request, second, configure: configure)
            #expect(second.recorder.atEnd().text == "kept")
            #expect(world.server.requests.count == (stores ? 1 : 2))
        }
    }

    // MARK: Decisions themselves

    @Test func `a decision that was answered before it was returned is an answer at once`() {
        let decision = Decision<Int>()
        decision.answer(1)
        decision.answer(2)
        guard case .now(let answer) = URLConnection.Answer.later(decision).settled else {
            Issue.record("It is open.")
            return
        }
        #expect(answer == 1)
    }

    @Test func `a decision that is returned for a second question stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let decision = Decision<Int>()
            decision.answer(1)
            for _ in 0..<2 { _ = URLConnection.Answer.later(decision).settled }
        }
    }

    @Test func `who decides late hears the header of a part that was not asked for`() throws {
        try withWorld { world in
            world.server.add("/part") { _ in
                .text("half", status: 206, headers: [("Content-Range", "bytes 0-3/8")])
            }
            let decider = Decider(late: .response)
            world.thread.start(world.request("/part"), decider)
            let heard = decider.recorder.atEnd()
            #expect(heard.code == .badServerResponse && heard.status == 206)
            #expect(decider.asked.questions == [])
        }
    }
}
