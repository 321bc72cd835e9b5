import CurlConnection
import TestSupport

@Suite("Cancelling and starting from inside calls", .timeLimit(.minutes(5)))
struct CancelTests {
    @Test(arguments: Call.allCases)
    func `nothing follows a cancel from inside a call, and the server sees the close`(call: Call)
        throws
    {
        try withWorld { world in
            // Given a delegate that cancels at one call
            let recorder = Recorder()
            recorder.onCall = { heard, connection in if heard == call { connection.cancel() } }
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            world.thread.start(world.request(with: call), recorder)
            #expect(recorder.wait { $0.calls.contains(call) })
            // Then the server sees the close, but of a connection whose exchange had ended
            if call != .finish, call != .newStream {
                #expect(world.serverSeesTheClose())
            }
            if call == .willSend {
                #expect(world.server.statistics.connectionsAccepted == 0)
            }
            // And nothing follows, and the thread still works
            world.thread.settle()
            #expect(world.load("/ok").text == "hello world")
            #expect(recorder.heard.calls.last == call)
            #expect(recorder.heard.count(call) == 1)
        }
    }

    @Test(arguments: CallingStream.Call.allCases)
    func `a body's stream may cancel its load inside a call, and the thread goes on`(
        call: CallingStream.Call
    ) throws {
        try withWorld { world in
            let recorder = Recorder()
            var request = world.request(
                call == .rewind ? "/redirect?to=/upload&status=307" : "/upload", "PUT")
            let cancelled = DispatchSemaphore(value: 0)
            request.httpBodyStream = CallingStream(in: call) {
                recorder.connection?.cancel()
                cancelled.signal()
            }
            world.thread.start(request, recorder)
            if call == .close { #expect(recorder.atEnd().order.last == .finish) }
            #expect(cancelled.wait(timeout: .now() + patience) == .success)
            world.thread.settle()
            #expect(world.load("/ok").text == "hello world")
            #expect(recorder.heard.ends == (call == .close ? 1 : 0))
            let uploads = world.server.requests.count { $0.path == "/upload" }
            #expect(uploads == (call == .close ? 1 : 0))
        }
    }

    @Test(arguments: ["/hang", "/hang-headers", "/hang-body", "/gate/never", "/rate/1000000?bps=9"])
    func `a cancel from outside stops an exchange at any point`(path: String) throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(world.request(path), recorder)
            #expect(
                world.server.waitUntil(timeout: patience) { statistics, _ in
                    statistics.inFlight == 1
                })
            _ = world.thread.sync { recorder.connection?.cancel() }
            let calls = recorder.heard.calls
            #expect(world.serverSeesTheClose())
            #expect(world.server.statistics.abandoned == 1)
            world.thread.settle()
            #expect(recorder.heard.calls == calls)
            #expect(!recorder.heard.hasEnded)
        }
    }

    @Test func `a cancel right after the start sends nothing`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let request = world.request("/ok")
            _ = world.thread.sync {
                let connection = URLConnection(request: request, delegate: recorder)
                connection.cancel()
                connection.cancel()
            }
            world.thread.settle()
            #expect(recorder.heard.calls.isEmpty)
            #expect(world.server.statistics.connectionsAccepted == 0)
        }
    }

    @Test func `a cancel before the start makes the start do nothing`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(world.request("/ok"), recorder) { $0.cancel() }
            world.thread.settle()
            #expect(recorder.heard.calls.isEmpty)
        }
    }

    @Test func `a second start does nothing, during the load or after it`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onCall = { _, connection in connection.start() }
            world.thread.start(world.request("/ok"), recorder) { $0.start() }
            #expect(recorder.atEnd().text == "hello world")
            _ = world.thread.sync { recorder.connection?.start() }
            world.thread.settle()
            #expect(recorder.heard.order == [.willSend, .response, .data, .finish])
            #expect(world.server.statistics.requests == 1)
        }
    }

    @Test(arguments: Call.allCases)
    func `a connection can be started from inside each call`(call: Call) throws {
        try withWorld { world in
            let second = Recorder()
            let first = Recorder()
            first.onNewStream = { PiecesStream([Data("again".utf8)]) }
            let request = world.request("/bytes/500000")
            first.onCall = { heard, _ in
                guard heard == call, second.connection == nil else { return }
                second.thread = Thread.current
                second.connection = URLConnection(request: request, delegate: second)
                #expect(second.heard.calls.isEmpty)
            }
            world.thread.start(world.request(with: call), first)
            #expect(first.atEnd().ends == 1)
            #expect(second.atEnd().data.count == 500_000)
        }
    }

    @Test(arguments: [Call.response, .data, .notConsumed, .finish, .willSendRedirect])
    func `another connection can be cancelled from inside each call`(call: Call) throws {
        try withWorld { world in
            // Given one that waits, and one in whose call it is cancelled
            let other = Recorder()
            world.thread.start(world.request("/hang"), other)
            #expect(world.server.waitUntil(timeout: patience) { $1.count == 1 })
            let first = Recorder()
            first.onCall = { heard, _ in if heard == call { other.connection?.cancel() } }
            world.thread.start(world.request(with: call), first)
            #expect(first.atEnd().order.last == .finish)
            #expect(
                world.server.waitUntil(timeout: patience) { statistics, _ in
                    statistics.abandoned == 1
                })
            world.thread.settle()
            #expect(other.heard.order == [.willSend])
        }
    }

    @Test func `a connection and its delegate live to the end and no longer`() throws {
        try withWorld { world in
            weak var connection: URLConnection?
            weak var delegate: Recorder?
            let request = world.request("/gate/life")
            let made = Box<(URLConnection, Recorder)>()
            _ = world.thread.sync {
                let recorder = Recorder()
                recorder.thread = Thread.current
                made.value = (URLConnection(request: request, delegate: recorder), recorder)
            }
            connection = made.value?.0
            delegate = made.value?.1
            made.value = nil
            #expect(world.server.waitUntilReached("life"))
            #expect(connection != nil)
            let ended = delegate
            world.server.release("life")
            #expect(ended?.atEnd().text == "passed life")
            world.thread.settle()
            #expect(connection == nil)
        }
    }

    @Test func `a delegate may run the loop while other connections move`() throws {
        try withWorld { world in
            let other = Recorder()
            world.thread.start(world.request("/gate/nested"), other)
            #expect(world.server.waitUntilReached("nested"))
            let first = Recorder()
            let server = world.server
            first.onCall = { call, _ in
                guard call == .response || call == .data else { return }
                server.release("nested")
                _ = server.waitUntil(timeout: patience) { $0.inFlight <= 1 && $1.count == 2 }
                for _ in 0..<3 {
                    _ = RunLoop.current.run(
                        mode: .default, before: Date(timeIntervalSinceNow: 0.01))
                }
            }
            #expect(world.load(world.request("/bytes/300000"), first).data.count == 300_000)
            #expect(other.atEnd().text == "passed nested")
        }
    }
}
