import OperationNetworking
import SessionEra
import TestSupport

@Suite("Data and upload tasks: UM-04, UM-05, LX-04, LX-05", .timeLimit(.minutes(1)))
struct DataTaskTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.1 a task is made suspended, and no byte is sent before it is resumed`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        let task = bench.manager.dataTask(with: bench.request("/ok"))
        #expect(task.state == .suspended)
        #expect(await bench.data("/json").status == 200)
        #expect(bench.server.requests.map(\.path) == ["/json"])
        task.cancel()
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.2 a body of many pieces comes whole and in order`(_ transport: SessionTransport)
        async
    {
        bench.use(transport)
        let size: Int64 = 2_000_000
        let outcome = await bench.data("/bytes/\(size)?seed=7")
        #expect(outcome.data == GeneratedBytes.bytes(seed: 7, range: 0..<size))
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.3 completion comes once, with response, object and no error`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        let log = Log<Bench.Outcome>()
        let task = bench.manager.dataTask(with: bench.request("/ok")) { response, object, error in
            log.add(
                Bench.Outcome(
                    response: response as? HTTPURLResponse, object: object, error: error))
        }
        task.resume()
        task.resume()
        #expect(await log.reaches(1))
        task.cancel()
        #expect(await bench.data("/json").status == 200)
        #expect(log.all.count == 1)
        #expect(log.all.first?.text == "hello world")
        #expect(log.all.first?.error == nil)
        #expect(task.state == .completed)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.4 on an error the object is nil, and the response too where there is none`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        bench.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let outcome = await bench.data("/reset")
        #expect(outcome.error is URLError)
        #expect(outcome.object == nil)
        #expect(outcome.response == nil)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.4 a body that is cut is an error and never an object`(_ transport: SessionTransport)
        async
    {
        bench.use(transport)
        let outcome = await bench.data("/truncated?length=1000&sent=100")
        #expect(outcome.error is URLError)
        #expect(outcome.object == nil)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-04.5 what a completion handler holds is let go of after the end`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let strong = Held()
            held = strong
            _ = await bench.outcome { handler in
                bench.manager.dataTask(
                    with: bench.request("/ok"),
                    completionHandler: { response, object, error in
                        handler(response, object, error)
                        _ = strong
                    })
            }
        }
        // The thread that handed the block to main may be about to let go of it still.
        for _ in 0..<10_000 where held != nil { await MainQueue.settle() }
        #expect(held == nil)
        #expect(bench.manager.tasks.isEmpty)
    }

    @Test(arguments: SessionTransport.both)
    func `a request without a URL or with an unknown scheme fails and does not stop the process`(
        _ transport: SessionTransport
    )
        async throws
    {
        bench.use(transport)
        var request = bench.request("/ok")
        request.url = nil
        #expect(await bench.data(request).error is URLError)
        for text in ["nothing", "gopher://localhost/", "file:///etc/hosts", "http://"] {
            let outcome = await bench.data(URLRequest(url: try #require(URL(string: text))))
            #expect(outcome.error is URLError, "\(text)")
        }
    }

    // MARK: - Uploads

    @Test(arguments: SessionTransport.both)
    func `UM-05 bytes and files arrive as they are, and the answer is the object`(
        _ transport: SessionTransport
    ) async throws {
        bench.use(transport)
        let body = GeneratedBytes.bytes(seed: 3, range: 0..<300_000)
        let file = Bench.freshPlace()
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = bench.request("/upload", method: "POST")
        _ = await bench.outcome {
            bench.manager.uploadTask(with: request, from: body, completionHandler: $0)
        }
        _ = await bench.outcome {
            bench.manager.uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
        #expect(bench.server.requests.map(\.body) == [body, body])
    }

    @Test(arguments: SessionTransport.both)
    func `UM-05.1 the manager's block gives the stream of a streamed upload`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        bench.manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data("block".utf8))
        }
        var request = bench.request("/upload", method: "POST")
        request.httpBodyStream = InputStream(data: Data("request".utf8))
        let outcome = await streamed(request)
        #expect(outcome.status == 200)
        #expect(bench.server.requests.first?.body == Data("block".utf8))
    }

    @Test(arguments: SessionTransport.both)
    func `UM-05.1 a multipart form's stream is copied, so that its request can be sent twice`(
        _ transport: SessionTransport
    )
        async throws
    {
        bench.use(transport)
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: bench.server.url("/upload").absoluteString,
            parameters: ["a": "b"]
        ) { $0.appendPart(formData: Data(count: 100_000), name: "zeros") }
        _ = await streamed(request)
        _ = await streamed(request)
        let bodies = bench.server.requests.map(\.body)
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
        #expect(bodies.first?.count ?? 0 > 100_000)
        #expect(
            bench.server.requests.map { $0.headers["Content-Length"] }
                == bodies.map { "\($0.count)" })
    }

    @Test(arguments: SessionTransport.both)
    func `UM-05.1 any other stream is sent as it is`(_ transport: SessionTransport) async {
        bench.use(transport)
        let body = GeneratedBytes.bytes(seed: 5, range: 0..<100_000)
        var request = bench.request("/upload", method: "POST")
        request.httpBodyStream = InputStream(data: body)
        #expect(await streamed(request).status == 200)
        #expect(bench.server.requests.first?.body == body)
    }

    @Test(arguments: SessionTransport.both)
    func `a stream that another task has read is not sent as an empty one`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        var request = bench.request("/upload", method: "POST")
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        #expect(await bench.data(request).status == 200)
        let code = URLError.Code.requestBodyStreamExhausted.rawValue
        #expect(await bench.data(request).code == code)
        #expect(await streamed(request).code == code)
        #expect(bench.server.requests.map(\.bodyLength) == [4])
    }

    @Test(arguments: SessionTransport.both)
    func `a throttled form arrives whole: Foundation takes a pause for the end`(
        _ transport: SessionTransport
    ) async throws {
        bench.use(transport)
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: bench.server.url("/upload").absoluteString, parameters: nil
        ) {
            $0.appendPart(formData: Data(count: 50_000), name: "zeros")
            $0.throttleBandwidth(packetSize: 10_000, delay: 0.01)
        }
        #expect(await streamed(request).status == 200)
        #expect(bench.server.requests.first?.bodyIsComplete == true)
        #expect(bench.server.requests.first?.bodyLength ?? 0 > 50_000)
    }

    @Test(arguments: SessionTransport.both)
    func `UM-05.2 a file that is missing fails with its error and leaves no task`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        let request = bench.request("/upload", method: "POST")
        for place in [Bench.freshPlace(), bench.server.url("/no-file")] {
            let outcome = await bench.outcome {
                bench.manager.uploadTask(with: request, fromFile: place, completionHandler: $0)
            }
            #expect((outcome.error as? URLError)?.code == .fileDoesNotExist)
        }
        #expect(bench.manager.tasks.isEmpty)
        #expect(bench.server.requests.isEmpty)
    }

    @Test(arguments: SessionTransport.both)
    func `a file that cannot be sent fails at once with an error that names it`(
        _ transport: SessionTransport
    ) async throws {
        bench.use(transport)
        let manager = FileManager.default
        let request = bench.request("/upload", method: "POST")
        let (gone, folder) = (Bench.freshPlace(), manager.temporaryDirectory)
        try Data("body".utf8).write(to: gone)
        let directory = await bench.outcome {
            bench.manager.uploadTask(with: request, fromFile: folder, completionHandler: $0)
        }
        #expect((directory.error as? URLError)?.code == .fileIsDirectory)
        #expect(directory.error?.localizedDescription.contains(folder.path) == true)
        let removed = await bench.outcome {
            let task = bench.manager.uploadTask(
                with: request, fromFile: gone, completionHandler: $0)
            try? manager.removeItem(at: gone)
            return task
        }
        #expect((removed.error as? URLError)?.code == .fileDoesNotExist)
        #expect(removed.error?.localizedDescription.contains(gone.path) == true)
        let pipe = Bench.freshPlace()
        #expect(mkfifo(pipe.path, 0o600) == 0)
        defer { unlink(pipe.path) }
        // It would be sent as empty, since a pipe has no size.
        let piped = await bench.outcome {
            bench.manager.uploadTask(with: request, fromFile: pipe, completionHandler: $0)
        }
        #expect((piped.error as? URLError)?.code == .cannotOpenFile)
        #expect(piped.error?.localizedDescription.contains(pipe.path) == true)
        #if os(Linux)
            // Its size is 0.
            let status = URL(fileURLWithPath: "/proc/self/status")
            let unsized = await bench.outcome {
                bench.manager.uploadTask(with: request, fromFile: status, completionHandler: $0)
            }
            #expect((unsized.error as? URLError)?.code == .cannotOpenFile)
            #expect(unsized.error?.localizedDescription.contains("no size") == true)
        #endif
        #expect(bench.server.requests.isEmpty)
    }

    @Test(arguments: SessionTransport.both)
    func `an empty file is sent`(_ transport: SessionTransport) async throws {
        bench.use(transport)
        let place = Bench.freshPlace()
        try Data().write(to: place)
        defer { unlink(place.path) }
        let outcome = await bench.outcome {
            bench.manager.uploadTask(
                with: bench.request("/upload", method: "POST"), fromFile: place,
                completionHandler: $0)
        }
        #expect(outcome.error == nil)
        #expect(bench.server.requests.first?.body.isEmpty == true)
    }

    private func streamed(_ request: URLRequest) async -> Bench.Outcome {
        await bench.outcome {
            bench.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
    }

    // MARK: - What Foundation delivers besides

    @Test(arguments: SessionTransport.both)
    func `LX-04 the body of a 401 is not joined to that of the second try`(
        _ transport: SessionTransport
    ) async {
        bench.use(transport)
        bench.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none)) : .cancel
        }
        let outcome = await bench.data("/basic?user=user&pass=pass")
        #expect(outcome.text == "authorized")
        #expect(bench.server.requests.count == 2)
    }

    @Test(arguments: SessionTransport.both)
    func `LX-05 an informational response is not the response`(_ transport: SessionTransport) async
    {
        bench.use(transport)
        let log = Log<Int>()
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            log.add((response as? HTTPURLResponse)?.statusCode ?? 0)
            return .allow
        }
        #expect(await bench.data("/continue-unasked").status == 200)
        #expect(log.all == [200])
    }
}
