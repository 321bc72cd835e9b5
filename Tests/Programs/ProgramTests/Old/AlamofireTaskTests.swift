import Alamofire
@testable import OldAlamofire
import TestSupport

@Suite("Foundation's tasks beside Alamofire's", .timeLimit(.minutes(1)))
struct AlamofireTaskTests {
    @Test
    func `a session delegate of the program's own is called`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/own") { _ in .text("bytes") }
        let own = OwnSession()
        let lines: [String] = await answer { own.load(world.address("/own"), completion: $0) }
        #expect(lines == ["response 200", "data bytes", "end true"])
    }

    @Test
    func `so is one with both imports, and its tasks are Foundation's`() async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/own") { _ in .text("bytes") }
        let own = OwnSessionBeside()
        #expect(await answer { own.load(world.address("/own"), completion: $0) } == "bytes true")
        #expect(await answer { own.loadShared(world.address("/own"), completion: $0) } == 200)
    }

    @Test
    func `a request's task is one of Foundation's for closures, casts, lists and weak variables`()
        async throws
    {
        let world = TestWorld(programs: .httpbin)
        let keeper = TaskKeeper()
        var request: DataRequest?
        let status: Int? = await answer {
            request = keeper.load(world.address("/redirect-to?url=/get"), completion: $0)
        }
        #expect(status == 200)
        #expect(
            keeper.lines == [
                "own true", "redirect true 302", "response true", "end /redirect-to",
            ])
        #expect(keeper.latest === request?.task && request?.task?.state == .completed)
        #expect(keeper.kinds(world.address("/get")) == [true, false, true, false])
    }

    @Test
    func `a source that names this port's tasks gets those`() async throws {
        let world = TestWorld(programs: .httpbin)
        let manager = SessionManager(configuration: .ephemeral)
        let ends = Ends()
        manager.delegate.taskDidComplete = { (_: URLSession, task: SessionTask, _: (any Error)?) in
            ends.add(task.taskIdentifier)
        }
        let request = manager.request(world.address("/get"))
        let task: SessionTask? = request.task
        await done { finish in request.response { _ in finish() } }
        #expect(ends.all == [task?.taskIdentifier])
        let closure: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)? =
            manager.delegate.taskDidComplete
        closure?(manager.session, URLSessionTask(), nil)
        request.task.map { closure?(manager.session, $0, nil) }
        #expect(ends.all.count == 2, "A task of another session is none of the manager's.")
    }

    @Test
    func `a subclass that overrides in Foundation's types is called, and its super acts`()
        async throws
    {
        let world = TestWorld(programs: .httpbin)
        let counter = PieceCounter()
        let manager = SessionManager(configuration: .ephemeral, delegate: counter)
        let data: Data? = await answer { finish in
            manager.request(world.address("/get")).responseData { finish($0.value) }
        }
        #expect(data?.isEmpty == false)
        #expect(counter.pieces > 0 && counter.ends == ["/get"])
    }

    @Test
    func `a class that forwards requests by a session of its own serves a manager`() async throws {
        let world = TestWorld(programs: .httpbin)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ForwardingProtocol.self]
        configuration.httpAdditionalHeaders = ["X-Session": "1"]
        let manager = SessionManager(configuration: configuration)
        let status: Int? = await answer { finish in
            manager.request(world.address("/get"), headers: ["X-Own": "2"]).responseData {
                finish($0.value?.isEmpty == false ? $0.response?.statusCode : nil)
            }
        }
        #expect(status == 200)
        let seen = world.server.requests.map { request in
            ["X-Forwarded", "X-Session", "X-Own"].map { request.headers[$0] ?? "-" }
        }
        #expect(seen == [["1", "1", "2"]])
    }
}

private final class Ends: @unchecked Sendable {
    // @unchecked because the list is under the lock.
    private let lock = NSLock()
    private var identifiers: [Int] = []

    var all: [Int] { lock.withLock { identifiers } }

    func add(_ identifier: Int) { lock.withLock { identifiers.append(identifier) } }
}
