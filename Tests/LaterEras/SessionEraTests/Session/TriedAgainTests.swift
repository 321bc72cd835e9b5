import CurlConnection
import HTTPSemantics
import SessionEra
import TestSupport

@Suite("Tasks that are tried again by a policy", .timeLimit(.minutes(1)))
struct TriedAgainTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        let left = Locked(2)
        bench.server.add("/late") { _ in
            left.withLock { left in
                defer { left -= 1 }
                return left > 0 ? .status(503) : .text("ok")
            }
        }
        var policy = RetryPolicy()
        policy.delay = 0
        bench.manager.retryPolicy = policy
    }

    @Test func `a task hears of the last try alone, and is one task`() async {
        let responses = Log<Int>()
        bench.manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            responses.add((response as? HTTPURLResponse)?.statusCode ?? 0)
            return .allow
        }
        let decisions = Log<RetryDecision>()
        bench.manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
            metrics?.retryDecisions.forEach(decisions.add)
        }
        let outcome = await bench.data("/late")
        #expect(outcome.text == "ok")
        #expect(responses.all == [200])
        #expect(decisions.all.map(\.attempt) == [1, 2])
        #expect(bench.server.requests.count == 3)
    }

    @Test func `a download is tried again too, and a copy of the manager has the policy`()
        async throws
    {
        let place = Bench.freshPlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let outcome = await bench.download("/late", to: place)
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == Data("ok".utf8))
        let copy = try #require(bench.manager.copy() as? URLSessionManager)
        #expect(copy.retryPolicy?.delay == 0)
    }

    @Test func `a cancel between two tries ends the task once`() async throws {
        var policy = RetryPolicy()
        policy.delay = 3_600
        policy.maximumDelay = 3_600
        bench.manager.retryPolicy = policy
        let ends = Log<Int>()
        let task = bench.manager.dataTask(with: bench.request("/late")) { _, _, error in
            ends.add((error as? URLError)?.code.rawValue ?? 0)
        }
        task.resume()
        #expect(
            bench.server.waitUntil(timeout: 20) { statistics, requests in
                requests.count == 1 && statistics.inFlight == 0
            })
        task.cancel()
        #expect(await ends.reaches(1))
        #expect(ends.all == [URLError.Code.cancelled.rawValue])
        #expect(bench.server.requests.count == 1)
    }
}
