import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("The session that a manager shows", .timeLimit(.minutes(2)))
struct GivenSessionTests {
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
