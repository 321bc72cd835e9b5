import OperationNetworking
import SessionEra
import TestSupport

@Suite("Dispositions and body streams: UM-21, UM-22", .timeLimit(.minutes(1)))
struct DispositionTests {
    private let world = TestWorld(.connection)

    private let credential = URLCredential(
        user: "user", password: "pass", persistence: .none)

    @Test(arguments: SessionTransport.both)
    func `UM-21 allow goes on, cancel cancels, Foundation's download is refused clearly`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .allow }
        #expect(await world.data("/ok").text == "hello world")
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let cancelled = await world.data("/bytes/100000")
        #expect((cancelled.error as? URLError)?.code == .cancelled)
        #expect(cancelled.object == nil)
        // By its number, since Foundation warns of the name on Linux.
        let becomeDownload = URLSession.ResponseDisposition(rawValue: 2)
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload ?? .allow }
        if transport == .foundation {
            let outcome = await world.data("/ok")
            #expect(outcome.error as? SessionError == .cannotBecomeDownload)
        }
    }

    @Test(arguments: SessionTransport.both)
    func `UM-22 a stream block that gives none fails the task, and no empty body is sent`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
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

    @Test(arguments: SessionTransport.both)
    func `UM-22 the stream block is asked again when a body must be sent again`(
        _ transport: SessionTransport
    ) async {
        world.use(transport)
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
