import CurlConnection
import TestSupport

@Suite("Suspended loads", .timeLimit(.minutes(5)))
struct SuspensionTests: Suspending {
    private let clock = TurnableClock()

    // MARK: The response

    @Test(arguments: ["/bytes/10000000?seed=9", "/chunks/10000000?seed=9"])
    func `one that rests in its body longer than its idle limit goes on where it was`(path: String)
        throws
    {
        try withFixture { fixture in
            fixture.server.add("/chunks/10000000") { _ in
                .chunked(
                    (0..<10).map {
                        GeneratedBytes.bytes(
                            seed: 9, range: Int64($0) * 1_000_000..<Int64($0 + 1) * 1_000_000)
                    })
            }
            let recorder = suspending(at: .data)
            var request = fixture.request(path)
            request.timeoutInterval = 0.5
            fixture.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.data) == 1 })
            fixture.turn(clock, by: 1.5)
            #expect(recorder.heard.count(.data) == 1)
            #expect(!recorder.heard.hasEnded)
            // The server could not send all, and still has the connection
            #expect(fixture.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            resume(recorder, fixture)
            let heard = recorder.atEnd()
            #expect(heard.order.last == .finish, "\(String(describing: heard.error))")
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 9, range: 0..<10_000_000))
            #expect(fixture.server.requests.count { $0.target == path } == 1)
        }
    }

    @Test func `its idle limit runs again when it is resumed`() throws {
        try withFixture { fixture in
            let recorder = suspending(at: .data)
            var request = fixture.request("/hang-body")
            request.timeoutInterval = 0.5
            fixture.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.data) == 1 })
            fixture.turn(clock, by: 1)
            #expect(!recorder.heard.hasEnded)
            resume(recorder, fixture)
            fixture.turn(clock, by: 0.4)
            #expect(!recorder.heard.hasEnded)
            fixture.turn(clock, by: 0.1)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test func `a decoded body rests between its pieces`() throws {
        try withFixture { fixture in
            fixture.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            let recorder = suspending(at: .data)
            fixture.thread.start(fixture.request("/coded"), recorder)
            #expect(recorder.wait { $0.count(.data) == 1 })
            #expect(fixture.serverIsIdle())
            #expect(fixture.load("/ok").text == "hello world")
            fixture.thread.settle()
            #expect(recorder.heard.count(.data) == 1)
            resume(recorder, fixture)
            #expect(recorder.atEnd().data == Data(count: Compressed.decodedCount))
        }
    }

    @Test(arguments: ["/gate/head", "/gated-204"])
    func `an answer that comes meanwhile is told when it is resumed`(path: String) throws {
        try withFixture { fixture in
            fixture.server.add("/gated-204") { _ in .status(204).after(.wait(gate: "head")) }
            let recorder = Recorder()
            var request = fixture.request(path)
            request.timeoutInterval = 1
            fixture.start(request, recorder, by: clock)
            #expect(fixture.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            suspend(recorder, fixture)
            fixture.server.release("head")
            #expect(fixture.serverIsIdle())
            fixture.turn(clock, by: 1.5)
            #expect(recorder.heard.order == [.willSend])
            resume(recorder, fixture)
            #expect(recorder.atEnd().order.last == .finish)
            #expect(fixture.server.requests.count { $0.target == path } == 1)
        }
    }

    @Test func `a failure that comes meanwhile is told when it is resumed`() throws {
        try withFixture { fixture in
            let recorder = suspending(at: .response)
            fixture.thread.start(fixture.request("/truncated"), recorder)
            #expect(recorder.wait { $0.count(.response) == 1 })
            #expect(fixture.load("/ok").text == "hello world")
            fixture.thread.settle()
            #expect(recorder.heard.order == [.willSend, .response])
            resume(recorder, fixture)
            #expect(recorder.atEnd().code == .networkConnectionLost)
        }
    }

    @Test func `one that is resumed and suspended in turns ends whole`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            recorder.onCall = { call, connection in if call == .data { connection.suspend() } }
            fixture.thread.start(fixture.request("/bytes/3000000?seed=2"), recorder)
            while !recorder.heard.hasEnded {
                _ = fixture.thread.sync {
                    recorder.connection?.resume()
                    recorder.connection?.suspend()
                    recorder.connection?.resume()
                }
            }
            let heard = recorder.atEnd()
            #expect(BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 2, range: 0..<3_000_000))
            #expect(fixture.server.requests.count == 1)
        }
    }

    // MARK: Before the request

    @Test func `one that is suspended before the start sends nothing until it is resumed`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            fixture.thread.start(fixture.request("/ok"), recorder) { $0.suspend() }
            fixture.thread.settle()
            #expect(fixture.server.statistics.connectionsAccepted == 0)
            #expect(recorder.heard.calls.isEmpty)
            resume(recorder, fixture)
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `one that waits for a place keeps nobody waiting behind it`() throws {
        try withFixture { fixture in
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let (first, second, third) = (Recorder(), Recorder(), Recorder())
            fixture.thread.start(fixture.request("/gate/first"), first, configure: one)
            #expect(fixture.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            fixture.thread.start(fixture.request("/text?value=second"), second, configure: one)
            fixture.thread.start(fixture.request("/text?value=third"), third, configure: one)
            #expect(second.wait { $0.count(.willSend) == 1 })
            suspend(second, fixture)
            fixture.server.release("first")
            #expect(first.atEnd().status == 200)
            #expect(third.atEnd().text == "third")
            #expect(second.heard.order == [.willSend])
            resume(second, fixture)
            #expect(second.atEnd().text == "second")
            #expect(fixture.server.requests.count == 3)
        }
    }

    @Test func `one that gets its place in the drive in which it is suspended gives it back`()
        throws
    {
        try withFixture { fixture in
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let (first, second, third) = (Recorder(), Recorder(), Recorder())
            fixture.thread.start(fixture.request("/gate/first"), first, configure: one)
            #expect(fixture.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            // The second is suspended, and before it has left the line, the first leaves it its place
            first.onCall = { call, _ in if call == .data { second.connection?.suspend() } }
            fixture.thread.start(fixture.request("/text?value=second"), second, configure: one)
            fixture.thread.start(fixture.request("/text?value=third"), third, configure: one)
            fixture.thread.settle()
            fixture.server.release("first")
            #expect(third.atEnd().text == "third")
            #expect(second.heard.order == [.willSend])
            #expect(fixture.server.statistics.connectionsAccepted == 1)
            resume(second, fixture)
            #expect(second.atEnd().text == "second")
        }
    }

    @Test func `a body that is sent rests, and goes on where it was`() throws {
        try withFixture { fixture in
            var request = fixture.request("/upload", "POST")
            request.httpBody = Data(count: 50_000_000)
            request.timeoutInterval = 0.5
            let recorder = suspending(at: .sent)
            fixture.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.sent) == 1 })
            fixture.turn(clock, by: 1.5)
            #expect(recorder.heard.count(.sent) == 1)
            #expect(fixture.server.waitUntil(timeout: patience) { !$1.isEmpty })
            #expect(fixture.server.requests.first?.bodyIsComplete == false)
            resume(recorder, fixture)
            let heard = recorder.atEnd()
            #expect(heard.status == 200, "\(String(describing: heard.error))")
            #expect(heard.sentTotal == 50_000_000)
            #expect(fixture.server.requests.count { $0.path == "/upload" } == 1)
        }
    }

    // MARK: Ends

    private func request(_ fixture: Fixture, with call: Call) -> URLRequest {
        switch call {
        case .willSend, .finish: return fixture.request("/ok")
        case .willSendRedirect: return fixture.request("/redirect")
        case .challenge: return fixture.request("/basic")
        case .response, .data, .notConsumed: return fixture.request("/bytes/10000000")
        case .fail: return fixture.request("/truncated")
        case .sent:
            var request = fixture.request("/upload", "POST")
            request.httpBody = Data(count: 5_000_000)
            return request
        case .newStream:
            var request = fixture.request("/redirect?to=/upload&status=307", "POST")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            return request
        }
    }

    @Test(arguments: Call.allCases)
    func `nothing follows a suspension inside a call until the load is resumed`(call: Call) throws {
        try withFixture { fixture in
            let plain = Recorder()
            plain.onNewStream = { PiecesStream([Data("again".utf8)]) }
            let expected = fixture.load(request(fixture, with: call), plain)
            let requests = fixture.server.requests.count
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            fixture.thread.start(request(fixture, with: call), recorder)
            #expect(recorder.wait { $0.calls.contains(call) })
            #expect(fixture.load("/ok").text == "hello world")
            fixture.thread.settle()
            #expect(recorder.heard.calls.last == call)
            #expect(recorder.heard.count(call) == 1)
            resume(recorder, fixture)
            let heard = recorder.atEnd()
            #expect(heard.order == expected.order)
            #expect(heard.data == expected.data)
            #expect(heard.code == expected.code)
            fixture.thread.settle()
            #expect(recorder.heard.ends == 1)
            #expect(fixture.server.requests.count == 2 * requests + 1)
        }
    }

    @Test(arguments: Call.allCases.filter { $0 != .finish && $0 != .fail })
    func `nothing follows a cancel of a suspended load`(call: Call) throws {
        try withFixture { fixture in
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            fixture.thread.start(request(fixture, with: call), recorder)
            #expect(recorder.wait { $0.calls.contains(call) })
            fixture.thread.settle()
            _ = fixture.thread.sync {
                recorder.connection?.cancel()
                recorder.connection?.resume()
            }
            fixture.thread.settle()
            #expect(recorder.heard.calls.last == call)
            #expect(fixture.load("/ok").text == "hello world")
            #expect(recorder.heard.calls.last == call)
        }
    }

    @Test(arguments: Call.allCases.filter { $0 != .finish && $0 != .fail })
    func `the limit for the whole load ends a suspended one`(call: Call) throws {
        try withFixture { fixture in
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            fixture.start(request(fixture, with: call), recorder, by: clock) {
                $0.timeoutIntervalForResource = 50
            }
            #expect(recorder.wait { $0.calls.contains(call) })
            fixture.turn(clock, by: 50)
            #expect(recorder.atEnd().code == .timedOut)
            resume(recorder, fixture)
            fixture.thread.settle()
            #expect(recorder.heard.ends == 1)
        }
    }

    @Test func `suspended loads that nobody resumes are gone after their cancel`() throws {
        try withFixture { fixture in
            let gone = Signal()
            let sentinel = Box(Sentinel(gone))
            let recorder = Recorder()
            recorder.onCall = { [value = sentinel.value] _, _ in value?.touch() }
            sentinel.value = nil
            fixture.thread.start(fixture.request("/ok"), recorder) { $0.suspend() }
            fixture.thread.settle()
            _ = fixture.thread.sync {
                recorder.connection?.cancel()
                recorder.connection = nil
                recorder.onCall = nil
            }
            #expect(gone.blocks(until: 1))
        }
    }
}
