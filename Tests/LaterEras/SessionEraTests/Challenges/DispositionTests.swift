import OperationNetworking
import SessionEra
import TestSupport

@Suite("Dispositions and body streams: UM-21, UM-22", .timeLimit(.minutes(1)))
struct DispositionTests {
    private let world = TestWorld.sessions()

    private let credential = URLCredential(
        user: "user", password: "pass", persistence: .none)

    @Test func `UM-21 allow goes on, cancel cancels`() async {
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .allow }
        #expect(await world.data("/ok").text == "hello world")
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let cancelled = await world.data("/bytes/100000")
        #expect((cancelled.error as? URLError)?.code == .cancelled)
        #expect(cancelled.object == nil)
    }

    @Test func `UM-22 a stream block that gives none fails the task, and no empty body is sent`()
        async
    {
        world.manager.setTaskNeedNewBodyStreamBlock { _, _ in nil }
        for length in [nil, "4"] {
            var request = world.request("/upload", "POST")
            request.setValue(length, forHTTPHeaderField: "Content-Length")
            let outcome = await world.outcome { [request] in
                world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
            #expect(outcome.code == URLError.Code.requestBodyStreamExhausted.rawValue)
        }
        #expect(world.server.requests.isEmpty)
    }

    @Test func `UM-22 the stream block is asked again when a body must be sent again`() async {
        let asked = Log<Bool>()
        world.manager.setTaskNeedNewBodyStreamBlock { _, _ in
            asked.add(true)
            return InputStream(data: Data("body".utf8))
        }
        world.manager.setAuthenticationChallengeHandler { [credential] _, _, challenge, _ in
            challenge.previousFailureCount == 0 ? .use(credential) : .cancel
        }
        let outcome = await world.outcome {
            world.manager.uploadTask(
                withStreamedRequest: world.request("/basic?user=user&pass=pass", "POST"),
                completionHandler: $0)
        }
        #expect(outcome.text == "authorized")
        #expect(asked.all.count >= 2)
        #expect(world.server.requests.last?.body == Data("body".utf8))
    }
}
