import OperationNetworking
import SessionEra
import TestSupport

/// AFHTTPSessionManagerTests of AFNetworking 4.0.1, verbs and answers.
@Suite("Originals: verbs", .timeLimit(.minutes(1)))
struct OriginalVerbTests {
    private let world = TestWorld.httpbin()
    private var manager: HTTPSessionManager { world.httpManager }

    /// What an answer told of the request: its own field as the task has it, and what came back.
    private struct Echo: Sendable {
        var field: String?
        var form: [String: String]?
        var files: [String: String]?
        var arguments: [String: String]?

        init?(_ task: SessionDataTask, _ object: Any?) {
            guard let object = object as? [String: Any] else { return nil }
            field = task.originalRequest?.value(forHTTPHeaderField: "field")
            form = object["form"] as? [String: String]
            files = object["files"] as? [String: String]
            arguments = object["args"] as? [String: String]
        }
    }

    /// One of the verbs that take the same, with one parameter and a header that replaces another.
    private func echo(
        _ call: (
            HTTPSessionManager, [String: String], [String: String],
            @escaping HTTPSessionManager.Success, @escaping HTTPSessionManager.Failure
        ) -> SessionDataTask?
    ) async -> Echo? {
        manager.requestSerializer.setValue("default value", forHTTPHeaderField: "field")
        return await outcome { finish in
            let task = call(
                manager, ["key": "value"], ["field": "value"],
                { task, object in finish(Echo(task, object)) }, { _, _ in finish(nil) })
            #expect(task != nil)
        }
    }

    // MARK: Verbs

    @Test func get() async {
        let hasObject = await outcome { finish in
            manager.get(
                "get", success: { finish($1 != nil) }, failure: { _, _ in finish(false) })
        }
        #expect(hasObject)
    }

    @Test func head() async {
        let state: URLSessionTask.State? = await outcome { finish in
            manager.head(
                "get", success: { finish($0.state) }, failure: { _, _ in finish(nil) })
        }
        #expect(state == .completed)
        #expect(world.server.requests.map(\.method) == ["HEAD"])
    }

    @Test func post() async {
        let seen = await echo {
            $0.post("post", parameters: $1, headers: $2, success: $3, failure: $4)
        }
        #expect(seen?.field == "value")
        #expect(seen?.form == ["key": "value"])
    }

    @Test func postWithConstructingBody() async {
        let seen = await echo {
            $0.post(
                "post", parameters: $1, headers: $2,
                constructingBodyWith: { form in
                    form.appendPart(
                        fileData: Data("Data".utf8), name: "DataName", fileName: "DataFileName",
                        mimeType: "data")
                }, success: $3, failure: $4)
        }
        #expect(seen?.field == "value")
        #expect(seen?.files == ["DataName": "Data"])
        #expect(seen?.form == ["key": "value"])
    }

    @Test func put() async {
        let seen = await echo {
            $0.put("put", parameters: $1, headers: $2, success: $3, failure: $4)
        }
        #expect(seen?.field == "value")
        #expect(seen?.form == ["key": "value"])
    }

    @Test func delete() async {
        let seen = await echo {
            $0.delete("delete", parameters: $1, headers: $2, success: $3, failure: $4)
        }
        #expect(seen?.field == "value")
        #expect(seen?.arguments == ["key": "value"])
    }

    @Test func patch() async {
        let seen = await echo {
            $0.patch("patch", parameters: $1, headers: $2, success: $3, failure: $4)
        }
        #expect(seen?.field == "value")
        #expect(seen?.form == ["key": "value"])
    }

    // MARK: Answers

    @Test func successBlockIsCalledFor200() async {
        let isSuccess = await outcome { finish in
            manager.get(
                "status/200", success: { _, _ in finish(true) },
                failure: { _, _ in finish(false) })
        }
        #expect(isSuccess)
    }

    @Test func failureBlockIsCalledFor404() async {
        let status: Int? = await outcome { finish in
            manager.get(
                "status/404", success: { _, _ in finish(nil) },
                failure: { task, _ in
                    finish((task?.response as? HTTPURLResponse)?.statusCode)
                })
        }
        #expect(status == 404)
    }

    @Test func responseObjectIsEmptyFor204() async {
        let isEmpty = await outcome { finish in
            manager.get(
                "status/204", success: { finish($1 == nil) }, failure: { _, _ in finish(false) })
        }
        #expect(isEmpty)
    }

    @Test func hiddenBasicAuthentication() async {
        manager.requestSerializer.setAuthorizationHeaderField(
            username: "user", password: "password")
        let isSuccess = await outcome { finish in
            manager.get(
                "hidden-basic-auth/user/password", success: { _, _ in finish(true) },
                failure: { _, _ in finish(false) })
        }
        #expect(isSuccess)
    }

    @Test func authenticationChallengeHandlerCredentialResult()
        async
    {
        manager.responseSerializer = HTTPResponseSerializer()
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            challenge.protectionSpace.realm == "Fake Realm"
                ? .use(URLCredential(user: "user", password: "passwd", persistence: .none))
                : .performDefaultHandling
        }
        let isSuccess = await outcome { finish in
            manager.get(
                "basic-auth/user/passwd", success: { _, _ in finish(true) },
                failure: { _, _ in finish(false) })
        }
        #expect(isSuccess)
    }

    // MARK: Requests

    @Test func serializationErrorGeneratesErrorAndNullTaskForGET()
        async
    {
        manager.requestSerializer.setQueryStringSerialization { _, _ in
            throw NSError(domain: "Custom", code: -1)
        }
        let (hasTask, domain): (Bool, String?) = await outcome { finish in
            let task = manager.get(
                "test", parameters: ["key": "value"], success: { _, _ in finish((true, nil)) },
                failure: { finish(($0 != nil, ($1 as NSError).domain)) })
            #expect(task == nil)
        }
        #expect(!hasTask)
        #expect(domain == "Custom")
    }

    @Test func settingHTTPHeadersPerRequestCanReplaceTheDefaultValueSpecifiedInRequestSerializer()
        async
    {
        manager.requestSerializer.setValue("foo value", forHTTPHeaderField: "X-Foo")
        manager.requestSerializer.setValue("bar value", forHTTPHeaderField: "X-Bar")
        let fields: [String?] = await outcome { finish in
            let task = manager.dataTask(
                withHTTPMethod: "GET", urlString: "get", headers: ["X-Foo": "request value"],
                success: { task, _ in
                    finish(
                        ["X-Foo", "X-Bar"].map {
                            task.originalRequest?.value(forHTTPHeaderField: $0)
                        })
                }, failure: { _, _ in finish([]) })
            task?.resume()
        }
        #expect(fields == ["request value", "bar value"])
        #expect(world.server.requests.first?.headers.values("X-Foo") == ["request value"])
    }
}
