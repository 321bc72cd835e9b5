import CurlConnection
import TestSupport

@Suite("One load from start to end", .timeLimit(.minutes(5)))
struct LoadTests {
    @Test func `a delegate hears of an answer in order and ends once`() throws {
        try withWorld { world in
            let heard = world.load("/ok")
            world.thread.settle()
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.ends == 1)
            #expect(heard.text == "hello world")
            #expect(heard.status == 200)
            #expect(heard.responses.first?.url == world.server.url("/ok"))
            #expect(heard.responses.first?.expectedContentLength == 11)
            #expect(!heard.wasOutsideItsThread)
        }
    }

    @Test func `a host that is a name is loaded as a number is`() throws {
        try withWorld { world in
            for _ in 0..<3 {
                var request = URLRequest(url: world.server.url("/ok"))
                request.url = URL(string: "http://localhost:\(world.server.port)/ok")
                request.timeoutInterval = 5
                #expect(world.load(request).text == "hello world")
                _ = world.thread.sync { TransportTable.closeAll() }
            }
        }
    }

    @Test func `without a delegate a request is sent and redirects are followed`() throws {
        try withWorld { world in
            let request = world.request("/redirect-chain?n=2")
            _ = world.thread.sync { _ = URLConnection(request: request, delegate: nil) }
            #expect(
                world.server.waitUntil(timeout: patience) { statistics, log in
                    log.last?.path == "/ok" && statistics.inFlight == 0
                })
            #expect(world.server.statistics.requests == 3)
        }
    }

    @Test func `a delegate that implements nothing gets every default`() throws {
        final class Silent: URLConnectionDelegate {}
        try withWorld { world in
            for path in ["/redirect", "/basic", "/bytes/300000", "/truncated"] {
                let request = world.request(path)
                _ = world.thread.sync { _ = URLConnection(request: request, delegate: Silent()) }
            }
            #expect(
                world.server.waitUntil(timeout: patience) { statistics, log in
                    log.count == 5 && statistics.inFlight == 0
                })
        }
    }

    @Test func `a delegate that blocks the thread only delays the others`() throws {
        try withWorld { world in
            // Given a call that holds the thread until the server has sent another's answer
            let server = world.server
            let first = Recorder()
            let second = Recorder()
            first.onCall = { call, _ in
                guard call == .response else { return }
                server.release("blocked")
                _ = server.waitUntil(timeout: patience) { statistics, log in
                    log.count == 2 && statistics.inFlight == 0
                }
            }
            world.thread.start(world.request("/gate/blocked"), second)
            #expect(server.waitUntilReached("blocked"))
            #expect(world.load(world.request("/ok"), first).text == "hello world")
            #expect(second.atEnd().text == "passed blocked")
        }
    }
}
