import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: managers", .timeLimit(.minutes(5)))
struct OldManagerTests {

    @Test
    func `a login sets the token of the requests after it, and logout takes it away`() async throws
    {
        let world = TestWorld(programs: .standard)
        world.server.add("/login") { request in
            String(decoding: request.body, as: UTF8.self).contains("\"secret\"")
                ? .json("{\"token\":\"t1\"}") : .status(403)
        }
        world.server.add("/profile") { request in
            .json("{\"seen\":\"\(request.headers["Authorization"] ?? "none")\"}")
        }
        let service = LoginService(baseURL: world.baseURL)
        #expect(await answer { service.login("ann", password: "secret", completion: $0) })
        let profile = await answer { service.profile($0) }
        #expect(profile?["seen"] as? String == "Bearer t1")
        service.logout()
        let after = await answer { service.profile($0) }
        #expect(after?["seen"] as? String == "none")
        #expect(await answer { service.login("ann", password: "guess", completion: $0) } == false)
    }

    @Test
    func `a form has sorted pairs`() async throws {
        let world = TestWorld(programs: .standard)
        let sender = OldAFNetworking.OrderSender()
        await done { sender.sendAsForm(world.address("/upload"), done: $0) }
        #expect(
            world.server.requests.first?.headers["Content-Type"]
                == "application/x-www-form-urlencoded")
        #expect(world.bodies("/upload") == ["a=1&b=2"])
    }

    @Test
    func `a body that is no JSON fails with the old domain and code`() async throws {
        let world = TestWorld(programs: .standard)
        let (isOurs, code): (Bool, Int) = await answer { finish in
            domainOfFailure(world.address("/ok")) { finish(($0, $1)) }
        }
        #expect(isOurs)
        #expect(code == NSURLErrorCannotDecodeContentData)
    }

    @Test
    func `the other verbs put their parameters where they belong`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/notes/7") { _ in .text("fine") }
        let store = NotesStore(baseURL: world.baseURL)
        #expect(await answer { store.exists(7, done: $0) })
        #expect(store.lastStatus == 200)
        #expect(await answer { store.exists(8, done: $0) } == false)
        await done { store.replace(7, text: "a b", done: $0) }
        await done { store.rename(7, title: "t", done: $0) }
        await done { store.remove(7, done: $0) }
        let seen = world.server.requests.map { "\($0.method) \($0.target)" }
        #expect(
            seen == [
                "HEAD /notes/7", "HEAD /notes/8", "PUT /notes/7", "PATCH /notes/7",
                "DELETE /notes/7?hard=1",
            ])
        #expect(world.bodies("/notes/7") == ["", "text=a%20b", "title=t", ""])
    }

    @Test
    func `nested parameters are written in brackets`() async throws {
        let world = TestWorld(programs: .standard)
        let query = await answer { sendFilter(world.baseURL, $0) }
        #expect(
            query == "active=1&parent&range%5Bmax%5D=9&range%5Bmin%5D=1&tags%5B%5D=a&tags%5B%5D=b")
    }

    @Test
    func `a query block has the last word`() async throws {
        let world = TestWorld(programs: .standard)
        #expect(await answer { oldQuery(world.baseURL, $0) } == "a:1;b:2")
    }

    @Test
    func `a compound serializer takes whichever fits`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/object") { _ in .json("{\"a\":1,\"b\":null}") }
        world.server.add("/list") { _ in
            .text(
                "<plist version=\"1.0\"><dict><key>k</key><string>v</string><key>l</key><true/></dict></plist>",
                contentType: "application/x-plist")
        }
        let mixed = MixedAnswers(baseURL: world.baseURL)
        #expect(await answer { mixed.load("object", completion: $0) } == "dictionary of 1")
        #expect(await answer { mixed.load("list", completion: $0) } == "dictionary of 2")
        #expect(await answer { mixed.load("ok", completion: $0) } == "11 bytes")
    }

    @Test
    func `a property list goes out and comes back`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/mirror") { .data($0.body, contentType: "application/x-plist") }
        let client = PropertyListClient()
        let list = await answer {
            client.exchange(
                world.address("/mirror"), list: ["name": "x", "count": 2], completion: $0)
        }
        #expect(list?["name"] as? String == "x")
        #expect(world.server.requests.first?.headers["Content-Type"] == "application/x-plist")
    }

    @Test
    func `a feed is parsed by the caller`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/feed") { _ in
            .text(
                "<rss><item><title>One</title></item><item><title>Two</title></item></rss>",
                contentType: "application/rss+xml")
        }
        let feed = NewsFeed()
        #expect(await answer { feed.load(world.address("/feed"), completion: $0) })
        #expect(feed.titles == ["One", "Two"])
    }

    @Test
    func `a search ends the one before it`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/search") { request in
            let answer = ScriptedResponse.json("{}")
            return request.query["q"] == "a" ? answer.after(.wait(gate: "never")) : answer
        }
        world.server.hold("never")
        let box = SearchBox(baseURL: world.baseURL)
        // The first search has returned before the second begins: the class is for one thread.
        let first = Watched<[Int]>([])
        box.search("a") { error in first.change { $0.append((error as NSError?)?.code ?? 0) } }
        await world.reached("never")
        let second: (any Error)? = await answer { finish in box.search("ab") { finish($0) } }
        #expect(second == nil)
        await first.wait(until: "the end of the first search") { $0 == [NSURLErrorCancelled] }
        #expect(box.cancelled == 1)
    }

    @Test
    func `managers that share a queue share its limit`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/slow") { _ in ScriptedResponse.text("x").after(.sleep(seconds: 0.02)) }
        let managers = (0..<4).map { _ in SharedQueue.manager(world.baseURL) }
        await withTaskGroup(of: Void.self) { group in
            for manager in managers + managers {
                group.addTask {
                    _ = await succeeds("slow", with: manager)
                }
            }
        }
        #expect(world.server.requests.count == 8)
        #expect(world.server.statistics.peakInFlight <= 2)
    }
}
