import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: a mocked server", .timeLimit(.minutes(1)))
struct MockedSessionTests {
    @Test
    func `a class of protocolClasses answers a session manager, and nothing goes out`() async throws
    {
        let world = TestWorld(programs: .standard)
        let shop = MockedShop(world.baseURL)
        #expect(await answer { shop.price(of: "tea", completion: $0) } == 3)
        #expect(world.server.requests.isEmpty)
        shop.manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
