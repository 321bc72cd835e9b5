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
        try withWorld { world in
            world.server.add("/chunks/10000000") { _ in
                .chunked(
                    (0..<10).map {
                        GeneratedBytes.bytes(
                            seed: 9, range: Int64($0) * 1_000_000..<Int64($0 + 1) * 1_000_000)
                    })
            }
            let recorder = suspending(at: .data)
            var request = world.request(path)
            request.timeoutInterval = 0.5
            world.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.data) == 1 })
            world.turn(clock, by: 1.5)
            #expect(recorder.heard.count(.data) == 1)
            #expect(!recorder.heard.hasEnded)
            // The server could not send all, and still has the connection
            #expect(world.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            resume(recorder, world)
            let heard = recorder.atEnd()
            #expect(heard.order.last == .finish, "\(String(describing: heard.error))")
            #expect(
                BodyHash.of(heard.data) == GeneratedBytes.hash(seed: 9, range: 0..<10_000_000))
            #expect(world.server.requests.count { $0.target == path } == 1)
        }
    }

    @Test func `its idle limit runs again when it is resumed`() throws {
        try withWorld { world in
            let recorder = suspending(at: .data)
            var request = world.request("/hang-body")
            request.timeoutInterval = 0.5
            world.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.data) == 1 })
            world.turn(clock, by: 1)
            #expect(!recorder.heard.hasEnded)
            resume(recorder, world)
            world.turn(clock, by: 0.4)
            #expect(!recorder.heard.hasEnded)
            world.turn(clock, by: 0.1)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test(arguments: ["/gate/head", "/gated-204"])
    func `an answer that comes meanwhile is told when it is resumed`(path: String) throws {
        try withWorld { world in
            world.server.add("/gated-204") { _ in .status(204).after(.wait(gate: "head")) }
            let recorder = Recorder()
            var request = world.request(path)
            request.timeoutInterval = 1
            world.start(request, recorder, by: clock)
            #expect(world.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            suspend(recorder, world)
            world.server.release("head")
            #expect(world.serverIsIdle())
            world.turn(clock, by: 1.5)
            #expect(recorder.heard.order == [.willSend])
            resume(recorder, world)
            #expect(recorder.atEnd().order.last == .finish)
            #expect(world.server.requests.count { $0.target == path } == 1)
        }
    }

    // MARK: Before the request

    @Test func `one that is suspended before the start sends nothing until it is resumed`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(world.request("/ok"), recorder) { $0.suspend() }
            world.thread.settle()
            #expect(world.server.statistics.connectionsAccepted == 0)
            #expect(recorder.heard.calls.isEmpty)
            resume(recorder, world)
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `one that waits for a place keeps nobody waiting behind it`() throws {
        try withWorld { world in
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let (first, second, third) = (Recorder(), Recorder(), Recorder())
            world.thread.start(world.request("/gate/first"), first, configure: one)
            #expect(world.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            world.thread.start(world.request("/text?value=second"), second, configure: one)
            world.thread.start(world.request("/text?value=third"), third, configure: one)
            #expect(second.wait { $0.count(.willSend) == 1 })
            suspend(second, world)
            world.server.release("first")
            #expect(first.atEnd().status == 200)
            #expect(third.atEnd().text == "third")
            #expect(second.heard.order == [.willSend])
            resume(second, world)
            #expect(second.atEnd().text == "second")
            #expect(world.server.requests.count == 3)
        }
    }

    @Test func `one that gets its place in the drive in which it is suspended gives it back`()
        throws
    {
        try withWorld { world in
            let one: @Sendable (URLConnection) -> Void = {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            let (first, second, third) = (Recorder(), Recorder(), Recorder())
            world.thread.start(world.request("/gate/first"), first, configure: one)
            #expect(world.server.waitUntil(timeout: patience) { seen, _ in seen.inFlight == 1 })
            // The second is suspended, and before it has left the line, the first leaves it its place
            first.onCall = { call, _ in if call == .data { second.connection?.suspend() } }
            world.thread.start(world.request("/text?value=second"), second, configure: one)
            world.thread.start(world.request("/text?value=third"), third, configure: one)
            world.thread.settle()
            world.server.release("first")
            #expect(third.atEnd().text == "third")
            #expect(second.heard.order == [.willSend])
            #expect(world.server.statistics.connectionsAccepted == 1)
            resume(second, world)
            #expect(second.atEnd().text == "second")
        }
    }

    @Test func `a body that is sent rests, and goes on where it was`() throws {
        try withWorld { world in
            var request = world.request("/upload", "POST")
            request.httpBody = Data(count: 50_000_000)
            request.timeoutInterval = 0.5
            let recorder = suspending(at: .sent)
            world.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.count(.sent) == 1 })
            world.turn(clock, by: 1.5)
            #expect(recorder.heard.count(.sent) == 1)
            #expect(world.server.waitUntil(timeout: patience) { !$1.isEmpty })
            #expect(world.server.requests.first?.bodyIsComplete == false)
            resume(recorder, world)
            let heard = recorder.atEnd()
            #expect(heard.status == 200, "\(String(describing: heard.error))")
            #expect(heard.sentTotal == 50_000_000)
            #expect(world.server.requests.count { $0.path == "/upload" } == 1)
        }
    }

    // MARK: Ends

    @Test(arguments: Call.allCases)
    func `nothing follows a suspension inside a call until the load is resumed`(call: Call) throws {
        try withWorld { world in
            let plain = Recorder()
            plain.onNewStream = { PiecesStream([Data("again".utf8)]) }
            let expected = world.load(world.request(with: call), plain)
            let requests = world.server.requests.count
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            world.thread.start(world.request(with: call), recorder)
            #expect(recorder.wait { $0.calls.contains(call) })
            #expect(world.load("/ok").text == "hello world")
            world.thread.settle()
            #expect(recorder.heard.calls.last == call)
            #expect(recorder.heard.count(call) == 1)
            resume(recorder, world)
            let heard = recorder.atEnd()
            #expect(heard.order == expected.order)
            #expect(heard.data == expected.data)
            #expect(heard.code == expected.code)
            world.thread.settle()
            #expect(recorder.heard.ends == 1)
            #expect(world.server.requests.count == 2 * requests + 1)
        }
    }

    @Test(arguments: Call.allCases.filter { $0 != .finish && $0 != .fail })
    func `nothing follows a cancel of a suspended load`(call: Call) throws {
        try withWorld { world in
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            world.thread.start(world.request(with: call), recorder)
            #expect(recorder.wait { $0.calls.contains(call) })
            world.thread.settle()
            _ = world.thread.sync {
                recorder.connection?.cancel()
                recorder.connection?.resume()
            }
            world.thread.settle()
            #expect(recorder.heard.calls.last == call)
            #expect(world.load("/ok").text == "hello world")
            #expect(recorder.heard.calls.last == call)
        }
    }

    @Test(arguments: Call.allCases.filter { $0 != .finish && $0 != .fail })
    func `the limit for the whole load ends a suspended one`(call: Call) throws {
        try withWorld { world in
            let recorder = suspending(at: call)
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            world.start(world.request(with: call), recorder, by: clock) {
                $0.timeoutIntervalForResource = 50
            }
            #expect(recorder.wait { $0.calls.contains(call) })
            world.turn(clock, by: 50)
            #expect(recorder.atEnd().code == .timedOut)
            resume(recorder, world)
            world.thread.settle()
            #expect(recorder.heard.ends == 1)
        }
    }

    @Test(arguments: ["/ok", "/truncated"])
    func `the limit for the whole load ends one that is suspended by its metrics`(path: String)
        throws
    {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onMetrics = { $0.suspend() }
            world.start(world.request(path), recorder, by: clock) {
                $0.timeoutIntervalForResource = 50
            }
            #expect(recorder.wait { !$0.metrics.isEmpty })
            world.turn(clock, by: 50)
            #expect(recorder.atEnd().code == .timedOut)
            resume(recorder, world)
            world.thread.settle()
            #expect(recorder.heard.ends == 1 && recorder.heard.metrics.count == 1)
        }
    }

    @Test func `suspended loads that nobody resumes are gone after their cancel`() throws {
        try withWorld { world in
            let gone = Signal()
            let sentinel = Box(Sentinel(gone))
            let recorder = Recorder()
            recorder.onCall = { [value = sentinel.value] _, _ in value?.touch() }
            sentinel.value = nil
            world.thread.start(world.request("/ok"), recorder) { $0.suspend() }
            world.thread.settle()
            _ = world.thread.sync {
                recorder.connection?.cancel()
                recorder.connection = nil
                recorder.onCall = nil
            }
            #expect(gone.blocks(until: 1))
        }
    }
}
