import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: initializers of their own, and small names", .timeLimit(.minutes(5)))
struct OwnInitializerTests {
    private func token(_ world: TestWorld) -> String? {
        world.server.requests.last?.headers["X-Token"]
    }

    @Test
    func `a client with its own initializer sends what it sets up, and so does its copy`()
        async throws
    {
        let world = TestWorld(programs: .standard)
        let client = YelpClient(base: world.baseURL, accessToken: "t1")
        let copy = try #require(client.copy() as? YelpClient)
        for manager in [client, copy] {
            _ = await succeeds("get", with: manager)
            #expect(token(world) == "t1")
            #expect(manager.baseURL?.absoluteString.hasPrefix(world.baseURL.absoluteString) == true)
        }
        #expect(client.accessToken == "t1" && copy.accessToken == nil)
        let plain = PlainClient(baseURL: world.baseURL)
        #expect(plain.requestSerializer.timeoutInterval == 15)
        #expect(plain.securityPolicy.validatesDomainName)
        #expect(!plain.securityPolicy.allowInvalidCertificates)
        #expect(plain.securityPolicy.pinningMode == .none)
    }

    @available(*, deprecated)
    @Test
    func `a session manager with its own initializer does too`() async throws {
        let world = TestWorld(programs: .standard)
        let client = TweetClient(base: world.baseURL, account: "ann")
        let copy = try #require(client.copy() as? TweetClient)
        #expect(copy.account == "none")
        let plain = PlainTweetClient(baseURL: world.baseURL, sessionConfiguration: .ephemeral)
        let short = PlainTweetClient(baseURL: world.baseURL)
        let pairs: [(AFHTTPSessionManager, String)] = [
            (client, "ann"), (copy, "ann"), (plain, "plain"), (short, "plain"),
        ]
        for (manager, wanted) in pairs {
            await done { finish in
                manager.get(
                    "get", parameters: nil,
                    success: { (task: URLSessionDataTask, object: Any?) in finish() },
                    failure: { (task: URLSessionDataTask?, error: any Error) in finish() })
            }
            #expect(token(world) == wanted)
            #expect(manager.session.delegate === manager)
            manager.invalidateSessionCancelingTasks(true)
        }
        let sessions = PlainSessions(sessionConfiguration: .ephemeral)
        #expect(sessions.copy() is PlainSessions)
    }

    @available(*, deprecated)
    @Test
    func `an operation with its own initializer runs, and so does its copy`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/photos/7") { _ in .text("seven") }
        let operation = PhotoOperation(photo: 7, of: world.baseURL)
        operation.userInfo = ["a": 1]
        let copy = try #require(operation.copy() as? PhotoOperation)
        #expect(copy.photoID == 0 && copy.userInfo.isEmpty)
        for operation in [operation, copy] {
            let text: String? = await answer { finish in
                operation.setCompletionBlockWithSuccess(
                    { operation, _ in finish(operation.responseString) },
                    failure: { _, error in finish("\(error)") })
                operation.start()
            }
            #expect(text == "seven")
        }
        let marked = MarkedOperation(request: URLRequest(url: world.baseURL))
        #expect(marked.userInfo["mark"] as? String == "set")
        #expect(marked.copy() is MarkedOperation)
    }

    @available(*, deprecated)
    @Test
    func `where a class reads nothing from an archive, its copy is of the base class`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:9/a"))
        let copy = try #require(
            Refusing(request: URLRequest(url: url)).copy() as? AFHTTPRequestOperation)
        #expect(type(of: copy) == AFHTTPRequestOperation.self && copy.request.url == url)
    }

    @Test
    func `a file that imports Foundation alone sees what the added file exports`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/avatar") { .text($0.headers["X-Avatar"] ?? "none") }
        let loader = AvatarLoader()
        let text: String? = await answer { finish in
            loader.load("avatar", from: world.baseURL, completion: finish)
        }
        #expect(text == "1")
    }

    @Test
    func `announced changes are accepted, and values are found by their path`() async {
        let serializer = AnnouncingSerializer()
        serializer.apiKey = "k"
        #expect(serializer.value(forHTTPHeaderField: "X-Key") == "k")
        let responses = AnnouncingResponses()
        responses.depth = 2
        #expect(responses.depth == 2)
        let users: [[String: Any]] = [["address": ["city": "Oslo"]], ["name": "b"]]
        #expect(cityOfFirstUser(["users": users] as NSDictionary) == "Oslo")
        let whole = NSDictionary(dictionary: ["users": users])
        #expect((whole.value(forKeyPath: "users.address.city") as? [Any])?.last is NSNull)
        #expect(whole.value(forKeyPath: "users.none.city") is [Any])
        #expect(whole.value(forKeyPath: "none.city") == nil && whole.value(forKey: "a") == nil)
        await done { finish in afterTenth { finish() } }
    }
}
