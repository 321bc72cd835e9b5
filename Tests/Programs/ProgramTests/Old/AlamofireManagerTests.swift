import Alamofire
@testable import OldAlamofire
import TestSupport

@Suite("Old programs: managers", .timeLimit(.minutes(2)))
struct AlamofireManagerTests {
    @Test
    func `headers of the default manager, of a configuration, and of none`() async throws {
        let world = TestWorld(programs: .httpbin)
        let managers = Managers()
        let all: [[String: Any]] = await answer { managers.headers(world.base, completion: $0) }
        #expect(all.filter { ($0["X-Client"] as? String) == "shop/2" }.count == 1)
        let agents = all.filter {
            ($0["User-Agent"] as? String)?.contains("Alamofire/4.9.1") == true
        }
        #expect(agents.count == 2)
    }

    @Test
    func `a request waits for its resume`() async throws {
        let world = TestWorld(programs: .httpbin)
        let managers = Managers()
        var request: DataRequest?
        let isGood: Bool = await answer { finish in
            request = managers.waiting(world.address("/get"), completion: finish)
            #expect(world.server.requests.isEmpty)
            request?.resume()
        }
        #expect(isGood)
        #expect(request?.task?.state == .completed)
    }

    @Test
    func `a manager that nobody keeps cancels its requests`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.hold("answer")
        world.server.add("/slow") { _ in .text("late").after(.wait(gate: "answer")) }
        let error: (any Error)? = await answer {
            Managers().forgotten(world.address("/slow"), completion: $0)
        }
        world.server.release("answer")
        #expect((error as NSError?)?.code == NSURLErrorCancelled)
    }

    @Test
    func `a redirect is stopped by a closure`() async throws {
        let world = TestWorld(programs: .httpbin)
        let stopper = RedirectStopper()
        #expect(
            await answer { stopper.stop(world.address("/redirect-to?url=/get"), completion: $0) }
                == 302)
        #expect(
            await answer { stopper.stop(world.address("/redirect-to?url=/json"), completion: $0) }
                == 200
        )
    }

    @Test
    func `a redirect is seen by a delegate of one's own`() async throws {
        let world = TestWorld(programs: .httpbin)
        let diary = RedirectDiary()
        let manager = SessionManager(configuration: .ephemeral, delegate: diary)
        let status: Int? = await answer { finish in
            manager.request(world.address("/redirect-to?url=/json")).response {
                finish($0.response?.statusCode)
            }
        }
        #expect(status == 200)
        #expect(diary.lines == ["302 /json"])
    }

    @Test
    func `one new token for many requests, which are sent again`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/token") { _ in .json("{\"token\":\"new\"}") }
        world.server.add("/balance") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json("{\"balance\":7}") : .status(401)
        }
        // Written before Sendable, and called from several threads, as its program does.
        nonisolated(unsafe) let client = AccountClient(server: world.base, token: "old")
        let balances: [Int?] = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await answer { client.balance(world.address("/balance"), completion: $0) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(balances == Array(repeating: 7, count: 8))
        #expect(
            world.server.requests.filter { $0.path == "/token" }.count == client.keeper.refreshes)
        #expect(client.keeper.refreshes < 8)
    }

    @Test
    func `notifications of one request`() async throws {
        let world = TestWorld(programs: .httpbin)
        let logger = ActivityLogger()
        let path = "/anything/\(UUID().uuidString)"
        await done { finish in
            Alamofire.request(world.address(path)).response { _ in finish() }
        }
        let lines = logger.all.filter { $0.hasPrefix(path) }
        #expect(lines.count == 2)
        #expect(lines.contains("\(path) didResume -1"))
        #expect(lines.contains { $0.hasPrefix("\(path) didComplete ") && !$0.hasSuffix("-1") })
    }

    @Test
    func `each search cancels the one before it`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.hold("first")
        world.server.add("/search") { request in
            let text = request.query["q"] ?? ""
            return text == "t" ? .text(text).after(.wait(gate: "first")) : .text(text)
        }
        // Main's alone until all its searches have ended.
        nonisolated(unsafe) let box = SearchBox()
        await done { finish in
            var left = 2
            let end = {
                left -= 1
                if left == 0 { finish() }
            }
            DispatchQueue.main.async {
                box.search(world.address("/search"), "t", completion: end)
                box.search(world.address("/search"), "te", completion: end)
            }
        }
        world.server.release("first")
        #expect(box.found == ["te"])
        #expect(box.cancelled == 1)
    }

    @Test
    func `a singleton with a batch`() async throws {
        let world = TestWorld(programs: .httpbin)
        APIManager.sharedInstance.baseURL = world.base
        let good: [String] = await answer {
            APIManager.sharedInstance.all(
                ["/json", "/get", "/status/500", "/html"], completion: $0)
        }
        #expect(good == ["/get", "/json"])
    }

    @Test
    func `a subclass has its way with every kind of request`() async throws {
        let world = TestWorld(programs: .httpbin)
        let manager = StrictManager(configuration: .ephemeral, delegate: SessionDelegate())
        let error: (any Error)? = await answer { finish in
            manager.request(world.address("/status/404")).response { finish($0.error) }
        }
        #expect((error as? AFError)?.responseCode == 404)
        #expect(world.server.requests.last?.headers["X-Strict"] == "1")
        let file = try world.files.write("a.txt", Data("a".utf8))
        await done { finish in
            manager.download(world.address("/get")).response { _ in finish() }
        }
        await done { finish in
            manager.upload(file, to: world.address("/post")).response { _ in finish() }
        }
        await done { finish in
            manager.upload(Data(), to: world.address("/post")).response { _ in finish() }
        }
        await done { finish in
            manager.upload(InputStream(data: Data()), to: world.address("/post"))
                .response { _ in finish() }
        }
        for threshold in [0, UInt64.max] {
            await done { finish in
                manager.upload(
                    multipartFormData: { $0.append(Data("v".utf8), withName: "n") },
                    usingThreshold: threshold, to: world.address("/post"),
                    encodingCompletion: { _ in finish() })
            }
        }
        #expect(
            manager.asked == [
                "request", "download", "file", "data", "stream", "form", "file", "form", "data",
            ])
    }

    @Test
    func `a session shows its tasks, so that a program can cancel all of them`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.hold("late")
        world.server.add("/late") { _ in .text("late").after(.wait(gate: "late")) }
        world.server.add("/one") { _ in .text("one").after(.wait(gate: "late")) }
        let logout = Logout()
        let codes = Log<Int>()
        let note = { @Sendable (error: (any Error)?) in
            codes.add((error as NSError?)?.code ?? 0)
        }
        logout.sessionManager.request(world.address("/one")).response { note($0.error) }
        logout.sessionManager.request(world.address("/late")).response { note($0.error) }
        logout.sessionManager.upload(Data("x".utf8), to: world.address("/late"))
            .response { note($0.error) }
        logout.sessionManager.download(world.address("/late")).response { note($0.error) }
        logout.cancel("/one") {}
        #expect(await codes.reaches(1))
        logout.cancelAll {}
        #expect(await codes.reaches(4))
        world.server.release("late")
        #expect(codes.all == Array(repeating: NSURLErrorCancelled, count: 4))
        #expect(logout.seen == ["true /one", "1 1 1"])
    }

    @Test
    func `measurements come to a delegate, and a task's state has its name`() async throws {
        let world = TestWorld(programs: .httpbin)
        let measurements = Measurements()
        let manager = SessionManager(configuration: .ephemeral, delegate: measurements)
        manager.startRequestsImmediately = false
        let request = manager.request(world.address("/get"))
        #expect(hurry(request) == .suspended)
        #expect(request.task?.priority == 0.75)
        await done { finish in
            request.response { _ in finish() }
            request.resume()
        }
        #expect(hurry(request) == nil)
        #expect(measurements.all.count == 1)
        #expect(measurements.all.first?.transactionMetrics.count == 1)
        #expect(URLSessionTask.lowPriority < URLSessionTask.defaultPriority)
    }
}
