import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite("HTTPSessionManager: HM-01 to HM-12", .timeLimit(.minutes(1)))
struct HTTPSessionManagerTests {
    private let world = TestWorld.httpbin()
    private var manager: HTTPSessionManager { world.httpManager }

    /// What one call of a verb ended with.
    private struct End: @unchecked Sendable {
        // @unchecked because it is only read.
        var task: SessionDataTask?
        var object: Any?
        var error: (any Error)?

        var json: [String: Any]? { object as? [String: Any] }
        func field(_ name: String) -> [String: String]? { json?[name] as? [String: String] }
    }

    private func end(
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

    // MARK: - URLs

    @Test func `HM-01 a base path gets its slash, an empty one does not`() {
        func base(_ text: String) -> String? {
            HTTPSessionManager(baseURL: URL(string: text)).baseURL?.absoluteString
        }
        #expect(base("http://host/v1") == "http://host/v1/")
        #expect(base("http://host/v1/") == "http://host/v1/")
        #expect(base("http://host") == "http://host")
        #expect(HTTPSessionManager().baseURL == nil)
    }

    @Test func `HM-02 paths are resolved as RFC 3986 says; an absolute URL wins over the base`() {
        let manager = HTTPSessionManager(baseURL: URL(string: "http://host/v1/"))
        func url(_ path: String) -> String? {
            let task = manager.dataTask(withHTTPMethod: "GET", urlString: path)
            task?.cancel()
            return task?.originalRequest?.url?.absoluteString
        }
        #expect(url("foo") == "http://host/v1/foo")
        #expect(url("foo?a=b") == "http://host/v1/foo?a=b")
        #expect(url("/foo") == "http://host/foo")
        #expect(url("?a=b") == "http://host/v1/?a=b")
        #expect(url("http://other/foo") == "http://other/foo")
        manager.session.invalidateAndCancel()
    }

    // MARK: - Verbs

    @Test func `HM-03 the verbs send their method and their parameters, and the task is resumed`()
        async
    {
        let fields = ["a": "b"]
        let calls: [(String, (@escaping HTTPSessionManager.Success) -> SessionDataTask?)] = [
            ("GET", { self.manager.get("anything", parameters: fields, success: $0) }),
            ("POST", { self.manager.post("anything", parameters: fields, success: $0) }),
            ("PUT", { self.manager.put("anything", parameters: fields, success: $0) }),
            ("PATCH", { self.manager.patch("anything", parameters: fields, success: $0) }),
            ("DELETE", { self.manager.delete("anything", parameters: fields, success: $0) }),
        ]
        for (method, call) in calls {
            let end = await end { success, _ in
                let task = call(success)
                #expect(task?.state != .suspended)
                return task
            }
            #expect(end.json?["method"] as? String == method)
            let isQuery = method == "GET" || method == "DELETE"
            #expect(end.field(isQuery ? "args" : "form") == fields, "\(method)")
        }
    }

    @Test func `HM-03 HEAD succeeds without an object`() async {
        let log = Log<Int?>()
        manager.head("get", success: { log.add(($0.response as? HTTPURLResponse)?.statusCode) })
        #expect(await log.reaches(1))
        #expect(log.all == [200])
        #expect(world.server.requests.map(\.method) == ["HEAD"])
    }

    @Test func `a lone trailing block is the success`() async {
        let log = Log<Bool>()
        manager.get("get") { _, object in log.add(object != nil) }
        manager.get("get", progress: nil) { _, object in log.add(object is [String: Any]) }
        manager.put("put") { _, object in log.add(object is [String: Any]) }
        #expect(await log.reaches(3))
        #expect(log.all == [true, true, true])
    }

    @Test func `HM-04 a call's headers replace those of the serializer`()
        async
    {
        manager.requestSerializer.setValue("serializer", forHTTPHeaderField: "X-Mine")
        let end = await end {
            self.manager.get("get", headers: ["X-Mine": "call"], success: $0, failure: $1)
        }
        #expect(end.field("headers")?["X-Mine"] == "call")
    }

    @Test func `HM-05 what no request can be built of gives nil, and failure later with nil`() async
    {
        let log = Log<(Bool, Bool)>()
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "mine")
        queue.setSpecific(key: key, value: true)
        manager.completionQueue = queue
        let task = manager.get(
            "not a url", success: nil,
            failure: { task, error in
                log.add((task == nil, DispatchQueue.getSpecific(key: key) == true))
            })
        #expect(task == nil)
        #expect(await log.reaches(1))
        #expect(log.all.first?.0 == true)
        #expect(log.all.first?.1 == true)
        #expect(world.server.requests.isEmpty)
    }

    @Test
    func `HM-05 a call's header that cannot be sent is told to failure, and nothing goes out`()
        async
    {
        let log = Log<String>()
        for (name, value) in [("X-Mine", "a\r\nX-Other: b"), ("X Mine", "v")] {
            let task = manager.get(
                "get", headers: [name: value], success: nil,
                failure: { _, error in
                    log.add((error as? RequestSerializationError)?.explanation ?? "\(error)")
                })
            #expect(task == nil)
        }
        #expect(await log.reaches(2))
        #expect(log.all.contains { $0.contains("\"X-Mine\"") })
        #expect(log.all.contains { $0.contains("\"X Mine\"") })
        #expect(world.server.requests.isEmpty)
    }

    @Test func `HM-06 an error status is a failure whose error has the body`() async throws {
        let end = await end { self.manager.get("x/json-404", success: $0, failure: $1) }
        let error = try #require(end.error) as NSError
        #expect(error.code == NSURLErrorBadServerResponse)
        let body = error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data
        #expect(body?.isEmpty == false)
        #expect((end.task?.response as? HTTPURLResponse)?.statusCode == 404)
    }

    @Test
    func `HM-07 a form is sent as a streamed upload with its parts, and progress reaches its end`()
        async
    {
        let progress = Log<Double>()
        let end = await end {
            self.manager.post(
                "post", parameters: ["name": "value"], headers: ["X-Mine": "yes"],
                constructingBodyWith: {
                    $0.appendPart(
                        fileData: Data(repeating: 65, count: 200_000), name: "file",
                        fileName: "a.txt", mimeType: "text/plain")
                }, progress: { progress.add($0.fractionCompleted) }, success: $0, failure: $1)
        }
        #expect(end.task is SessionUploadTask)
        #expect(end.field("form") == ["name": "value"])
        #expect(end.field("files")?["file"]?.count == 200_000)
        #expect(end.field("headers")?["X-Mine"] == "yes")
        #expect(progress.all.last == 1)
        #expect(progress.all == progress.all.sorted())
    }

    @Test func `HM-08 the factory's task is not resumed; an override of it changes every verb`()
        async
    {
        let task = manager.dataTask(withHTTPMethod: "OPTIONS", urlString: "get")
        #expect(task?.state == .suspended)
        #expect(task?.originalRequest?.httpMethod == "OPTIONS")
        task?.cancel()
        final class Marking: HTTPSessionManager, @unchecked Sendable {
            // @unchecked because it adds nothing to its superclass.
            override func dataTask(
                withHTTPMethod method: String, urlString: String, parameters: Any?,
                headers: [String: String]?, uploadProgress: ProgressBlock?,
                downloadProgress: ProgressBlock?, success: Success?, failure: Failure?
            ) -> SessionDataTask? {
                super.dataTask(
                    withHTTPMethod: method, urlString: urlString, parameters: parameters,
                    headers: ["X-Marked": "yes"], uploadProgress: uploadProgress,
                    downloadProgress: downloadProgress, success: success, failure: failure)
            }
        }
        let marking = Marking(baseURL: world.server.baseURL)
        let end = await end { marking.get("get", success: $0, failure: $1) }
        #expect(end.field("headers")?["X-Marked"] == "yes")
        marking.session.invalidateAndCancel()
    }

    @Test func `an override that answers before it returns is heard, with its task`() async {
        final class Early: HTTPSessionManager, @unchecked Sendable {
            // @unchecked because it adds nothing to its superclass.
            override func dataTask(
                with request: URLRequest, uploadProgress: ProgressBlock?,
                downloadProgress: ProgressBlock?, completionHandler: CompletionHandler?
            ) -> SessionDataTask {
                completionHandler?(nil, "early", nil)
                return super.dataTask(
                    with: request, uploadProgress: nil, downloadProgress: nil,
                    completionHandler: nil)
            }
        }
        let early = Early(baseURL: world.server.baseURL)
        let end = await end { early.get("get", success: $0, failure: $1) }
        #expect(end.object as? String == "early")
        #expect(end.task != nil)
        early.session.invalidateAndCancel()
    }

    // MARK: - Policy, copy, archive

    @Test func `HM-09 pinning without an https base throws; by the property every task fails`()
        async throws
    {
        let policy = SecurityPolicy(pinningMode: .publicKey)
        #expect(throws: SessionError.pinningWithoutHTTPS) {
            try self.manager.setSecurityPolicy(policy)
        }
        #expect(manager.securityPolicy.pinningMode == .none)
        manager.securityPolicy = policy
        let end = await end { self.manager.get("get", success: $0, failure: $1) }
        #expect(end.error as? SessionError == .pinningWithoutHTTPS)
        #expect(world.server.requests.isEmpty)
        let secure = HTTPSessionManager(baseURL: URL(string: "https://127.0.0.1/"))
        try secure.setSecurityPolicy(policy)
        #expect(secure.securityPolicy === policy)
    }

    @Test func `HM-10 a copy has serializers and a policy of its own, not the queue and the group`()
        throws
    {
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.setValue("yes", forHTTPHeaderField: "X-Mine")
        manager.securityPolicy.validatesDomainName = false
        manager.completionQueue = DispatchQueue(label: "mine")
        manager.completionGroup = DispatchGroup()
        let copy = try #require(manager.copy() as? HTTPSessionManager)
        #expect(copy.baseURL == manager.baseURL)
        #expect(type(of: copy.responseSerializer) == HTTPResponseSerializer.self)
        #expect(copy.responseSerializer !== manager.responseSerializer)
        #expect(copy.requestSerializer !== manager.requestSerializer)
        #expect(copy.requestSerializer.value(forHTTPHeaderField: "X-Mine") == "yes")
        #expect(copy.securityPolicy !== manager.securityPolicy)
        #expect(!copy.securityPolicy.validatesDomainName)
        #expect(copy.completionQueue == nil)
        #expect(copy.completionGroup == nil)
    }

    @Test func `HM-11 an archive keeps base, configuration, serializers and policy`() throws {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 17
        let manager = HTTPSessionManager(
            baseURL: URL(string: "https://host/v1"), sessionConfiguration: configuration)
        manager.requestSerializer = JSONRequestSerializer()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.securityPolicy = SecurityPolicy(pinningMode: .publicKey)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: manager, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPSessionManager.self, from: data))
        #expect(read.baseURL?.absoluteString == "https://host/v1/")
        #expect(read.requestSerializer is JSONRequestSerializer)
        #expect(type(of: read.responseSerializer) == HTTPResponseSerializer.self)
        #expect(read.securityPolicy.pinningMode == .publicKey)
        #expect(read.session.configuration.timeoutIntervalForRequest == 17)
        read.session.invalidateAndCancel()
    }

    @Test func `HM-12 GET's progress is of the download, POST's of the upload`() async {
        let log = Log<Int64>()
        manager.responseSerializer = HTTPResponseSerializer()
        _ = await end {
            self.manager.get(
                "bytes/100000", progress: { log.add($0.completedUnitCount) }, success: $0,
                failure: $1)
        }
        #expect(log.all.last == 100_000)
        let sent = Log<Int64>()
        let text = String(repeating: "x", count: 50_000)
        _ = await end {
            self.manager.post(
                "post", parameters: ["a": text], progress: { sent.add($0.completedUnitCount) },
                success: $0, failure: $1)
        }
        #expect(sent.all.last == 50_002)
    }
}
