import OperationNetworking
import TestSupport

@testable import SessionEra

/// Making a `URLSession` of Foundation's takes longer than a request, and enters libcurl.
@Suite("The session that nobody reads, `.connection`", .timeLimit(.minutes(2)))
struct UnseenSessionTests {
    @Test func `it is made for no task, also of a stream, and for a block that has it`()
        async throws
    {
        let world = TestWorld.sessions()
        let session = world.manager.slot.session(for: world.manager)
        #expect(await world.data("/redirect?to=/ok").text == "hello world")
        var request = world.request("/ok", "POST")
        request.httpBodyStream = InputStream(data: Data(count: 100))
        let upload = await world.outcome { [request] in
            world.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
        #expect(upload.status == 200)
        #expect(await world.download("/ok", to: nil).status == 200)
        #expect(await world.data("/basic-auth/user/pass").status == 401)
        #expect(session.madeURLSession == nil)
        let heard = Log<ObjectIdentifier>()
        world.manager.setTaskDidComplete { session, _, _ in heard.add(ObjectIdentifier(session)) }
        #expect(await world.data("/ok").status == 200)
        #expect(await heard.reaches(1))
        #expect(heard.all == [session.madeURLSession].compactMap { $0 }.map(ObjectIdentifier.init))
        #expect(world.manager.session === session.madeURLSession)
    }
}
