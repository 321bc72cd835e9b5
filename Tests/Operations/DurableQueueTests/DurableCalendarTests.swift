import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("A durable queue and the calendar", .timeLimit(.minutes(5)))
struct DurableCalendarTests {
    /// A server that is busy once.
    private func world() throws -> TestWorld {
        let world = TestWorld.durable()
        let count = Watched(0)
        world.server.add("/busy") { _ in
            let number = count.change {
                $0 += 1
                return $0
            }
            return number == 1
                ? .text("later", status: 503, headers: [("Retry-After", "100")]) : .text("now")
        }
        return world
    }

    private func isDelayed(_ queue: DurableQueue, _ id: UUID) async -> Bool {
        await waits(queue, id) { if case .retry? = $0 { true } else { false } }
    }

    @Test func `a calendar that is set back delays nobody`() async throws {
        let world = try world()
        let queue = try await world.open()
        let first = try await queue.add(world.post("/busy"), orderedBy: "a")
        try await queue.add(world.post("/in/2"), orderedBy: "a")
        #expect(await isDelayed(queue, first))
        world.clock.date -= 86_400
        world.clock.turn(by: 101)
        #expect(await world.reported.reaches(2))
        #expect(world.paths == ["/busy", "/busy", "/in/2"])
    }

    @Test func `what is delayed after the calendar was set back waits as long as it should`()
        async throws
    {
        let world = try world()
        let queue = try await world.open { $0.isSuspended = true }
        let first = try await queue.add(world.post("/busy"))
        world.clock.date -= 86_400
        queue.isSuspended = false
        #expect(await isDelayed(queue, first))
        world.clock.date -= 86_400
        world.clock.turn(by: 90)
        // One more look at what is due.
        #expect(await queue.remove(UUID()) == false)
        queue.isSuspended = false
        #expect(await queue.remove(UUID()) == false)
        #expect(world.paths == ["/busy"])
        world.clock.turn(by: 11)
        #expect(await world.reported.reaches(1))
    }

    @Test func `after a restart no entry waits longer than the policy ever has one wait`()
        async throws
    {
        let world = try world()
        let change: @Sendable (inout DurableQueue.Options) -> Void = {
            $0.retryPolicy.maximumRetryAfter = 200
            $0.retryPolicy.maximumDelay = 200
        }
        let first = try await world.open(nil, change)
        let id = try await first.add(world.post("/busy"), orderedBy: "a")
        #expect(await isDelayed(first, id))
        await first.close()
        world.clock.date -= 30 * 86_400
        let second = try await world.open(nil, change)
        #expect(await isDelayed(second, id))
        world.clock.turn(by: 201)
        #expect(await world.reported.reaches(1))
        #expect(world.outcomes == ["delivered 200"])
    }

    @Test func `what was sent leaves no dates behind`() throws {
        var state = DurableState()
        let request = RequestArchive(URLRequest(url: URL(fileURLWithPath: "/")))
        let now = Date()
        for number in 0..<10_000 {
            let entry = StoredEntry(
                id: UUID(), request: request, idempotencyKey: "", key: "k\(number % 3)", added: now,
                expires: now + 86_400)
            state.add(entry)
            #expect(state.begin(limit: 1)?.entry.id == entry.id)
            state.endTry(entry.id, phase: .ending)
            state.remove(entry.id)
        }
        #expect(state.items.isEmpty && state.due.count <= 64)
    }

    @Test func `a budget counts each accepted request`() async throws {
        let world = TestWorld.durable()
        let budget = RetryBudget(ratio: 1, reserve: 1)
        let queue = try await world.open { $0.retryPolicy.budget = budget }
        for number in 1...3 { try await queue.add(world.post("/in/\(number)")) }
        await queue.waitUntilEmpty()
        #expect(budget.available == 4)
    }
}
