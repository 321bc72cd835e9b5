import CurlConnection
import TestSupport

@Suite("One load from start to end", .timeLimit(.minutes(5)))
struct LoadTests {
    @Test func `a delegate hears of an answer in order and ends once`() throws {
        try withFixture { fixture in
            let heard = fixture.load("/ok")
            fixture.thread.settle()
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.ends == 1)
            #expect(heard.text == "hello world")
            #expect(heard.status == 200)
            #expect(heard.responses.first?.url == fixture.server.url("/ok"))
            #expect(heard.responses.first?.expectedContentLength == 11)
            #expect(!heard.wasOutsideItsThread)
        }
    }

    @Test func `a host that is a name is loaded as a number is`() throws {
        try withFixture { fixture in
            for _ in 0..<3 {
                var request = URLRequest(url: fixture.server.url("/ok"))
                request.url = URL(string: "http://localhost:\(fixture.server.port)/ok")
                request.timeoutInterval = 5
                #expect(fixture.load(request).text == "hello world")
                _ = fixture.thread.sync { TransportTable.closeAll() }
            }
        }
    }

    @Test func `without a delegate a request is sent and redirects are followed`() throws {
        try withFixture { fixture in
            let request = fixture.request("/redirect-chain?n=2")
            _ = fixture.thread.sync { _ = URLConnection(request: request, delegate: nil) }
            #expect(
                fixture.server.waitUntil(timeout: patience) { statistics, log in
                    log.last?.path == "/ok" && statistics.inFlight == 0
                })
            #expect(fixture.server.statistics.requests == 3)
        }
    }

    @Test func `a delegate that implements nothing gets every default`() throws {
        final class Silent: URLConnectionDelegate {}
        try withFixture { fixture in
            for path in ["/redirect", "/basic", "/bytes/300000", "/truncated"] {
                let request = fixture.request(path)
                _ = fixture.thread.sync { _ = URLConnection(request: request, delegate: Silent()) }
            }
            #expect(
                fixture.server.waitUntil(timeout: patience) { statistics, log in
                    log.count == 5 && statistics.inFlight == 0
                })
        }
    }

    @Test func `a delegate that blocks the thread only delays the others`() throws {
        try withFixture { fixture in
            // Given a call that holds the thread until the server has sent another's answer
            let server = fixture.server
            let first = Recorder()
            let second = Recorder()
            first.onCall = { call, _ in
                guard call == .response else { return }
                server.release("blocked")
                _ = server.waitUntil(timeout: patience) { statistics, log in
                    log.count == 2 && statistics.inFlight == 0
                }
            }
            fixture.thread.start(fixture.request("/gate/blocked"), second)
            #expect(server.waitUntilReached("blocked"))
            #expect(fixture.load(fixture.request("/ok"), first).text == "hello world")
            #expect(second.atEnd().text == "passed blocked")
        }
    }
}
