import CurlConnection
import TestSupport

@Suite("Questions and stored responses of suspended loads", .timeLimit(.minutes(5)))
struct SuspendedQuestionTests: Suspending {
    @Test(arguments: [Decider.Question.redirect, .response, .stream, .cache])
    func `an answer is kept until the load is resumed`(question: Decider.Question) throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            let decider = Decider(late: question)
            var request = world.request(
                [.redirect: "/redirect", .stream: "/redirect?to=/upload&status=307"][question]
                    ?? "/kept")
            if question == .stream {
                request.httpMethod = "PUT"
                request.httpBodyStream = PiecesStream([Data("once".utf8)])
            }
            world.thread.start(request, decider) { $0.configuration.responseCache = cache }
            #expect(decider.isCalled(question))
            suspend(decider.recorder, world)
            let calls = decider.heard.calls
            decider.goOn()
            #expect(world.load("/bytes/100000").data.count == 100_000)
            world.thread.settle()
            #expect(decider.heard.calls == calls)
            #expect(world.server.requests.count == 2)
            resume(decider.recorder, world)
            #expect(decider.recorder.atEnd().order.last == .finish)
            #expect(decider.heard.ends == 1)
        }
    }

    @Test func `an answered challenge sends nothing until the load is resumed`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let asked = Box<URLAuthenticationChallenge>()
            recorder.onChallenge = { asked.value = $0 }
            world.thread.start(world.request("/basic"), recorder) {
                $0.configuration.credentialStorage = nil
            }
            #expect(recorder.wait { $0.count(.challenge) == 1 })
            suspend(recorder, world)
            let challenge = try #require(asked.value)
            challenge.sender?.use(
                URLCredential(user: "user", password: "pass", persistence: .none), for: challenge)
            world.thread.settle()
            #expect(world.server.requests.count == 1)
            #expect(recorder.heard.order == [.willSend, .challenge])
            resume(recorder, world)
            #expect(recorder.atEnd().order.last == .finish)
            #expect(world.server.requests.count == 2)
        }
    }

    @Test(arguments: [Call.willSend, .response, .data])
    func `a stored response rests too`(call: Call) throws {
        try withWorld { world in
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            let first = Recorder()
            world.thread.start(world.request("/kept"), first) {
                $0.configuration.responseCache = cache
            }
            #expect(first.atEnd().text == "kept")
            let recorder = suspending(at: call)
            world.thread.start(world.request("/kept"), recorder) {
                $0.configuration.responseCache = cache
            }
            #expect(recorder.wait { $0.count(call) == 1 })
            world.thread.settle()
            #expect(recorder.heard.order.last == call)
            resume(recorder, world)
            #expect(recorder.atEnd().order == [.willSend, .response, .data, .finish])
            #expect(recorder.heard.text == "kept")
            #expect(world.server.requests.count == 1)
        }
    }

    @Test func `a server that was judged while the load was suspended gets its request later`()
        throws
    {
        try withSecureWorld { world in
            let recorder = Recorder()
            recorder.onChallenge = {
                if recorder.heard.count(.challenge) == 1 { recorder.connection?.suspend() }
                $0.acceptPeer()
            }
            world.start(recorder)
            #expect(recorder.wait { $0.count(.challenge) == 1 })
            world.thread.settle()
            #expect(world.server.statistics.requests == 0)
            _ = world.thread.sync { recorder.connection?.resume() }
            #expect(recorder.atEnd().text == "hello world")
            #expect(world.server.statistics.requests == 1)
        }
    }
}
