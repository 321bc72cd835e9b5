import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Requests with file: and data: addresses", .timeLimit(.minutes(1)))
struct LocalAddressTests {
    @Test func `a request has the bytes where the manager allows it, and -1002 where not`()
        async throws
    {
        let world = TestWorld.requests()
        let refused = await world.manager.request("data:,local").data()
        #expect((refused.error as? URLError)?.code == .unsupportedURL)
        world.manager.loadsLocalAddresses = true
        let response = await world.manager.request("data:text/plain;charset=utf-8,gr%C3%BCn")
            .data()
        // As text it would be Latin 1, since there is no HTTP response that says otherwise.
        #expect(response.value == Data("grün".utf8))
        #expect(response.response == nil)
        world.server.add("/away") { _ in .redirect(to: "data:,local") }
        let away = await world.get("/away").data()
        #expect((away.error as? URLError)?.code == .unsupportedURL)
    }
}
