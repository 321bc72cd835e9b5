import CurlConnection
import TestSupport

@Suite("Kept connections", .timeLimit(.minutes(5)))
struct ConnectionReuseTests {
    @Test func `a connection is kept and used again`() throws {
        try withWorld { world in
            for path in ["/ok", "/204", "/gzip", "/chunked", "/trailers", "/redirect", "/bytes/9"] {
                #expect(world.load(path).ends == 1)
            }
            #expect(Set(world.server.requests.map(\.connection)) == [1])
        }
    }

    @Test func `one that the server closed is not used`() throws {
        try withWorld { world in
            world.server.add("/last") { _ in .text("bye").then(.close) }
            for method in ["GET", "POST", "GET", "POST"] {
                let heard = world.load(world.request("/last", method))
                #expect(heard.text == "bye")
                #expect(world.serverSeesTheClose())
            }
            #expect(world.server.requests.map(\.connection) == [1, 2, 3, 4])
        }
    }

    /// Answers the first request of each connection and breaks at the second without a byte.
    private func addStale(_ world: TestWorld, resets: Bool) {
        world.server.add("/stale") { request in
            guard request.sequence > 1 else { return .text("fresh \(request.method)") }
            return ScriptedResponse([resets ? .reset : .close])
        }
    }

    @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"], [false, true])
    func `a request that may be repeated is, once and unnoticed`(method: String, resets: Bool)
        throws
    {
        try withWorld { world in
            addStale(world, resets: resets)
            #expect(world.load(world.request("/stale")).status == 200)
            var request = world.request("/stale", method)
            if method == "PUT" { request.httpBody = Data("body".utf8) }
            let heard = world.load(request)
            #expect(heard.status == 200, "\(String(describing: heard.error))")
            #expect(heard.count(.willSend) == 1)
            let log = world.server.requests
            #expect(log.map(\.connection) == [1, 1, 2])
            #expect(log.map(\.method) == ["GET", method, method])
            #expect(log.last?.body == (request.httpBody ?? Data()))
        }
    }

    @Test(arguments: ["POST", "PATCH", "LOCK"], [false, true])
    func `one that may not be repeated fails once with -1005`(method: String, resets: Bool)
        throws
    {
        try withWorld { world in
            addStale(world, resets: resets)
            #expect(world.load(world.request("/stale")).status == 200)
            var request = world.request("/stale", method)
            if method != "LOCK" { request.httpBody = Data("body".utf8) }
            let heard = world.load(request)
            #expect(heard.code?.rawValue == -1005)
            #expect(heard.ends == 1)
            // Then the server never sees it twice
            world.thread.settle()
            #expect(world.server.requests.map(\.method) == ["GET", method])
        }
    }

    @Test func `a stream body of a repeatable request is sent again whole or asked for`() throws {
        let bytes = GeneratedBytes.bytes(seed: 1, range: 0..<100_000)
        try withWorld { world in
            addStale(world, resets: false)
            #expect(world.load("/stale").status == 200)
            var request = world.request("/stale", "PUT")
            request.httpBodyStream = PiecesStream([bytes])
            let recorder = Recorder()
            recorder.onNewStream = { PiecesStream([bytes]) }
            #expect(world.load(request, recorder).status == 200)
            #expect(recorder.heard.count(.newStream) == 1)
            #expect(
                world.server.requests.dropFirst().map(\.bodyHash)
                    == [BodyHash.of(bytes), BodyHash.of(bytes)])
        }
    }

    @Test func `a one-shot stream of a repeatable request fails, nothing is sent in part`() throws {
        try withWorld { world in
            addStale(world, resets: false)
            #expect(world.load("/stale").status == 200)
            var request = world.request("/stale", "PUT")
            request.httpBodyStream = PiecesStream([Data(count: 100_000)])
            let heard = world.load(request)
            #expect([-1021, -1005].contains(heard.code?.rawValue))
            #expect(heard.ends == 1)
            #expect(
                world.server.requests.filter(\.bodyIsComplete).map(\.bodyLength) == [0, 100_000])
        }
    }

    @Test func `a cut after the first byte of an answer is not repeated`() throws {
        try withWorld { world in
            #expect(world.load("/ok").status == 200)
            #expect(world.load("/truncated").code?.rawValue == -1005)
            #expect(world.server.statistics.requests == 2)
        }
    }

    @Test func `kept connections can be closed by hand`() throws {
        try withWorld { world in
            #expect(world.load("/ok").status == 200)
            _ = world.thread.sync { TransportTable.closeIdleConnections() }
            #expect(world.serverSeesTheClose())
            #expect(world.load("/ok").status == 200)
            #expect(world.server.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func `closing kept connections leaves those in use`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(world.request("/gate/used"), recorder)
            #expect(world.server.waitUntilReached("used"))
            _ = world.thread.sync { TransportTable.closeIdleConnections() }
            world.server.release("used")
            #expect(recorder.atEnd().text == "passed used")
        }
    }

    @Test func `two hundred connections at once on one thread all end well`() throws {
        try withWorld { world in
            let recorders = (0..<200).map { _ in Recorder() }
            for recorder in recorders {
                world.thread.start(world.request("/gate/all"), recorder) {
                    $0.configuration.httpMaximumConnectionsPerHost = 200
                }
            }
            #expect(world.server.waitUntilReached("all", count: 200, timeout: patience))
            #expect(world.server.statistics.peakInFlight == 200)
            world.server.release("all")
            for recorder in recorders {
                let heard = recorder.atEnd()
                #expect(heard.text == "passed all")
                #expect(heard.ends == 1)
            }
        }
    }

    @Test func `a hundred loads in a row, each started in the end of the one before`() throws {
        try withWorld { world in
            let recorders = (0..<100).map { _ in Recorder() }
            let request = world.request("/ok")
            for (index, recorder) in recorders.enumerated() where index + 1 < recorders.count {
                let next = recorders[index + 1]
                recorder.onCall = { call, _ in
                    guard call == .finish else { return }
                    next.thread = Thread.current
                    next.connection = URLConnection(request: request, delegate: next)
                }
            }
            world.thread.start(request, recorders[0])
            #expect(recorders[99].atEnd().text == "hello world")
            #expect(Set(world.server.requests.map(\.connection)) == [1])
        }
    }
}
