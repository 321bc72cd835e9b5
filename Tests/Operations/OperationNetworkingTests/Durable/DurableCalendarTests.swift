import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("A durable queue and the calendar", .timeLimit(.minutes(5)))
struct DurableCalendarTests {
    /// A server that is busy once.
    private func room() throws -> DurableRoom {
        let room = try DurableRoom()
        let count = Watched(0)
        room.server.add("/busy") { _ in
            let number = count.change {
                $0 += 1
                return $0
            }
            return number == 1
                ? .text("later", status: 503, headers: [("Retry-After", "100")]) : .text("now")
        }
        return room
    }

    private func isDelayed(_ queue: DurableQueue, _ id: UUID) async -> Bool {
        await waits(queue, id) { if case .retry? = $0 { true } else { false } }
    }

    @Test func `a calendar that is set back delays nobody`() async throws {
        let room = try room()
        let queue = try await room.open()
        let first = try await queue.add(room.request("/busy"), orderedBy: "a")
        try await queue.add(room.request("/in/2"), orderedBy: "a")
        #expect(await isDelayed(queue, first))
        room.clock.date -= 86_400
        room.clock.turn(by: 101)
        #expect(await room.told.reaches(2))
        #expect(room.paths == ["/busy", "/busy", "/in/2"])
    }

    @Test func `what is delayed after the calendar was set back waits as long as it should`()
        async throws
    {
        let room = try room()
        let queue = try await room.open { $0.isSuspended = true }
        let first = try await queue.add(room.request("/busy"))
        room.clock.date -= 86_400
        queue.isSuspended = false
        #expect(await isDelayed(queue, first))
        room.clock.date -= 86_400
        room.clock.turn(by: 90)
        // One more look at what is due.
        #expect(await queue.remove(UUID()) == false)
        queue.isSuspended = false
        #expect(await queue.remove(UUID()) == false)
        #expect(room.paths == ["/busy"])
        room.clock.turn(by: 11)
        #expect(await room.told.reaches(1))
    }

    @Test func `after a restart no entry waits longer than the policy ever has one wait`()
        async throws
    {
        let room = try room()
        let change: @Sendable (inout DurableQueue.Options) -> Void = {
            $0.retryPolicy.maximumRetryAfter = 200
            $0.retryPolicy.maximumDelay = 200
        }
        let first = try await room.open(nil, change)
        let id = try await first.add(room.request("/busy"), orderedBy: "a")
        #expect(await isDelayed(first, id))
        await first.close()
        room.clock.date -= 30 * 86_400
        let second = try await room.open(nil, change)
        #expect(await isDelayed(second, id))
        room.clock.turn(by: 201)
        #expect(await room.told.reaches(1))
        #expect(room.outcomes == ["delivered 200"])
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
        let room = try DurableRoom()
        let budget = RetryBudget(ratio: 1, reserve: 1)
        let queue = try await room.open { $0.retryPolicy.budget = budget }
        for number in 1...3 { try await queue.add(room.request("/in/\(number)")) }
        await queue.waitUntilEmpty()
        #expect(budget.available == 4)
    }
}
