import CurlConnection
import TestSupport

@Suite("file: and data: addresses", .timeLimit(.minutes(5)))
struct LocalLoadTests {
    private func load(
        _ url: URL, in world: TestWorld, _ method: String = "GET",
        _ recorder: Recorder = Recorder(), isAllowed: Bool = true
    ) -> Heard {
        var request = URLRequest(url: url)
        request.httpMethod = method
        return world.load(request, recorder) {
            $0.configuration.loadsLocalAddresses = isAllowed
        }
    }

    private func bytes(_ count: Int) -> Data {
        Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
    }

    @Test(arguments: [0, 1, 65_536, 65_537, 1_000_000])
    func `a file comes as a response, its bytes and an end, on the connection's thread`(
        count: Int
    ) throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a b.json", bytes(count))
        try withWorld { world in
            let recorder = Recorder()
            let heard = load(file, in: world, "GET", recorder)
            #expect(heard.order == [.willSend, .response] + (count > 0 ? [.data] : []) + [.finish])
            #expect(heard.data == bytes(count))
            #expect(!heard.wasOutsideItsThread)
            #expect(heard.responses.isEmpty, "It is no HTTP response.")
            #expect(heard.metrics.count == 1 && !heard.wasMeasuredAfterEnd)
        }
    }

    @Test func `the response says type, length and charset`() throws {
        let folder = TemporaryFolder()
        let text = try #require(URL(string: "data:text/html;charset=utf-8,hello"))
        let cases: [(URL, String, Int64, String?)] = [
            (try folder.write("a.png", bytes(7)), "image/png", 7, nil),
            (try folder.write("b", bytes(3)), "application/octet-stream", 3, nil),
            (text, "text/html", 5, "utf-8"),
        ]
        for (url, type, length, charset) in cases {
            let (data, response) = try SynchronousLocal.load(url)
            #expect(response.mimeType == type)
            #expect(response.expectedContentLength == length)
            #expect(response.textEncodingName == charset)
            #expect(response.url == url && !(response is HTTPURLResponse))
            #expect(Int64(data.count) == length)
        }
    }

    @Test(arguments: ["/proc/version", "/proc/self/status"])
    func `a file of the kernel's that says no length is read to its end`(path: String) throws {
        let (data, response) = try SynchronousLocal.load(URL(fileURLWithPath: path))
        #expect(response.expectedContentLength == -1)
        #expect(data.count > 20 && data.last == UInt8(ascii: "\n"))
    }

    @Test func `HEAD brings no body, and no other method reads or writes`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a.txt", bytes(10))
        try withWorld { world in
            #expect(load(file, in: world, "HEAD").order == [.willSend, .response, .finish])
            for method in ["PUT", "POST", "DELETE"] {
                let heard = load(file, in: world, method)
                #expect(heard.code == .unsupportedURL && heard.order == [.willSend, .fail])
            }
            #expect(FileManager.default.contents(atPath: file.path) == bytes(10))
        }
    }

    @Test func `each failure has its number`() throws {
        let folder = TemporaryFolder()
        let pipe = folder.url.appendingPathComponent("pipe")
        mkfifo(pipe.path, 0o600)
        let locked = try folder.write("locked", bytes(1))
        chmod(locked.path, 0)
        var cases: [(String, Int)] = [
            (folder.url.appendingPathComponent("none").absoluteString, -1100),
            (folder.url.absoluteString, -1101), (pipe.absoluteString, -3001),
            ("file:///dev/zero", -3001), ("file:///dev/tty", -3001),
            ("file://other.test/etc/passwd", -1000), ("file:etc/passwd", -1000),
            ("file:///etc/passwd%00.png", -1000), ("data:text/plain", -1000),
            ("data:;base64,a", -1000), ("ftp://127.0.0.1/", -1002),
        ]
        // Root may read everything.
        if getuid() != 0 { cases.append((locked.absoluteString, -1102)) }
        try withWorld { world in
            for (text, code) in cases {
                guard let url = URL(string: text) else { continue }
                let heard = load(url, in: world)
                let isExpected =
                    heard.code?.rawValue == code
                    || (text.hasSuffix("tty") && heard.code != nil)
                #expect(isExpected, "\(text): \(heard.code?.rawValue ?? 0)")
                #expect(heard.ends == 1 && heard.data.isEmpty, "\(text)")
            }
        }
    }

    @Test func `none is loaded unless the setting allows it`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("secret", bytes(10))
        try withWorld { world in
            for url in [file, try #require(URL(string: "data:,hello"))] {
                #expect(load(url, in: world, isAllowed: false).code == .unsupportedURL)
            }
        }
    }

    @Test func `no redirect leads to one, and no delegate's change`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("secret", bytes(10))
        try withWorld { world in
            for target in [file.absoluteString, "data:,hello"] {
                world.server.add("/away") { _ in .redirect(to: target) }
                let heard = load(world.server.url("/away"), in: world)
                #expect(heard.code == .unsupportedURL && heard.data.isEmpty)
                let recorder = Recorder()
                recorder.onWillSend = { request, _ in
                    var request = request
                    request.url = URL(string: target)
                    return request
                }
                let changed = load(world.server.url("/ok"), in: world, "GET", recorder)
                #expect(changed.code == .unsupportedURL && changed.data.isEmpty)
            }
        }
    }

    @Test func `a file that becomes shorter is no success`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a", bytes(1_000_000))
        try withWorld { world in
            let recorder = Recorder()
            recorder.onCall = { call, _ in
                if call == .response { truncate(file.path, 100_000) }
            }
            let heard = load(file, in: world, "GET", recorder)
            #expect(heard.code == .resourceUnavailable)
            #expect(heard.data.count <= 100_000)
        }
    }

    @Test func `a cancelled load tells nothing more`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a", bytes(1_000_000))
        try withWorld { world in
            let (recorder, cancelled) = (Recorder(), Signal())
            recorder.onCall = { call, connection in
                guard call == .data else { return }
                connection.cancel()
                cancelled.fire()
            }
            var request = URLRequest(url: file)
            request.httpMethod = "GET"
            world.thread.start(request, recorder) {
                $0.configuration.loadsLocalAddresses = true
            }
            #expect(cancelled.blocks(until: 1))
            #expect(load(file, in: world).ends == 1)
            #expect(recorder.heard.count(.data) == 1 && recorder.heard.ends == 0)
        }
    }

    @Test func `the time-out of a delegate that takes nothing says so, of a file and of data`()
        throws
    {
        let folder = TemporaryFolder()
        let data = bytes(100_000).base64EncodedString()
        let urls = [
            try folder.write("a", bytes(100_000)),
            try #require(URL(string: "data:;base64,\(data)")),
        ]
        try withWorld { world in
            for url in urls {
                let clock = TurnableClock()
                let recorder = Recorder()
                recorder.onNotConsumed = { [unowned recorder] in recorder.heard.data.count }
                var request = URLRequest(url: url)
                request.timeoutInterval = 30
                world.start(request, recorder, by: clock) {
                    $0.configuration.loadsLocalAddresses = true
                }
                #expect(recorder.wait { !$0.data.isEmpty })
                world.turn(clock, by: 31)
                world.turn(clock, by: 31)
                let error = try #require(recorder.atEnd().error)
                #expect(error.code == .timedOut)
                #expect(error.localizedDescription.contains("consumer took no bytes"))
            }
        }
    }

    @Test func `a delegate that takes nothing is not given more, and times out`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a", bytes(1_000_000))
        let clock = TurnableClock()
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNotConsumed = { [unowned recorder] in recorder.heard.data.count }
            var request = URLRequest(url: file)
            request.timeoutInterval = 30
            world.start(request, recorder, by: clock) {
                $0.configuration.loadsLocalAddresses = true
            }
            #expect(recorder.wait { $0.count(.notConsumed) > 3 })
            #expect(recorder.heard.data.count == 65_536)
            world.turn(clock, by: 31)
            world.turn(clock, by: 31)
            #expect(recorder.atEnd().code == .timedOut)
            #expect(recorder.heard.data.count == 65_536)
        }
    }
}

/// A load in this thread's run loop, with its response.
private final class SynchronousLocal: URLConnectionDelegate {
    private var response: URLResponse?
    private var data = Data()
    private var result: Result<Void, any Error>?

    static func load(_ url: URL) throws -> (Data, URLResponse) {
        let delegate = SynchronousLocal()
        let connection = URLConnection(
            request: URLRequest(url: url), delegate: delegate, startImmediately: false)
        connection.configuration.loadsLocalAddresses = true
        connection.start()
        while delegate.result == nil {
            _ = RunLoop.current.run(mode: .default, before: .distantFuture)
        }
        try delegate.result?.get()
        return (delegate.data, try #require(delegate.response))
    }

    func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        self.response = response
    }

    func connection(_ connection: URLConnection, didReceive data: Data) { self.data += data }

    func connectionDidFinishLoading(_ connection: URLConnection) { result = .success(()) }

    func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        result = .failure(error)
    }
}
