import Alamofire
import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite("Old programs: managers", .timeLimit(.minutes(2)))
struct OldManagerTests {
    @Test
    func `headers of the default manager, of a configuration, and of none`() async throws {
        let room = try Room()
        let managers = Managers()
        let all: [[String: Any]] = await answer { managers.headers(room.base, completion: $0) }
        #expect(all.filter { ($0["X-Client"] as? String) == "shop/2" }.count == 1)
        let agents = all.filter {
            ($0["User-Agent"] as? String)?.contains("Alamofire/4.9.1") == true
        }
        #expect(agents.count == 2)
    }

    @Test
    func `a request waits for its resume`() async throws {
        let room = try Room()
        let managers = Managers()
        var request: DataRequest?
        let isGood: Bool = await answer { finish in
            request = managers.waiting(room.url("/get"), completion: finish)
            #expect(room.server.requests.isEmpty)
            request?.resume()
        }
        #expect(isGood)
        #expect(request?.task?.state == .completed)
    }

    @Test
    func `a manager that nobody keeps cancels its requests`() async throws {
        let room = try Room()
        room.server.hold("answer")
        room.server.add("/slow") { _ in .text("late").after(.wait(gate: "answer")) }
        let error: Error? = await answer {
            Managers().forgotten(room.url("/slow"), completion: $0)
        }
        room.server.release("answer")
        #expect((error as NSError?)?.code == NSURLErrorCancelled)
    }

    @Test
    func `a redirect is stopped by a closure`() async throws {
        let room = try Room()
        let stopper = RedirectStopper()
        #expect(
            await answer { stopper.stop(room.url("/redirect-to?url=/get"), completion: $0) } == 302)
        #expect(
            await answer { stopper.stop(room.url("/redirect-to?url=/json"), completion: $0) } == 200
        )
    }

    @Test
    func `a redirect is seen by a delegate of one's own`() async throws {
        let room = try Room()
        let diary = RedirectDiary()
        let manager = SessionManager(configuration: .ephemeral, delegate: diary)
        let status: Int? = await answer { finish in
            manager.request(room.url("/redirect-to?url=/json")).response {
                finish($0.response?.statusCode)
            }
        }
        #expect(status == 200)
        #expect(diary.lines == ["302 /json"])
    }

    @Test
    func `an adapter signs, and its error reaches the handler as it is`() async throws {
        let room = try Room()
        let client = SignedClient()
        let (_, error): (String?, Error?) = await answer { finish in
            client.whoAmI(room.url("/headers")) { finish(($0, $1)) }
        }
        #expect(error is NotLoggedIn)
        #expect(room.server.requests.isEmpty)
        client.adapter.token = "t"
        let (header, none): (String?, Error?) = await answer { finish in
            client.whoAmI(room.url("/headers")) { finish(($0, $1)) }
        }
        #expect(header == "Token t" && none == nil)
    }

    @Test
    func `one new token for many requests, which are sent again`() async throws {
        let room = try Room()
        room.server.add("/token") { _ in .json("{\"token\":\"new\"}") }
        room.server.add("/balance") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .json("{\"balance\":7}") : .status(401)
        }
        let client = AccountClient(server: room.base, token: "old")
        let balances: [Int?] = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    await answer { client.balance(room.url("/balance"), completion: $0) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(balances == Array(repeating: 7, count: 8))
        #expect(
            room.server.requests.filter { $0.path == "/token" }.count == client.keeper.refreshes)
        #expect(client.keeper.refreshes < 8)
    }

    @Test
    func `patience tries again until it is good, or three times`() async throws {
        let room = try Room()
        let manager = SessionManager(configuration: .ephemeral)
        manager.retrier = Patience()
        let status: Int? = await answer { finish in
            manager.request(room.url("/x/flaky?fail=2&id=p")).validate().response {
                finish($0.response?.statusCode)
            }
        }
        #expect(status == 200)
        let error: Error? = await answer { finish in
            manager.request(room.url("/status/500")).validate().response { finish($0.error) }
        }
        #expect((error as? AFError)?.responseCode == 500)
        #expect(room.server.requests.filter { $0.path == "/status/500" }.count == 4)
    }

    @Test
    func `notifications of one request`() async throws {
        let room = try Room()
        let logger = ActivityLogger()
        let path = "/anything/\(UUID().uuidString)"
        await done { finish in
            Alamofire.request(room.url(path)).response { _ in finish() }
        }
        let lines = logger.all.filter { $0.hasPrefix(path) }
        #expect(lines.count == 2)
        #expect(lines.contains("\(path) didResume -1"))
        #expect(lines.contains { $0.hasPrefix("\(path) didComplete ") && !$0.hasSuffix("-1") })
    }

    @Test
    func `each search cancels the one before it`() async throws {
        let room = try Room()
        room.server.hold("first")
        room.server.add("/search") { request in
            let text = request.query["q"] ?? ""
            return text == "t" ? .text(text).after(.wait(gate: "first")) : .text(text)
        }
        let box = SearchBox()
        await done { finish in
            var left = 2
            let end = {
                left -= 1
                if left == 0 { finish() }
            }
            DispatchQueue.main.async {
                box.search(room.url("/search"), "t", completion: end)
                box.search(room.url("/search"), "te", completion: end)
            }
        }
        room.server.release("first")
        #expect(box.found == ["te"])
        #expect(box.cancelled == 1)
    }

    @Test
    func `a singleton with a batch`() async throws {
        let room = try Room()
        APIManager.sharedInstance.baseURL = room.base
        let good: [String] = await answer {
            APIManager.sharedInstance.all(
                ["/json", "/get", "/status/500", "/html"], completion: $0)
        }
        #expect(good == ["/get", "/json"])
    }
}
