import CurlConnection
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Loads that a class of protocolClasses takes", .timeLimit(.minutes(1)))
struct ProtocolClassTests {
    private let world: TestWorld
    /// A path of this test's own.
    private let path = "/\(UUID().uuidString)"

    init() throws {
        world = TestWorld.requests {
            $0.protocolClasses =
                [ScriptedProtocol.self, OtherScriptedProtocol.self] + ($0.protocolClasses ?? [])
            $0.httpAdditionalHeaders = ["X-Session": "1"]
        }
        world.server.add(path) { _ in .text("from the network") }
    }

    private func script(
        _ path: String? = nil, stop: @escaping @Sendable (ScriptedProtocol) -> Void = { _ in },
        start: @escaping @Sendable (ScriptedProtocol) -> Void
    ) {
        ScriptedProtocol.add(path ?? self.path, .init(start: start, stop: stop))
    }

    @Test func `its response and its pieces are the request's, and nothing goes out`() async {
        script {
            $0.respond(201, ["X-Mock": "1", "Content-Type": "text/plain"])
            for piece in ["a", "b", "", "c"] { $0.load(piece) }
            $0.finish()
        }
        let pieces = Locked<[String]>([])
        let streamed = world.get(path).stream { data in
            pieces.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }
        #expect(await streamed.ended().response?.statusCode == 201)
        #expect(pieces.withLock { $0 }.joined() == "abc")
        let answer = await world.get(path).string()
        #expect(answer.value == "abc")
        #expect(answer.response?.value(forHTTPHeaderField: "X-Mock") == "1")
        #expect(world.server.requests.isEmpty)
    }

    @Test func `its error is the request's as it is`() async {
        struct Refusal: Error {}
        script { $0.fail(URLError(.notConnectedToInternet)) }
        let offline = await world.get(path).ended().error as? URLError
        #expect(offline?.code == .notConnectedToInternet)
        script {
            $0.respond()
            $0.load("half")
            $0.fail(Refusal())
        }
        let answer = await world.get(path).ended()
        #expect(answer.error is Refusal)
        #expect(answer.response?.statusCode == 200)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a redirect of its own is followed, by a class or on the network`() async {
        world.server.add("/away") { _ in .text("network") }
        let (away, second) = (world.address("/away"), world.address(path + "/2"))
        script { $0.redirect(to: second) }
        script(path + "/2") { $0.redirect(to: away) }
        let answer = await world.get(path).string()
        #expect(answer.value == "network")
        #expect(answer.response?.url?.path == "/away")
        #expect(world.server.requests.map(\.path) == ["/away"])
    }

    @Test func `a redirect that the delegate refuses is the response`() async {
        let (away, stops) = (world.address("/away"), Locked(0))
        script(stop: { _ in stops.withLock { $0 += 1 } }) { $0.redirect(to: away) }
        world.delegate.taskWillPerformHTTPRedirection = { _, _, _, _ in nil }
        let answer = await world.get(path).ended()
        #expect(answer.response?.statusCode == 302 && answer.error == nil)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a redirect without an end is one too many`() async {
        let own = world.address(path)
        script { $0.redirect(to: own) }
        let error = await world.get(path).ended().error as? URLError
        #expect(error?.code == .httpTooManyRedirects)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a cancel stops it, and what it loads afterwards is not heard`() async {
        let (started, stopped) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
        script(stop: {
            $0.load("late")
            $0.finish()
            stopped.continuation.yield()
        }) {
            $0.respond()
            started.continuation.yield()
        }
        let request = world.get(path)
        var starts = started.stream.makeAsyncIterator()
        await starts.next()
        request.cancel()
        let answer = await request.ended()
        #expect((answer.error as? URLError)?.code == .cancelled)
        var stops = stopped.stream.makeAsyncIterator()
        await stops.next()
        #expect(answer.data?.isEmpty != false)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `the first whose canInit says yes is the one, else the network`() async {
        let other = path + "/other"
        ScriptedProtocol.add(other, .init(isTaken: false))
        #expect(await world.get(other).ended().response?.statusCode == 203)
        #expect(await world.get("/get").ended().response?.statusCode == 200)
        script {
            $0.respond(204)
            $0.finish()
        }
        #expect(await world.get(path).ended().response?.statusCode == 204)
        let asked = ScriptedProtocol.asked.withLock { $0 }.filter { $0.contains(path) }
        #expect(
            asked == [
                "ScriptedProtocol \(other)", "OtherScriptedProtocol \(other)",
                "ScriptedProtocol \(path)",
            ])
        #expect(world.server.requests.map(\.path) == ["/get"])
    }

    @Test func `a configuration of connections has its own before the session's`() async {
        var connection = URLConnectionConfiguration()
        connection.protocolClasses = [OtherScriptedProtocol.self]
        world.manager.connectionConfiguration = connection
        for path in [path, path + "/other"] {
            script(path) {
                $0.respond(201)
                $0.finish()
            }
        }
        #expect(await world.get(path + "/other").ended().response?.statusCode == 203)
        #expect(await world.get(path).ended().response?.statusCode == 201)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `it sees the request as the session would send it, with its body`() async throws {
        let seen = Locked<[String]>([])
        script { loading in
            let request = loading.request
            var body = request.httpBody ?? Data()
            if let stream = request.httpBodyStream { body += stream.all() }
            let fields = ["X-Canonical", "X-Session", "X-Own"].map {
                request.value(forHTTPHeaderField: $0) ?? "-"
            }
            let line = [request.httpMethod ?? ""] + fields + [String(decoding: body, as: UTF8.self)]
            seen.withLock { $0.append(line.joined(separator: " ")) }
            loading.respond()
            loading.finish()
        }
        let scratch = TemporaryFolder()
        let file = try scratch.write("body", Data("file".utf8))
        let headers = ["X-Own": "2"]
        let url = world.address(path)
        _ = await world.manager.upload(Data("bytes".utf8), to: url, headers: headers).ended()
        _ = await world.manager.upload(file, to: url, headers: headers).ended()
        let stream = InputStream(data: Data("stream".utf8))
        _ = await world.manager.upload(stream, to: url, headers: headers).ended()
        #expect(
            seen.withLock { $0 } == ["bytes", "file", "stream"].map { "POST yes 1 2 \($0)" })
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a download has its bytes in a file`() async throws {
        script {
            $0.respond()
            $0.load("in a ")
            $0.load("file")
            $0.finish()
        }
        let answer = await world.manager.download(world.address(path)).ended()
        let file = try #require(answer.temporaryURL)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try Data(contentsOf: file) == Data("in a file".utf8))
        #expect(world.server.requests.isEmpty)
    }

    @Test func `bytes before the response are not lost, and no response is an error`() async {
        script {
            $0.load("early")
            $0.respond()
            $0.finish()
        }
        #expect(await world.get(path).string().value == "early")
        script { $0.finish() }
        let error = await world.get(path).ended().error as? URLError
        #expect(error?.code == .badServerResponse)
        #expect(error?.localizedDescription.contains("ScriptedProtocol") == true)
        #expect(world.server.requests.isEmpty)
    }

    @Test func `one that does nothing is timed out and stopped`() async {
        let stopped = AsyncStream<Void>.makeStream()
        script(stop: { _ in stopped.continuation.yield() }) { _ in }
        var request = URLRequest(url: world.server.url(path))
        request.timeoutInterval = 0.2
        let error = await world.manager.request(request).ended().error as? URLError
        #expect(error?.code == .timedOut)
        var stops = stopped.stream.makeAsyncIterator()
        await stops.next()
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a suspended request hears nothing until it is resumed`() async {
        let started = AsyncStream<Given<ScriptedProtocol>>.makeStream()
        script { started.continuation.yield(Given(value: $0)) }
        let pieces = Locked<[String]>([])
        let request = world.get(path).stream { data in
            pieces.withLock { $0.append(String(decoding: data, as: UTF8.self)) }
        }
        var starts = started.stream.makeAsyncIterator()
        let loading = await starts.next()?.value
        request.suspend()
        // The network thread has heard of the suspension by the end of another request.
        _ = await world.get("/get").ended()
        loading?.respond()
        loading?.load("kept")
        loading?.finish()
        _ = await world.get("/get").ended()
        #expect(pieces.withLock { $0 }.isEmpty)
        request.resume()
        #expect(await request.ended().response?.statusCode == 200)
        #expect(pieces.withLock { $0 } == ["kept"])
        #expect(world.server.requests.map(\.path) == ["/get", "/get"])
    }
}

extension InputStream {
    /// All its bytes, read here.
    fileprivate func all() -> Data {
        open()
        defer { close() }
        var (data, buffer) = (Data(), [UInt8](repeating: 0, count: 4_096))
        while case let count = read(&buffer, maxLength: 4_096), count > 0 {
            data.append(contentsOf: buffer.prefix(count))
        }
        return data
    }
}
