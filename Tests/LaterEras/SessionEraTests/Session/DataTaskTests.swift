import OperationNetworking
import SessionEra
import TestSupport

@Suite("Data and upload tasks: UM-04, UM-05, LX-04, LX-05", .timeLimit(.minutes(1)))
struct DataTaskTests {
    private let world = TestWorld.sessions()

    @Test func `UM-04.1 a task is made suspended, and no byte is sent before it is resumed`() async
    {
        let task = world.manager.dataTask(with: world.request("/ok"))
        #expect(task.state == .suspended)
        #expect(await world.data("/json").status == 200)
        #expect(world.server.requests.map(\.path) == ["/json"])
        task.cancel()
    }

    @Test func `UM-04.2 a body of many pieces comes whole and in order`()
        async
    {
        let size: Int64 = 2_000_000
        let outcome = await world.data("/bytes/\(size)?seed=7")
        #expect(outcome.data == GeneratedBytes.bytes(seed: 7, range: 0..<size))
    }

    @Test func `UM-04.3 completion comes once, with response, object and no error`() async {
        let (task, log) = world.dataTask(world.request("/ok"))
        task.resume()
        task.resume()
        #expect(await log.reaches(1))
        task.cancel()
        #expect(await world.data("/json").status == 200)
        #expect(log.all.count == 1)
        #expect(log.all.first?.text == "hello world")
        #expect(log.all.first?.error == nil)
        #expect(task.state == .completed)
    }

    @Test func `UM-04.4 on an error the object is nil, and the response too where there is none`()
        async
    {
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        let outcome = await world.data("/reset")
        #expect(outcome.error is URLError)
        #expect(outcome.object == nil)
        #expect(outcome.response == nil)
    }

    @Test func `UM-04.5 what a completion handler holds is let go of after the end`() async {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let strong = Held()
            held = strong
            _ = await world.outcome { handler in
                world.manager.dataTask(
                    with: world.request("/ok"),
                    completionHandler: { response, object, error in
                        handler(response, object, error)
                        _ = strong
                    })
            }
        }
        // The thread that handed the block to main may be about to let go of it still.
        for _ in 0..<10_000 where held != nil { await MainQueue.settle() }
        #expect(held == nil)
        #expect(world.manager.tasks.isEmpty)
    }

    @Test
    func `a request without a URL or with an unknown scheme fails and does not stop the process`()
        async throws
    {
        var request = world.request("/ok")
        request.url = nil
        #expect(await world.data(request).error is URLError)
        for text in ["nothing", "gopher://localhost/", "file:///etc/hosts", "http://"] {
            let outcome = await world.data(URLRequest(url: try #require(URL(string: text))))
            #expect(outcome.error is URLError, "\(text)")
        }
    }

    // MARK: - Uploads

    @Test func `UM-05 bytes and files arrive as they are, and the answer is the object`()
        async throws
    {
        let body = GeneratedBytes.bytes(seed: 3, range: 0..<300_000)
        let file = TestWorld.freshPlace()
        try body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = world.request("/upload", "POST")
        _ = await world.outcome {
            world.manager.uploadTask(with: request, from: body, completionHandler: $0)
        }
        _ = await world.outcome {
            world.manager.uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
        #expect(world.server.requests.map(\.body) == [body, body])
    }

    @Test func `UM-05.1 the manager's block gives the stream of a streamed upload`() async {
        world.manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data("block".utf8))
        }
        var request = world.request("/upload", "POST")
        request.httpBodyStream = InputStream(data: Data("request".utf8))
        let outcome = await streamed(request)
        #expect(outcome.status == 200)
        #expect(world.server.requests.first?.body == Data("block".utf8))
    }

    @Test
    func `UM-05.1 a multipart form's stream is copied, so that its request can be sent twice`()
        async throws
    {
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "POST", urlString: world.address("/upload"),
            parameters: ["a": "b"]
        ) { $0.appendPart(formData: Data(count: 100_000), name: "zeros") }
        _ = await streamed(request)
        _ = await streamed(request)
        let bodies = world.server.requests.map(\.body)
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
        #expect(bodies.first?.count ?? 0 > 100_000)
        #expect(
            world.server.requests.map { $0.headers["Content-Length"] }
                == bodies.map { "\($0.count)" })
    }

    @Test func `UM-05.1 any other stream is sent as it is`() async {
        let body = GeneratedBytes.bytes(seed: 5, range: 0..<100_000)
        var request = world.request("/upload", "POST")
        request.httpBodyStream = InputStream(data: body)
        #expect(await streamed(request).status == 200)
        #expect(world.server.requests.first?.body == body)
    }

    @Test func `a stream that another task has read is not sent as an empty one`() async {
        var request = world.request("/upload", "POST")
        request.httpBodyStream = InputStream(data: Data("body".utf8))
        #expect(await world.data(request).status == 200)
        let code = URLError.Code.requestBodyStreamExhausted.rawValue
        #expect(await world.data(request).code == code)
        #expect(await streamed(request).code == code)
        #expect(world.server.requests.map(\.bodyLength) == [4])
    }

    @Test func `UM-05.2 a file that is missing fails with its error and leaves no task`() async {
        let request = world.request("/upload", "POST")
        for place in [TestWorld.freshPlace(), world.server.url("/no-file")] {
            let outcome = await world.outcome {
                world.manager.uploadTask(with: request, fromFile: place, completionHandler: $0)
            }
            #expect((outcome.error as? URLError)?.code == .fileDoesNotExist)
        }
        #expect(world.manager.tasks.isEmpty)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a file that cannot be sent fails at once with an error that names it`() async throws
    {
        let manager = FileManager.default
        let request = world.request("/upload", "POST")
        let (gone, folder) = (TestWorld.freshPlace(), manager.temporaryDirectory)
        try Data("body".utf8).write(to: gone)
        let directory = await world.outcome {
            world.manager.uploadTask(with: request, fromFile: folder, completionHandler: $0)
        }
        #expect((directory.error as? URLError)?.code == .fileIsDirectory)
        #expect(directory.error?.localizedDescription.contains(folder.path) == true)
        let removed = await world.outcome {
            let task = world.manager.uploadTask(
                with: request, fromFile: gone, completionHandler: $0)
            try? manager.removeItem(at: gone)
            return task
        }
        #expect((removed.error as? URLError)?.code == .fileDoesNotExist)
        #expect(removed.error?.localizedDescription.contains(gone.path) == true)
        let pipe = TestWorld.freshPlace()
        #expect(mkfifo(pipe.path, 0o600) == 0)
        defer { unlink(pipe.path) }
        // It would be sent as empty, since a pipe has no size.
        let piped = await world.outcome {
            world.manager.uploadTask(with: request, fromFile: pipe, completionHandler: $0)
        }
        #expect((piped.error as? URLError)?.code == .cannotOpenFile)
        #expect(piped.error?.localizedDescription.contains(pipe.path) == true)
        #if os(Linux)
            // Its size is 0.
            let status = URL(fileURLWithPath: "/proc/self/status")
            let unsized = await world.outcome {
                world.manager.uploadTask(with: request, fromFile: status, completionHandler: $0)
            }
            #expect((unsized.error as? URLError)?.code == .cannotOpenFile)
            #expect(unsized.error?.localizedDescription.contains("no size") == true)
        #endif
        #expect(world.server.requests.isEmpty)
    }

    @Test func `an empty file is sent`() async throws {
        let place = TestWorld.freshPlace()
        try Data().write(to: place)
        defer { unlink(place.path) }
        let outcome = await world.outcome {
            world.manager.uploadTask(
                with: world.request("/upload", "POST"), fromFile: place,
                completionHandler: $0)
        }
        #expect(outcome.error == nil)
        #expect(world.server.requests.first?.body.isEmpty == true)
    }

    private func streamed(_ request: URLRequest) async -> Outcome {
        await world.outcome {
            world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
    }

    // MARK: - What Foundation delivers besides

    @Test func `LX-04 the body of a 401 is not joined to that of the second try`() async {
        world.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none)) : .cancel
        }
        let outcome = await world.data("/basic?user=user&pass=pass")
        #expect(outcome.text == "authorized")
        #expect(world.server.requests.count == 2)
    }

    @Test func `LX-05 an informational response is not the response`() async {
        let log = Log<Int>()
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            log.add((response as? HTTPURLResponse)?.statusCode ?? 0)
            return .allow
        }
        #expect(await world.data("/continue-unasked").status == 200)
        #expect(log.all == [200])
    }
}
