import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("What leaves a durable queue unsent", .timeLimit(.minutes(5)))
struct DurableExpiryTests {
    @Test func `what expires is not sent, wherever it waits`() async throws {
        let world = TestWorld.durable()
        world.server.add("/busy") { _ in .status(503) }
        world.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let manager = world.manager()
        let queue = try await world.open(manager)
        let soon = world.clock.date + 60
        let retried = try await queue.add(world.post("/busy"), orderedBy: "a", expiresAt: soon)
        let behind = try await queue.add(world.post("/in/1"), orderedBy: "a", expiresAt: soon)
        #expect(await waits(queue, retried) { if case .retry? = $0 { true } else { false } })
        var patient = world.post("/in/held")
        patient.timeoutInterval = 600
        let underWay = try await queue.add(patient, expiresAt: soon)
        #expect(await world.server.reaches("held"))
        manager.isSuspended = true
        let held = try await queue.add(world.post("/in/2"), expiresAt: soon)
        #expect(await waits(queue, held) { $0 == .manager(.suspended) })
        let past = try await queue.add(world.post("/in/3"), expiresAt: world.clock.date - 1)
        #expect(await world.reported.reaches(1))
        world.clock.turn(by: 61)
        #expect(await world.reported.reaches(4))
        world.server.release("held")
        await queue.waitUntilEmpty()
        let outcomes = Dictionary(
            uniqueKeysWithValues: world.reported.all.map { ($0.id, $0.outcome) })
        #expect(
            outcomes == [
                retried: "expired", behind: "expired", held: "expired", past: "expired",
                underWay: "delivered 200",
            ])
        #expect(!world.paths.contains { ["/in/1", "/in/2", "/in/3"].contains($0) })
    }

    @Test func `what expires just before it is sent is not sent`() async throws {
        let world = TestWorld.durable()
        let manager = LateManager(baseURL: nil)
        manager.configuration.clock = world.clock.clock
        manager.completionQueue = DispatchQueue(label: "outcomes")
        let queue = try await world.open(manager) { $0.isSuspended = true }
        try await queue.add(world.post("/in/1"), expiresAt: world.clock.date + 60)
        // When the alarm rings it is being sent, and has no operation yet.
        let isOver = Signal()
        manager.makes.change {
            $0 = {
                world.clock.turn(by: 61)
                Task {
                    await queue.remove(UUID())
                    isOver.fire()
                }
                _ = isOver.blocks(until: 1)
            }
        }
        queue.isSuspended = false
        await queue.waitUntilEmpty()
        #expect(world.outcomes == ["expired"] && world.paths.isEmpty)
        manager.makes.change { $0 = {} }
    }

    @Test func `what expires under way and then fails is not tried again, and told at once`()
        async throws
    {
        let world = TestWorld.durable()
        world.server.add("/held") { _ in .status(503).after(.wait(gate: "held")) }
        let queue = try await world.open()
        var patient = world.post("/held")
        patient.timeoutInterval = 600
        try await queue.add(patient, expiresAt: world.clock.date + 60)
        #expect(await world.server.reaches("held"))
        world.clock.turn(by: 61)
        world.server.release("held")
        #expect(await world.reported.reaches(1))
        #expect(world.outcomes == ["expired"] && world.paths.count == 1)
    }

    @Test func `what is removed is not told, and the next of its key follows`() async throws {
        let world = TestWorld.durable()
        world.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let queue = try await world.open()
        let first = try await queue.add(world.post("/in/held"), orderedBy: "a")
        let second = try await queue.add(world.post("/in/2"), orderedBy: "a")
        try await queue.add(world.post("/in/3"), orderedBy: "a")
        #expect(await world.server.reaches("held"))
        #expect(await queue.remove(second))
        #expect(await queue.remove(first))
        await queue.waitUntilEmpty()
        #expect(await queue.remove(first) == false)
        #expect(world.paths == ["/in/held", "/in/3"])
        #expect(world.outcomes == ["delivered 200"])
        world.server.release("held")
    }
}

/// Does something in the moment in which it makes an operation.
private final class LateManager: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds has a lock of its own.
    let makes = Watched<@Sendable () -> Void>({})

    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        makes.now()
        return super.httpRequestOperation(with: request, success: success, failure: failure)
    }
}
