import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Foundation's session of a manager, `.connection`", .timeLimit(.minutes(2)))
struct ShownSessionTests {
    @Test func `none is made for requests of all kinds, their ends and a manager's`() async throws {
        let world = TestWorld.requests()
        world.server.add("/post") { .text("\($0.body.count)") }
        let manager = world.manager
        manager.retrier = Retrier.upTo(1)
        #expect(await world.get("/redirect?to=/ok").validate().ended().error == nil)
        #expect(await world.get("/status/503").validate().ended().error != nil)
        let data = manager.upload(Data(count: 100), to: world.address("/post"))
        #expect(await data.ended().error == nil)
        let stream = manager.upload(InputStream(data: Data(count: 100)), to: world.address("/post"))
        #expect(await stream.ended().error == nil)
        let download = await manager.download(world.address("/ok")).ended()
        #expect(download.error == nil)
        download.temporaryURL.map { try? FileManager.default.removeItem(at: $0) }
        #expect(await world.get("/basic-auth/user/pass").ended().response?.statusCode == 401)
        let secret = world.get("/basic-auth/user/pass")
            .authenticate(user: "user", password: "pass")
        #expect(await secret.ended().response?.statusCode == 200)
        let session = manager.taskSession
        #expect(session.madeURLSession == nil)
        session.finishTasksAndInvalidate()
        await onNewThread { session.delegateQueue.waitUntilAllOperationsAreFinished() }
        #expect(session.madeURLSession == nil)
        #expect(manager.session === session.madeURLSession)
    }

    @Test func `one is made for a closure, which has it, and for a subclass`() async throws {
        let world = TestWorld.requests()
        let heard = Log<ObjectIdentifier>()
        world.delegate.taskDidComplete = { session, _, _ in heard.add(ObjectIdentifier(session)) }
        #expect(await world.get("/ok").ended().error == nil)
        let made = try #require(world.manager.taskSession.madeURLSession)
        #expect(heard.all == [ObjectIdentifier(made)])
    }

    @Test func `one that was given is what closures and requests have`() async throws {
        let server = LoopbackServer.started(routes: .served)
        defer { server.stop() }
        let delegate = SessionDelegate()
        let session = URLSession(
            configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
        let manager = try #require(
            SessionManager(session: session, delegate: delegate))
        let heard = Log<ObjectIdentifier>()
        delegate.dataTaskDidReceiveResponse = { session, _, _ in
            heard.add(ObjectIdentifier(session))
            return .allow
        }
        delegate.taskDidComplete = { session, _, _ in heard.add(ObjectIdentifier(session)) }
        let request = manager.request(server.url("/ok"))
        #expect(await request.ended().error == nil)
        #expect(manager.session === session && request.session === session)
        #expect(await heard.reaches(2))
        #expect(heard.all.allSatisfy { $0 == ObjectIdentifier(session) })
        session.finishTasksAndInvalidate()
    }
}
