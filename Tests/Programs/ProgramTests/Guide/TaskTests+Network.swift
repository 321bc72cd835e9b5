import CurlConnection
import OperationNetworking
import TestSupport

// The tasks about the manager's queue and its transport.
extension TaskTests {
    @Test
    func `a line is read before the body has ended`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/log") { _ in
            let head = ScriptedResponse.head(200, [("Content-Type", "text/plain")])
            return ScriptedResponse([.bytes(head), .bytes(Data("ok\nerror 7\n".utf8)), .stall])
        }
        #expect(try await firstError(world.server.baseURL) == "error 7")
        #expect(await world.server.sees { $0.connectionsOpen == 0 && $1.count == 1 })
    }

    @Test
    func `a group that is held back says so, and goes on when it may`() async throws {
        let world = TestWorld(programs: .served)
        let manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        // The one of the process stays as it is: other tests look at it.
        manager.reachabilityManager = NetworkReachabilityManager()
        let parts = (0..<2).map { _ in
            URLConnectionOperation(request: URLRequest(url: world.server.url("/json")))
        }
        let reasons = nightlyBackup(parts, with: manager)
        #expect(reasons == [#"groupSuspended("backup")"#, #"groupSuspended("backup")"#])
        #expect(await world.server.sees { $1.count == 2 })
    }

    @Test
    func `a host is where the caller says`() async throws {
        let world = TestWorld(programs: .served)
        let url = try #require(URL(string: "http://shop.test:\(world.server.port)/"))
        let manager = carefulClient(url)
        #expect(try await manager.get("json") != nil)
        #expect(manager.configuration.minimumTLSVersion == .tls13)
    }

    @Test
    func `a file and a data address are loaded where that is allowed`() async throws {
        let world = TestWorld(programs: .served)
        let file = world.file("page.txt")
        try Data("a page".utf8).write(to: file)
        #expect(try await localPage(file) == [Data("a page".utf8), Data("hello".utf8)])
    }

    @Test
    func `an order goes where its address has moved, and its token too`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/orders") { _ in .redirect(to: "/shop/orders", status: 301) }
        world.server.add("/shop/orders") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return .json(encoding: [request.method, body, request.headers["Authorization"] ?? ""])
        }
        let receipt = try await movedOrder(world.server.baseURL, token: "t") as? [String]
        #expect(receipt == ["POST", "tea=2", "Bearer t"])
    }

    @Test
    func `a manager gives its operations a limit, a thread and modes`() async throws {
        let world = TestWorld(programs: .served)
        let manager = ownThread(world.server.baseURL)
        let operation = manager.httpRequestOperation(
            with: URLRequest(url: world.server.url("/json")), success: nil, failure: nil)
        #expect(operation.timeoutIntervalForResource == 300)
        #expect(operation.networkThread === manager.networkThread)
        #expect(operation.runLoopModes == [.default])
        #expect(try await operation.result() != nil)
    }

    @Test
    func `a value is sent, and one of the caller's type comes back`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/users") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            guard !body.contains("joined_at") else { return .json(body) }
            return .json(
                #"{"id":7,"name":"\#(request.method) \#(request.body.count)"}"#, status: 201)
        }
        world.server.add("/users/7") { _ in .json(#"{"id":7,"name":"Ann","joinedAt":0}"#) }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let (created, found, again) = try await addUser(
            world.server.baseURL, encoder: encoder, decoder: decoder)
        #expect(created.id == 7 && created.name == "POST 14")
        #expect(found.name == "Ann")
        #expect(again.joinedAt == found.joinedAt && again.joinedAt != nil)
        let sent = try #require(world.server.requests.last?.body)
        #expect(String(decoding: sent, as: UTF8.self).contains(#""2001-01-01T00:00:00Z""#))
    }

    @Test
    func `each request is logged, and carries its trace`() async throws {
        let world = TestWorld(programs: .served)
        let lines = Log<String>()
        let manager = observedClient(world.server.baseURL) { lines.add($0) }
        let trace = UUID()
        _ = try await TracedSerializer.$trace.withValue(trace) { try await manager.get("json") }
        #expect(await lines.reaches(1))
        let sent = try #require(world.server.requests.first?.headers["traceparent"])
        let id = trace.uuidString.replacing("-", with: "").lowercased()
        #expect(sent.hasPrefix("00-\(id)-") && sent.hasSuffix("-01") && sent.utf8.count == 55)
        let line = try #require(lines.all.first)
        #expect(line.contains(" GET /json: 200, ") && line.hasSuffix(" ms \(sent)"))
    }
}
