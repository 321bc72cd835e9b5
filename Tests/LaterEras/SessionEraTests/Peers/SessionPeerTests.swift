import OperationNetworking
import SessionEra
import TestSupport

/// Session managers against servers of somebody else's making, where `make peers` has started them:
/// `NGINX_HTTP` and `HTTPBIN_HTTP` are their ports.
enum SessionPeer: String, CaseIterable {
    case nginx = "NGINX_HTTP"
    case httpbin = "HTTPBIN_HTTP"

    var base: URL? {
        ProcessInfo.processInfo.environment[rawValue].flatMap { port in
            URL(string: "http://127.0.0.1:\(port)/")
        }
    }

    static let running = allCases.filter { $0.base != nil }
    static func isRunning(_ peer: SessionPeer) -> Bool { peer.base != nil }
    static let need: Comment = "Needs NGINX_HTTP and HTTPBIN_HTTP, the ports of running peers."
}

/// One manager and the ends of its tasks.
private struct Guest {
    let manager: HTTPSessionManager

    init(_ peer: SessionPeer, _ serializer: HTTPResponseSerializer = HTTPResponseSerializer())
        throws
    {
        let base = try #require(peer.base)
        manager = HTTPSessionManager(baseURL: base, sessionConfiguration: .ephemeral)
        manager.responseSerializer = serializer
    }

    struct End: @unchecked Sendable {
        // @unchecked because it is only read.
        var task: SessionDataTask?
        var object: Any?
        var error: (any Error)?

        var status: Int? { (task?.response as? HTTPURLResponse)?.statusCode }
        var text: String? { (object as? Data).map { String(decoding: $0, as: UTF8.self) } }
        func field(_ name: String) -> [String: String]? {
            (object as? [String: Any])?[name] as? [String: String]
        }
    }

    func end(
        _ call: (@escaping HTTPSessionManager.Success, @escaping HTTPSessionManager.Failure) ->
            SessionDataTask?
    ) async -> End {
        let log = Log<End>()
        _ = call(
            { task, object in log.add(End(task: task, object: object)) },
            { task, error in log.add(End(task: task, error: error)) })
        #expect(await log.reaches(1))
        return log.all.first ?? End()
    }

    func request(_ path: String, method: String = "GET") throws -> URLRequest {
        let url = try #require(URL(string: path, relativeTo: manager.baseURL))
        var request = URLRequest(url: url.absoluteURL, timeoutInterval: 8)
        request.httpMethod = method
        return request
    }

    func streamed(_ request: URLRequest) async -> End {
        let log = Log<End>()
        let task = manager.uploadTask(withStreamedRequest: request) { _, object, error in
            log.add(End(object: object, error: error))
        }
        task.resume()
        #expect(await log.reaches(1))
        var end = log.all.first ?? End()
        end.task = task
        return end
    }

    func leave() { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
}

@Suite(
    "Sessions against nginx and httpbin", .timeLimit(.minutes(1)),
    .enabled(if: !SessionPeer.running.isEmpty, SessionPeer.need))
struct SessionPeerTests {
    // MARK: - Bodies

    @Test(arguments: SessionPeer.running)
    func `a form of 300 kB is taken, by its length`(_ peer: SessionPeer) async throws {
        let guest = try Guest(peer)
        defer { guest.leave() }
        let end = await guest.end { success, failure in
            guest.manager.post(
                "post", parameters: ["name": "value"],
                constructingBodyWith: {
                    $0.appendPart(
                        fileData: Data(repeating: 65, count: 300_000), name: "file",
                        fileName: "a.txt", mimeType: "text/plain")
                }, success: success, failure: failure)
        }
        #expect(end.error == nil)
        #expect(end.status == 200)
        let text = try #require(end.text)
        let length = end.task?.originalRequest?.value(forHTTPHeaderField: "Content-Length") ?? ""
        switch peer {
        case .nginx:
            #expect(text == "POST \(length)\n")
        case .httpbin:
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8))
            let echo = End(object: object)
            #expect(echo.field("form") == ["name": "value"])
            #expect(echo.field("files")?["file"]?.count == 300_000)
            #expect(echo.field("headers")?["Content-Length"] == length)
            #expect(echo.field("headers")?["Transfer-Encoding"] == nil)
        }
    }

    private typealias End = Guest.End

    @Test(arguments: SessionPeer.running)
    func `a stream is taken with its length declared and without`(_ peer: SessionPeer) async throws
    {
        let guest = try Guest(peer)
        defer { guest.leave() }
        for length in [nil, "100000"] {
            var request = try guest.request("post", method: "POST")
            request.httpBodyStream = InputStream(data: Data(repeating: 66, count: 100_000))
            request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            request.setValue(length, forHTTPHeaderField: "Content-Length")
            let end = await guest.streamed(request)
            #expect(end.error == nil, "\(length ?? "chunks")")
            #expect(end.status == 200)
        }
    }

    @Test(arguments: SessionPeer.running)
    func `a form that is redirected to a page brings the page`(_ peer: SessionPeer) async throws {
        let guest = try Guest(peer)
        defer { guest.leave() }
        let path = peer == .nginx ? "r302" : "redirect-to?url=/base64/aGVsbG8%3D&status_code=303"
        let end = await guest.end { success, failure in
            guest.manager.post(
                path, constructingBodyWith: { $0.appendPart(formData: Data("b".utf8), name: "a") },
                success: success, failure: failure)
        }
        #expect(end.error == nil)
        #expect(end.text == "hello")
    }

    @Test(.enabled(if: SessionPeer.isRunning(.nginx)))
    func `a page behind Basic is read`() async throws {
        let guest = try Guest(.nginx)
        defer { guest.leave() }
        guest.manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none)) : .cancel
        }
        let end = await guest.end {
            guest.manager.get("private/p.json", success: $0, failure: $1)
        }
        #expect(end.text == "{\"private\": true}")
    }

    @Test(
        .enabled(if: SessionPeer.isRunning(.nginx)))
    func `a body that is too large is refused, and the error says so`() async throws {
        let guest = try Guest(.nginx)
        defer { guest.leave() }
        let end = await guest.end { success, failure in
            guest.manager.post(
                "small/",
                constructingBodyWith: {
                    $0.appendPart(formData: Data(count: 5_000), name: "a")
                }, success: success, failure: failure)
        }
        let error = try #require(end.error) as NSError
        let response = error.userInfo[NetworkingError.failingURLResponseKey] as? HTTPURLResponse
        #expect(response?.statusCode == 413)
    }

    @Test(.enabled(if: SessionPeer.isRunning(.nginx)))
    func `a file is put and read again`() async throws {
        let guest = try Guest(.nginx)
        defer { guest.leave() }
        let path = "upload/\(UUID().uuidString)"
        let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var request = try guest.request(path, method: "PUT")
        request.httpBodyStream = InputStream(data: body)
        request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length")
        #expect(await guest.streamed(request).status == 201)
        let read = await guest.end { guest.manager.get(path, success: $0, failure: $1) }
        #expect(read.object as? Data == body)
        let gone = await guest.end { guest.manager.delete(path, success: $0, failure: $1) }
        #expect(gone.status == 204)
    }

    // MARK: - Answers

    @Test(
        .enabled(if: SessionPeer.isRunning(.httpbin)))
    func `the verbs send their method and parameters`() async throws {
        let guest = try Guest(.httpbin, JSONResponseSerializer())
        defer { guest.leave() }
        let manager = guest.manager
        let fields = ["a": "b c"]
        let calls:
            [(
                String,
                (@escaping HTTPSessionManager.Success, @escaping HTTPSessionManager.Failure)
                    -> SessionDataTask?
            )] = [
                ("GET", { manager.get("anything", parameters: fields, success: $0, failure: $1) }),
                (
                    "POST",
                    { manager.post("anything", parameters: fields, success: $0, failure: $1) }
                ),
                ("PUT", { manager.put("anything", parameters: fields, success: $0, failure: $1) }),
                (
                    "PATCH",
                    { manager.patch("anything", parameters: fields, success: $0, failure: $1) }
                ),
                (
                    "DELETE",
                    { manager.delete("anything", parameters: fields, success: $0, failure: $1) }
                ),
            ]
        for (method, call) in calls {
            let end = await guest.end(call)
            #expect((end.object as? [String: Any])?["method"] as? String == method)
            let isQuery = method == "GET" || method == "DELETE"
            #expect(end.field(isQuery ? "args" : "form") == fields, "\(method)")
        }
    }

    @Test(
        .enabled(if: SessionPeer.isRunning(.httpbin)))
    func `Basic is answered, a status is an error, coded bodies are decoded`() async throws {
        let guest = try Guest(.httpbin, JSONResponseSerializer())
        defer { guest.leave() }
        let manager = guest.manager
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.previousFailureCount == 0
                ? .use(URLCredential(user: "user", password: "pass", persistence: .none)) : .cancel
        }
        let basic = await guest.end {
            manager.get("basic-auth/user/pass", success: $0, failure: $1)
        }
        #expect((basic.object as? [String: Any])?["authenticated"] as? Bool == true)
        for status in [404, 500, 418] {
            let end = await guest.end {
                manager.get("status/\(status)", success: $0, failure: $1)
            }
            #expect(end.error is ResponseSerializationError)
            #expect(end.status == status)
        }
        for coding in ["gzip", "deflate"] {
            let end = await guest.end { manager.get(coding, success: $0, failure: $1) }
            #expect(end.object is [String: Any], "\(coding)")
        }
    }

    @Test(
        .enabled(if: SessionPeer.isRunning(.nginx)))
    func `a download is suspended, goes on, is cancelled and continued where it was, and is whole`()
        async throws
    {
        let guest = try Guest(.nginx)
        defer { guest.leave() }
        let whole = await guest.end {
            guest.manager.get("files/1m.bin", success: $0, failure: $1)
        }
        let place = TestWorld.freshPlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let (resumed, done) = (Log<Int64>(), Log<Bool>())
        let pieces = Log<Int64>()
        guest.manager.setDownloadTaskDidResumeBlock { _, _, offset, _ in resumed.add(offset) }
        let task = guest.manager.downloadTask(
            with: try guest.request("limited/1m.bin"),
            progress: { pieces.add($0.completedUnitCount) }, destination: { _, _ in place },
            completionHandler: { _, _, error in done.add(error == nil) })
        task.resume()
        #expect(await pieces.reaches(1))
        task.suspend()
        let before = pieces.all.count
        task.resume()
        #expect(await pieces.reaches(before + 1))
        // The same transfer, which has rested.
        #expect(resumed.all.isEmpty)
        let resumeData = Log<Data?>()
        task.cancel { resumeData.add($0) }
        #expect(await resumeData.reaches(1))
        let data = try #require(resumeData.all.first ?? nil)
        let next = guest.manager.downloadTask(
            withResumeData: data, destination: { _, _ in place },
            completionHandler: { _, _, error in done.add(error == nil) })
        next.resume()
        // At 64 KiB a second the server takes its time for the rest.
        for _ in 0..<3 where done.all.count < 2 { _ = await done.reaches(2) }
        #expect(done.all == [false, true])
        #expect(resumed.all.count == 1 && resumed.all.allSatisfy { $0 > 0 })
        #expect(try Data(contentsOf: place) == whole.object as? Data)
    }
}
