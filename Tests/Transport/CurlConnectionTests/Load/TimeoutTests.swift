import CurlConnection
import TestSupport

@Suite("Time-outs", .timeLimit(.minutes(5)))
struct TimeoutTests {
    private let clock = TurnableClock()

    private func request(_ world: TestWorld, _ path: String, _ limit: TimeInterval) -> URLRequest {
        var request = world.request(path)
        request.timeoutInterval = limit
        return request
    }

    @Test func `an answer that stops coming is -1001 wherever it stops`() throws {
        try withWorld { world in
            let recorders = ["/hang", "/hang-headers", "/hang-body"].map { path in
                let recorder = Recorder()
                world.start(request(world, path, 60), recorder, by: clock)
                return recorder
            }
            #expect(world.serverHas(3) && recorders[2].wait { $0.data.count == 100 })
            world.turn(clock, by: 59.9)
            #expect(!recorders.contains { $0.heard.hasEnded })
            world.turn(clock, by: 0.1)
            let heard = recorders.map { $0.atEnd() }
            #expect(heard.map(\.code?.rawValue) == [-1001, -1001, -1001])
            #expect(heard.map(\.ends) == [1, 1, 1])
            #expect(heard.map(\.order.count) == [2, 2, 4])
            #expect(heard[2].data.count == 100)
            #expect(world.serverSeesTheClose())
        }
    }

    @Test func `an upload that is not read is -1001`() throws {
        try withWorld { world in
            var request = request(world, "/unread", 60)
            request.httpMethod = "POST"
            request.httpBody = Data(count: 50_000_000)
            let recorder = Recorder()
            world.start(request, recorder, by: clock)
            #expect(recorder.wait { $0.sentBytes > 0 } && world.serverHas(1))
            world.turn(clock, by: 61)
            let heard = recorder.atEnd()
            #expect(heard.code == .timedOut)
            #expect(heard.sentBytes < 50_000_000)
        }
    }

    @Test func `a body stream that stays dry is -1001`() throws {
        try withWorld { world in
            var request = request(world, "/upload", 60)
            request.httpMethod = "POST"
            request.httpBodyStream = PiecesStream([Data("never".utf8)], allowed: 0)
            let recorder = Recorder()
            world.start(request, recorder, by: clock)
            #expect(world.serverHas(1))
            world.turn(clock, by: 61)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test func `a slow transfer that moves lives longer than its limit`() throws {
        try withWorld { world in
            let pieces = 6
            let head = ScriptedResponse.head(200, [("Content-Length", "\(pieces)")])
            world.server.add("/slow") { _ in
                ScriptedResponse(
                    [.bytes(head)]
                        + (0..<pieces).flatMap { _ -> [ScriptedResponse.Step] in
                            [.wait(gate: "slow"), .bytes(Data("x".utf8))]
                        })
            }
            let slow = Recorder()
            world.start(request(world, "/slow", 60), slow, by: clock)
            #expect(slow.wait { $0.count(.response) == 1 })
            for count in 1...pieces {
                world.turn(clock, by: 50)
                world.server.release("slow", count: 1)
                #expect(slow.wait { $0.data.count == count || $0.hasEnded })
            }
            // Then five minutes with a limit of one were no time-out
            #expect(slow.atEnd().text == "xxxxxx")
        }
    }

    @Test func `the limit for the whole load ends one that moves`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.start(
                request(world, "/rate/1000000000?bps=100000", 60), recorder, by: clock
            ) { $0.timeoutIntervalForResource = 50 }
            #expect(recorder.wait { !$0.data.isEmpty })
            world.turn(clock, by: 50)
            let heard = recorder.atEnd()
            #expect(heard.code == .timedOut)
            #expect(heard.order == [.willSend, .response, .data, .fail])
            #expect(world.serverSeesTheClose())
        }
    }

    @Test func `the limit for the whole load spans redirects`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.server.add("/away") { _ in
                .status(302, headers: [("Location", "/hang")]).after(.wait(gate: "away"))
            }
            world.start(request(world, "/away", 60), recorder, by: clock) {
                $0.timeoutIntervalForResource = 50
            }
            #expect(world.serverHas(1))
            world.turn(clock, by: 30)
            world.server.release("away")
            #expect(recorder.wait { $0.count(.willSendRedirect) == 1 } && world.serverHas(1))
            #expect(!recorder.heard.hasEnded)
            world.turn(clock, by: 20)
            #expect(recorder.atEnd().code == .timedOut)
        }
    }

    @Test(arguments: [0, -1, 1e7, 1e9, .infinity, .greatestFiniteMagnitude] as [TimeInterval])
    func `any limit is one a request can be sent with`(limit: TimeInterval) throws {
        try withWorld { world in
            let recorder = Recorder()
            world.thread.start(request(world, "/ok", limit), recorder) {
                $0.timeoutIntervalForResource = limit
            }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `a consumer that takes nothing is -1001`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNotConsumed = { 1 }
            world.start(request(world, "/bytes/1000000", 60), recorder, by: clock)
            #expect(recorder.wait { $0.count(.notConsumed) > 0 })
            world.turn(clock, by: 61)
            let heard = recorder.atEnd()
            #expect(heard.code == .timedOut)
            #expect(heard.ends == 1)
        }
    }

    /// libcurl takes at once what the socket has, and then nothing for 20 seconds.
    @Test func `a limit for the rate is not the server's idleness, either way`() throws {
        try withWorld { world in
            let head = ScriptedResponse.head(200, [("Content-Length", "1000000")])
            world.server.add("/burst") { _ in
                ScriptedResponse([.bytes(head + Data(count: 20_000)), .stall])
            }
            let down = Recorder()
            world.start(request(world, "/burst", 5), down, by: clock) {
                $0.configuration.maximumReceiveRate = 1_000
            }
            #expect(down.wait { $0.data.count > 2_000 })
            var upload = request(world, "/unread", 5)
            upload.httpMethod = "POST"
            upload.httpBody = Data(count: 50_000_000)
            let up = Recorder()
            world.start(upload, up, by: clock) { $0.configuration.maximumSendRate = 1_000 }
            #expect(up.wait { $0.sentBytes > 2_000 })
            world.thread.settle()
            let owed = min(
                Double(down.heard.data.count) / 1_000, Double(up.heard.sentBytes) / 1_000)
            world.turn(clock, by: owed + 4)
            #expect(!down.heard.hasEnded && !up.heard.hasEnded)
            world.turn(clock, by: 10_000)
            #expect(down.atEnd().code == .timedOut)
            #expect(up.atEnd().code == .timedOut)
        }
    }

    @Test func `a time-out comes while the thread has nothing else to do`() throws {
        try withWorld { world in
            // Given that connections before it have come and gone
            for _ in 0..<3 { #expect(world.load("/ok").status == 200) }
            #expect(world.load(request(world, "/hang", 0.3)).code == .timedOut)
            #expect(world.load("/ok").status == 200)
            #expect(world.load(request(world, "/hang", 0.3)).code == .timedOut)
        }
    }
}
