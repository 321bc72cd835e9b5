import OperationNetworking
import TestSupport

@testable import SessionEra

/// Making a `URLSession` of Foundation's takes longer than a request, and enters libcurl.
@Suite("The session that nobody reads, `.connection`", .timeLimit(.minutes(2)))
struct UnseenSessionTests {
    @Test func `it is made for no task, also of a stream, and for a block that has it`()
        async throws
    {
        let bench = try Bench()
        let session = bench.manager.slot.session(for: bench.manager, forwardsCredentials: false)
        #expect(await bench.data("/redirect?to=/ok").text == "hello world")
        var request = bench.request("/ok", method: "POST")
        request.httpBodyStream = InputStream(data: Data(count: 100))
        let upload = await bench.outcome { [request] in
            bench.manager.uploadTask(withStreamedRequest: request, completionHandler: $0)
        }
        #expect(upload.status == 200)
        #expect(await bench.download("/ok", to: nil).status == 200)
        #expect(await bench.data("/basic-auth/user/pass").status == 401)
        #expect(session.madeURLSession == nil)
        let heard = Log<ObjectIdentifier>()
        bench.manager.setTaskDidComplete { session, _, _ in heard.add(ObjectIdentifier(session)) }
        #expect(await bench.data("/ok").status == 200)
        #expect(await heard.reaches(1))
        #expect(heard.all == [session.madeURLSession].compactMap { $0 }.map(ObjectIdentifier.init))
        #expect(bench.manager.session === session.madeURLSession)
    }
}
