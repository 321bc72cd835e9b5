import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("Operations that are tried again by a policy", .timeLimit(.minutes(1)))
struct TriedAgainTests {
    @Test func `a manager's operation ends once, says why on main, and shares the budget`()
        async throws
    {
        let world = TestWorld()
        let left = Locked(2)
        world.server.add("/late") { _ in
            left.withLock { left in
                defer { left -= 1 }
                return left > 0 ? .status(503) : .json("[1]")
            }
        }
        let manager = HTTPRequestOperationManager()
        let budget = RetryBudget(ratio: 0, reserve: 2)
        var policy = RetryPolicy(budget: budget)
        policy.delay = 0
        manager.configuration.retryPolicy = policy
        let reported = Log<(decision: RetryDecision, isMain: Bool)>()
        let ends = Log<String>()
        let operation = manager.httpRequestOperation(
            with: world.request("/late"), success: { _, _ in ends.add("success") },
            failure: { _, _ in ends.add("failure") })
        operation.setRetryBlock { reported.add(($0, MainQueue.isCurrent)) }
        manager.enqueue(operation)
        #expect(await ends.reaches(1))
        #expect(ends.all == ["success"])
        #expect(await reported.reaches(2))
        let isMain = reported.all.map { $0.isMain }
        #expect(isMain == [true, true])
        #expect(operation.metrics?.retryDecisions == reported.all.map { $0.decision })
        #expect(world.server.requests.count == 3)
        #expect(budget.available == 0)
    }

    @Test func `the error of a status says where the budget ended the tries`() async throws {
        let world = TestWorld()
        world.server.add("/late") { _ in .status(503) }
        let manager = HTTPRequestOperationManager()
        manager.configuration.retryPolicy = RetryPolicy(budget: RetryBudget(ratio: 0, reserve: 1))
        manager.configuration.retryPolicy?.delay = 0
        let ends = Log<String>()
        manager.enqueue(
            manager.httpRequestOperation(
                with: world.request("/late"), success: nil,
                failure: { _, error in ends.add("\(error)\n" + error.localizedDescription) }))
        #expect(await ends.reaches(1))
        let lines = ends.all.first?.split(separator: "\n") ?? []
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains("(503); the retry budget is used up") }, "\(lines)")
    }

    @Test func `thread, modes and limit of a manager are its operations'`() throws {
        let manager = HTTPRequestOperationManager()
        let thread = NetworkThread(name: "own")
        let modes: Set<RunLoop.Mode> = [.default, RunLoop.Mode("own")]
        manager.networkThread = thread
        manager.runLoopModes = modes
        manager.timeoutIntervalForResource = 9
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let operation = manager.httpRequestOperation(
            with: URLRequest(url: url), success: nil, failure: nil)
        #expect(operation.networkThread === thread)
        #expect(operation.runLoopModes == modes)
        #expect(operation.timeoutIntervalForResource == 9)
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(copy.networkThread === thread && copy.timeoutIntervalForResource == 9)
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: manager, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(
                ofClass: HTTPRequestOperationManager.self, from: data))
        #expect(read.timeoutIntervalForResource == 9)
    }

    @Test func `a bearer token is a field of the serializer's, and cleared with it`() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setAuthorizationHeaderField(bearerToken: "t0")
        let request = try serializer.request(
            method: "GET", urlString: "http://127.0.0.1/", parameters: nil)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer t0")
        serializer.clearAuthorizationHeader()
        #expect(serializer.value(forHTTPHeaderField: "Authorization") == nil)
    }
}
