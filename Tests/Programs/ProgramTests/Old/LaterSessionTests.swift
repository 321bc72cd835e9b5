import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: how 3.x and 4.x spelled it", .timeLimit(.minutes(1)))
struct LaterSessionTests {
    // MARK: Tasks

    @available(*, deprecated)
    @Test
    func `a task held weakly lives until its blocks were called with it`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.hold("weak")
        world.server.add("/held") { _ in .json("{}").after(.wait(gate: "weak")) }
        let tasks = HeldTasks(world.baseURL)
        let (isSame, error): (Bool, (any Error)?) = await answer { finish in
            tasks.load("held") { finish(($0, $1)) }
            #expect(tasks.current?.state == .running)
            world.server.release("weak")
        }
        #expect(isSame && error == nil)
        #expect(await comesTrue { tasks.current == nil })
        tasks.manager.invalidateSessionCancelingTasks(true)
    }

    @available(*, deprecated)
    @Test
    func `a task held weakly can be cancelled, and one that nobody resumed waits`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.hold("weak")
        world.server.add("/held") { _ in .json("{}").after(.wait(gate: "weak")) }
        let tasks = HeldTasks(world.baseURL)
        tasks.prepareDownload(world.server.url("/held"))
        let (isSame, error): (Bool, (any Error)?) = await answer { finish in
            tasks.load("held") { finish(($0, $1)) }
            tasks.current?.cancel()
        }
        #expect(isSame && (error as NSError?)?.code == NSURLErrorCancelled)
        #expect(tasks.download?.state == .suspended)
        tasks.download?.cancel()
        #expect(await comesTrue { tasks.download == nil })
        world.server.release("weak")
        tasks.manager.invalidateSessionCancelingTasks(true)
    }

    @available(*, deprecated)
    @Test
    func `a task in a constant is of Foundation's type`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/get") { _ in .json("{}") }
        let tasks = HeldTasks(world.baseURL)
        let status: Int = await answer { finish in
            let task = tasks.read(world.server.url("/get"), completion: finish)
            #expect(tasks.all["read"] === task)
        }
        #expect(status == 200)
        let file = try world.files.write("marker", Data()).deletingLastPathComponent()
            .appendingPathComponent("fetched")
        await done { finish in
            let task = tasks.fetch(world.server.url("/bytes/10"), to: file, completion: finish)
            #expect(task != nil && tasks.all["fetch"] === task)
        }
        #expect(try Data(contentsOf: file).count == 10)
        let task: SessionDataTask = tasks.manager.dataTask(with: URLRequest(url: file)) { _, _, _ in
        }
        task.cancel()
        await done { tasks.send(Data(), to: "upload", completion: $0) }
        #expect(tasks.all["send"]?.state == .completed)
        tasks.manager.invalidateSessionCancelingTasks(true)
    }

    // MARK: Requests

    @available(*, deprecated)
    @Test
    func `4.x's serializer throws what makes a request impossible`() throws {
        let url = "http://127.0.0.1/"
        let methods = ["POST", "GET"]
        #expect(order(AFHTTPRequestSerializer(), url, ["a": 1]) == "\(methods) 3")
        #expect(order(AFHTTPRequestSerializer(), url, nil) == "\(methods) 0")
        #expect(order(AFJSONRequestSerializer(), url, ["a": Double.nan]) == "refused")
        #expect(order(AFHTTPRequestSerializer(), "", nil) == "refused")
    }

    @Test
    func `a query block of 4.x that gives nothing leaves the URL as it is`() async throws {
        let world = TestWorld(programs: .standard)
        #expect(await answer { sendWithoutQuery(world.baseURL, $0) } == nil)
        #expect(world.server.requests.first?.target == "/ok")
    }

    // MARK: Servers

    @available(*, deprecated)
    @Test
    func `pins are a set, and a block with Apple's pointer type judges a server`() async throws {
        let identity = try TLSIdentity(.loopback)
        let server = LoopbackServer(tls: TLSSettings(identity))
        try server.start()
        defer { server.stop() }
        for (pins, isAccepted) in [(Set([identity.der]), true), ([Data("none".utf8)], false)] {
            let shop = OldAFNetworking.PinnedShop(server.baseURL, pins: pins)
            #expect(shop.pins == (isAccepted ? pins : []))
            let code: Int? = await answer { finish in
                shop.manager.get(
                    "json", parameters: nil, progress: nil, success: { _, _ in finish(nil) },
                    failure: { _, error in finish((error as NSError).code) })
            }
            #expect(code == (isAccepted ? nil : NSURLErrorCancelled))
            shop.manager.invalidateSessionCancelingTasks(true)
        }
    }

    // MARK: Functions and the indicator

    @Test
    func `the functions of 3.x and 4.x`() {
        let (query, text, object, list) = laterFunctions()
        #expect(query == "k%5Bx%5D=1&q=a%20b%26c")
        #expect(text == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/%C3%BC")
        #expect(object?.keys.sorted() == ["b"])
        let inner = object?["b"] as? [String: Any]
        #expect(inner?["d"] as? [Int] == [1] && inner?.count == 1)
        #expect(list == [1])
    }

    @available(*, deprecated)
    @Test
    func `the indicator's block hears of activity`() async {
        let seen = Watched<[Bool]>([])
        watchActivity { isVisible in seen.change { $0.append(isVisible) } }
        defer { forgetActivity() }
        AFNetworkActivityIndicatorManager.shared().incrementActivityCount()
        #expect(await comesTrue { seen.now.first == true })
        AFNetworkActivityIndicatorManager.shared().decrementActivityCount()
    }
}
