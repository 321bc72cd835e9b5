import AFNetworking
import LoopbackServer
@testable import OldAFNetworking
import TestSupport
import Testing

@Suite("Old sources: a mocked server", .timeLimit(.minutes(1)))
struct MockedSessionTests {
    @Test
    func `a class of protocolClasses answers a session manager, and nothing goes out`() async throws
    {
        let room = try Room()
        let shop = MockedShop(room.baseURL)
        #expect(await answer { shop.price(of: "tea", completion: $0) } == 3)
        #expect(room.server.requests.isEmpty)
        shop.manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
