import OperationNetworking
import SessionEra
import TestSupport

@Suite("Dispositions and body streams: UM-21, UM-22", .timeLimit(.minutes(1)))
struct DispositionTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    private let credential = URLCredential(
        user: "user", password: "pass", persistence: .none)

    @Test(arguments: SessionTransport.both)
    func `UM-21 allow goes on, cancel cancels, Foundation's download is refused clearly`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .allow }
        #expect(await bench.data("/ok").text == "hello world")
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        let cancelled = await bench.data("/bytes/100000")
        #expect((cancelled.error as? URLError)?.code == .cancelled)
        #expect(cancelled.object == nil)
        // By its number, since Foundation warns of the name on Linux.
        let becomeDownload = URLSession.ResponseDisposition(rawValue: 2)
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, _ in becomeDownload ?? .allow }
        if transport == .foundation {
            let outcome = await bench.data("/ok")
            #expect(outcome.error as? SessionError == .cannotBecomeDownload)
        }
    }

    @Test(arguments: SessionTransport.both)
    func `UM-22 a stream block that gives none fails the task, and no empty body is sent`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        bench.manager.setTaskNeedNewBodyStreamBlock { _, _ in nil }
        for length in [nil, "4"] {
            var request = bench.request("/upload", method: "POST")
            request.setValue(length, forHTTPHeaderField: "Content-Length")
            let outcome = await bench.outcome { [request] in
                bench.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
            }
            #expect(outcome.code == URLError.Code.requestBodyStreamExhausted.rawValue)
        }
        #expect(bench.server.requests.isEmpty)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-22 the stream block is asked again when a body must be sent again`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        let asked = Log<Bool>()
        bench.manager.setTaskNeedNewBodyStreamBlock { _, _ in
            asked.add(true)
            return InputStream(data: Data("body".utf8))
        }
        bench.manager.setAuthenticationChallengeHandler { [credential] _, _, challenge, _ in
            challenge.previousFailureCount == 0 ? .use(credential) : .cancel
        }
        let outcome = await bench.outcome {
            bench.manager.uploadTask(
                withStreamedRequest: bench.request(
                    "/basic?user=user&pass=pass", method: "POST"), completionHandler: $0)
        }
        #expect(outcome.text == "authorized")
        #expect(asked.all.count >= 2)
        #expect(bench.server.requests.last?.body == Data("body".utf8))
    }
}
