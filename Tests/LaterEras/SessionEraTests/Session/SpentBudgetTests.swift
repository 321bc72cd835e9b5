import CurlConnection
import HTTPSemantics
import OperationNetworking
import SessionEra
import TestSupport

@Suite("The budget of retries, sessions", .timeLimit(.minutes(2)))
struct SpentBudgetTests {
    @Test func `the error of a status says where the budget ended the tries`() async throws {
        let world = TestWorld.sessions()
        world.server.add("/late") { _ in .status(503) }
        let budget = RetryBudget(ratio: 0, reserve: 1)
        var configuration = URLConnectionConfiguration()
        configuration.retryPolicy = RetryPolicy(budget: budget)
        configuration.retryPolicy?.delay = 0
        world.manager.connectionConfiguration = configuration
        let outcome = await world.data("/late")
        #expect(world.server.requests.count == 2)
        let text = outcome.error?.localizedDescription ?? ""
        #expect(text.contains("(503); the retry budget is used up"), "\(text)")
        let place = TestWorld.freshPlace()
        let download = await world.download("/late", to: place)
        try? FileManager.default.removeItem(at: place)
        let other = download.error?.localizedDescription ?? ""
        #expect(other.contains("(503); the retry budget is used up"), "\(other)")
        world.manager.connectionConfiguration = URLConnectionConfiguration()
        let plain = await world.data("/late").error?.localizedDescription ?? ""
        #expect(plain.hasSuffix("(503)"), "\(plain)")
    }
}
