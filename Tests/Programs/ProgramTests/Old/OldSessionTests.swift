import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: session managers", .timeLimit(.minutes(1)))
struct OldSessionTests {
    private func world() throws -> TestWorld {
        let world = TestWorld(programs: .standard)
        world.server.add("/products") { _ in .json("[\"tea\",\"jam\"]") }
        world.server.add("/orders") { request in
            String(decoding: request.body, as: UTF8.self).contains("tea")
                ? .json("{\"number\":7}") : .status(409)
        }
        for path in ["/photos", "/report", "/item"] {
            world.server.add(path) { _ in .json("{}") }
        }
        return world
    }

    // MARK: 4.x

    @Test
    func `a client of 4.x: headers of a call, the task's response, JSON`() async throws {
        let world = try world()
        let client = ShopClient(server: world.baseURL)
        let names: [String]? = await answer { finish in
            client.products { names, _ in finish(names) }
        }
        #expect(names == ["tea", "jam"])
        #expect(client.statuses == [200])
        #expect(world.server.requests.first?.headers.values("X-Client") == ["shop/2"])
        #expect(world.server.requests.first?.target == "/products?page=1")
        #expect(client.running.first?.state == .completed)
        client.abandon()
    }

    @Test
    func `a JSON body goes out, and a refusal has its task`() async throws {
        let world = try world()
        let client = ShopClient(server: world.baseURL)
        #expect(await answer { client.order(["tea": 2], completion: $0) } == 7)
        #expect(await answer { client.order(["jam": 1], completion: $0) } == nil)
        #expect(client.statuses == [409])
        client.abandon()
    }

    @Test
    func `a form with progress, the other verbs, and a task that is started by hand`() async throws
    {
        let world = try world()
        let client = ShopClient(server: world.baseURL)
        let fractions = Log<Double>()
        let isSent: Bool = await answer { finish in
            client.upload(Data(count: 100_000), progress: { fractions.add($0) }, done: finish)
        }
        #expect(isSent)
        #expect(fractions.all.last == 1)
        #expect(await answer { client.exists("item", completion: $0) })
        #expect(await answer { client.exists("nothing", completion: $0) } == false)
        #expect(
            await answer { client.change("item", completion: $0) } == ["DELETE", "PATCH", "PUT"])
        #expect(await answer { customVerb(client, $0) } == 200)
        #expect(world.server.requests.last?.method == "REPORT")
        client.abandon()
    }

    // MARK: 3.x and 2.x

    @Test
    func `the verbs of 3.x and of 2.x`() async throws {
        let world = try world()
        let loader = NewsLoader()
        #expect(await answer { loader.load(world.address("/ok"), completion: $0) } == "hello world")
        #expect(await answer { loader.load(world.address("/nothing"), completion: $0) } == "failed")
        #expect(await answer { loader.send(world.address("/upload"), completion: $0) })
        #expect(await answer { loader.form(world.address("/upload"), completion: $0) })
        #expect(world.bodies("/upload").first == "a=b")
    }

    @available(*, deprecated)
    @Test
    func `a download, its progress, its place, and the task under Foundation's name`() async throws
    {
        let world = try world()
        let folder = try world.files.write("marker", Data()).deletingLastPathComponent()
        let loader = FileLoader()
        let (status, file): (Int?, URL?) = await answer { finish in
            loader.download(world.server.url("/bytes/100000"), to: folder) { response, file, _ in
                finish(((response as? HTTPURLResponse)?.statusCode, file))
            }
        }
        #expect(status == 200)
        #expect(try file.map { try Data(contentsOf: $0).count } == 100_000)
        #expect(loader.fractions.last == 1)
        #expect(loader.current?.originalRequest?.url?.path == "/bytes/100000")
        #expect(loader.current?.countOfBytesReceived == 100_000)
        loader.manager.invalidateSessionCancelingTasks(true)
    }

    @available(*, deprecated)
    @Test
    func `data and uploads; who never answered has an empty response`() async throws {
        let world = try world()
        let loader = FileLoader()
        world.server.hold("urls")
        world.server.add("/held") { _ in .json("{}").after(.wait(gate: "urls")) }
        let (status, isRead): (Int?, Bool) = await answer { finish in
            loader.read(world.server.url("/held")) {
                finish((($0 as? HTTPURLResponse)?.statusCode, $1 is [String: Any] && $2 == nil))
            }
            #expect(loader.urls == [world.server.url("/held")])
            world.server.release("urls")
        }
        #expect(status == 200)
        #expect(isRead)
        let upload = world.server.url("/upload")
        #expect(await answer { loader.store(Data(count: 50_000), upload, completion: $0) } == 1)
        let file = try world.files.write("body", Data("abc".utf8))
        #expect(await answer { loader.store(file, at: upload, completion: $0) })
        #expect(world.bodies("/upload").last == "abc")
        let (type, code): (Bool, Int?) = await answer { finish in
            loader.read(URL(string: "http://127.0.0.1:1/")!) {
                finish(($0 is HTTPURLResponse, ($2 as NSError?)?.code))
            }
        }
        #expect(!type)
        #expect(code == NSURLErrorCannotConnectToHost)
        loader.manager.invalidateSessionCancelingTasks(true)
    }

    @available(*, deprecated)
    @Test
    func `a download that was stopped goes on`() async throws {
        let world = try world()
        let body = Data(repeating: 7, count: 200_000)
        world.addTape("/file", body)
        let loader = FileLoader()
        let folder = try world.files.write("marker", Data()).deletingLastPathComponent()
        let place = folder.appendingPathComponent("whole")
        loader.download(world.server.url("/file"), to: folder) { _, _, _ in }
        await world.reached("half")
        #expect(await comesTrue { loader.current?.countOfBytesReceived == 100_000 })
        let data: Data? = await answer { loader.stop($0) }
        let file: URL? = await answer { loader.goOn(data ?? Data(), to: place, completion: $0) }
        #expect(file == place)
        let isWhole = try Data(contentsOf: place) == body
        #expect(isWhole)
        world.server.release("half")
        loader.manager.invalidateSessionCancelingTasks(true)
    }

    // MARK: Blocks and notifications

    @available(*, deprecated)
    @Test
    func `blocks get Foundation's tasks, the same object each time`() async throws {
        let world = try world()
        let manager = AFURLSessionManager(sessionConfiguration: nil)
        let watcher = TaskWatcher(manager)
        watcher.observe(world.baseURL)
        await done { watcher.load(world.server.url("/redirect?to=/json"), completion: $0) }
        // The session's own block is called on the delegate queue, beside all this.
        await done { finish in manager.operationQueue.addOperation { finish() } }
        watcher.forget()
        #expect(watcher.task?.state == .completed)
        #expect(watcher.events.contains("redirect /json"))
        #expect(watcher.events.contains("response 200"))
        #expect(watcher.events.contains("data 9"))
        #expect(watcher.events.contains("complete true"))
        #expect(watcher.events.contains("com.alamofire.networking.task.resume true"))
        let end = watcher.events.firstIndex(of: "com.alamofire.networking.task.complete true")
        #expect(try #require(watcher.events.firstIndex(of: "handler")) < #require(end))
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @available(*, deprecated)
    @Test(arguments: [true, false])
    func `credentials by the object returned, and behind a pointer`(isOld: Bool) async throws {
        let world = try world()
        for (password, code) in [("pass", nil), ("guess", isOld ? NSURLErrorCancelled : 7)] {
            let manager = AFURLSessionManager()
            manager.responseSerializer = AFHTTPResponseSerializer()
            if isOld {
                logInBefore(manager, user: "user", password: password)
            } else {
                logIn(manager, user: "user", password: password)
            }
            let seen: Int? = await answer { finish in
                manager.dataTask(with: URLRequest(url: world.server.url("/basic"))) {
                    (_: URLResponse, _: Any?, error: (any Error)?) in
                    finish((error as NSError?)?.code)
                }.resume()
            }
            #expect(seen == code)
            manager.invalidateSessionCancelingTasks(true, resetSession: false)
        }
    }

    @available(*, deprecated)
    @Test
    func `the names in the notification center are those of 4.0.1`() {
        #expect(
            [
                AFNetworkingTaskDidResumeNotification, AFNetworkingTaskDidSuspendNotification,
                AFNetworkingTaskDidCompleteNotification, AFURLSessionDidInvalidateNotification,
                AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification,
                AFURLSessionDownloadTaskDidFailToMoveFileNotification,
                AFNetworkingTaskDidCompleteResponseDataKey,
                AFNetworkingTaskDidCompleteSerializedResponseKey,
                AFNetworkingTaskDidCompleteResponseSerializerKey,
                AFNetworkingTaskDidCompleteErrorKey, AFNetworkingTaskDidCompleteAssetPathKey,
                AFNetworkingTaskDidCompleteSessionTaskMetrics,
            ].map { $0.replacingOccurrences(of: "com.alamofire.networking.", with: "") } == [
                "task.resume", "task.suspend", "task.complete", "session.invalidate",
                "session.download.file-manager-succeed", "session.download.file-manager-error",
                "complete.finish.responsedata", "task.complete.serializedresponse",
                "task.complete.responseserializer", "task.complete.error",
                "task.complete.assetpath", "complete.sessiontaskmetrics",
            ])
        #expect(AFNetworkingTaskDidStartNotification == AFNetworkingTaskDidResumeNotification)
        #expect(
            AFNetworkingTaskDidFinishResponseDataKey == AFNetworkingTaskDidCompleteResponseDataKey)
    }
}
