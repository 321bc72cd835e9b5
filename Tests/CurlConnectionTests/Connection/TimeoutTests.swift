import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@Suite("Time-outs", .timeLimit(.minutes(5)))
struct TimeoutTests {
    private func request(_ fixture: Fixture, _ path: String, _ limit: TimeInterval) -> URLRequest {
        var request = fixture.request(path)
        request.timeoutInterval = limit
        return request
    }

    @Test func `an answer that stops coming is -1001 wherever it stops`() throws {
        try withFixture { fixture in
            // All at once, so that the test lasts one limit
            let recorders = ["/hang", "/hang-headers", "/hang-body"].map { path in
                let recorder = Recorder()
                fixture.thread.start(request(fixture, path, 1), recorder)
                return recorder
            }
            let heard = recorders.map { $0.atEnd() }
            #expect(heard.map(\.code?.rawValue) == [-1001, -1001, -1001])
            #expect(heard.map(\.ends) == [1, 1, 1])
            #expect(heard.map(\.order.count) == [2, 2, 4])
            #expect(heard[2].data.count == 100)
            #expect(fixture.serverSeesTheClose())
        }
    }

    @Test func `an upload that is not read is -1001`() throws {
        try withFixture { fixture in
            var request = request(fixture, "/unread", 1)
            request.httpMethod = "POST"
            request.httpBody = Data(count: 50_000_000)
            let heard = fixture.load(request)
            #expect(heard.code == .timedOut)
            #expect(heard.sentBytes < 50_000_000)
        }
    }

    @Test func `a body stream that stays dry is -1001`() throws {
        try withFixture { fixture in
            var request = request(fixture, "/upload", 1)
            request.httpMethod = "POST"
            request.httpBodyStream = PiecesStream([Data("never".utf8)], allowed: 0)
            #expect(fixture.load(request).code == .timedOut)
        }
    }

    @Test func `a slow transfer that moves lives longer than its limit`() throws {
        try withFixture { fixture in
            let pieces = 6
            let head = ScriptedResponse.head(200, [("Content-Length", "\(pieces)")])
            fixture.server.add("/slow") { _ in
                ScriptedResponse(
                    [.bytes(head)]
                        + (0..<pieces).flatMap { _ -> [ScriptedResponse.Step] in
                            [.wait(gate: "slow"), .bytes(Data("x".utf8))]
                        })
            }
            let slow = Recorder()
            fixture.thread.start(request(fixture, "/slow", 2), slow)
            // When each piece comes after another connection's time-out, the test's clock
            for count in 1...pieces {
                #expect(fixture.load(request(fixture, "/hang", 0.5)).code == .timedOut)
                fixture.server.release("slow", count: 1)
                #expect(slow.wait { $0.data.count == count || $0.hasEnded })
            }
            // Then three seconds with a limit of two were no time-out
            #expect(slow.atEnd().text == "xxxxxx")
        }
    }

    @Test func `the limit for the whole load ends one that moves`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            fixture.thread.start(
                request(fixture, "/rate/1000000000?bps=100000", 60), recorder
            ) { $0.timeoutIntervalForResource = 0.5 }
            let heard = recorder.atEnd()
            #expect(heard.code == .timedOut)
            #expect(heard.order == [.willSend, .response, .data, .fail])
            #expect(fixture.serverSeesTheClose())
        }
    }

    @Test func `the limit for the whole load spans redirects`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            fixture.thread.start(request(fixture, "/redirect?to=/hang", 60), recorder) {
                $0.timeoutIntervalForResource = 0.5
            }
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test(arguments: [0, -1, 1e7, 1e9, .infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func `any limit is one a request can be sent with`(limit: TimeInterval) throws {
        try withFixture { fixture in
            let recorder = Recorder()
            fixture.thread.start(request(fixture, "/ok", limit), recorder) {
                $0.timeoutIntervalForResource = limit
            }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `a consumer that takes nothing is -1001`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            recorder.onNotConsumed = { 1 }
            let heard = fixture.load(request(fixture, "/bytes/1000000", 1), recorder)
            #expect(heard.code == .timedOut)
            #expect(heard.ends == 1)
        }
    }

    @Test func `a time-out comes while the thread has nothing else to do`() throws {
        try withFixture { fixture in
            // Given that connections before it have come and gone
            for _ in 0..<3 { #expect(fixture.load("/ok").status == 200) }
            #expect(fixture.load(request(fixture, "/hang", 0.3)).code == .timedOut)
            #expect(fixture.load("/ok").status == 200)
            #expect(fixture.load(request(fixture, "/hang", 0.3)).code == .timedOut)
        }
    }
}
