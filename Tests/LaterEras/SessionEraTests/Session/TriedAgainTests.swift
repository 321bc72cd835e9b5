import CurlConnection
import HTTPSemantics
import SessionEra
import TestSupport

@Suite("Tasks that are tried again by a policy", .timeLimit(.minutes(1)))
struct TriedAgainTests {
    private let world = TestWorld.sessions()

    init() {
        let left = Locked(2)
        world.server.add("/late") { _ in
            left.withLock { left in
                defer { left -= 1 }
                return left > 0 ? .status(503) : .text("ok")
            }
        }
        var policy = RetryPolicy()
        policy.delay = 0
        world.manager.retryPolicy = policy
    }

    @Test func `a task hears of the last try alone, and is one task`() async {
        let responses = Log<Int>()
        world.manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            responses.add((response as? HTTPURLResponse)?.statusCode ?? 0)
            return .allow
        }
        let decisions = Log<RetryDecision>()
        world.manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
            metrics?.retryDecisions.forEach(decisions.add)
        }
        let outcome = await world.data("/late")
        #expect(outcome.text == "ok")
        #expect(responses.all == [200])
        #expect(decisions.all.map(\.attempt) == [1, 2])
        #expect(world.server.requests.count == 3)
    }

    @Test func `a download is tried again too, and a copy of the manager has the policy`()
        async throws
    {
        let place = world.file("place")
        let outcome = await world.download("/late", to: place)
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == Data("ok".utf8))
        let copy = try #require(world.manager.copy() as? URLSessionManager)
        #expect(copy.retryPolicy?.delay == 0)
    }

    @Test func `a cancel between two tries ends the task once`() async throws {
        var policy = RetryPolicy()
        policy.delay = 3_600
        policy.maximumDelay = 3_600
        world.manager.retryPolicy = policy
        let ends = Log<Int>()
        let task = world.manager.dataTask(with: world.request("/late")) { _, _, error in
            ends.add((error as? URLError)?.code.rawValue ?? 0)
        }
        task.resume()
        #expect(
            world.server.waitUntil(timeout: 20) { statistics, requests in
                requests.count == 1 && statistics.inFlight == 0
            })
        task.cancel()
        #expect(await ends.reaches(1))
        #expect(ends.all == [URLError.Code.cancelled.rawValue])
        #expect(world.server.requests.count == 1)
    }

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
