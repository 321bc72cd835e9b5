import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

@Suite("What leaves a durable queue unsent", .timeLimit(.minutes(5)))
struct DurableExpiryTests {
    @Test func `what expires is not sent, wherever it waits`() async throws {
        let room = try DurableRoom()
        room.server.add("/busy") { _ in .status(503) }
        room.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let manager = room.manager()
        let queue = try await room.open(manager)
        let soon = room.clock.date + 60
        let retried = try await queue.add(room.request("/busy"), orderedBy: "a", expiresAt: soon)
        let behind = try await queue.add(room.request("/in/1"), orderedBy: "a", expiresAt: soon)
        #expect(await waits(queue, retried) { if case .retry? = $0 { true } else { false } })
        var patient = room.request("/in/held")
        patient.timeoutInterval = 600
        let underWay = try await queue.add(patient, expiresAt: soon)
        #expect(await room.server.reaches("held"))
        manager.isSuspended = true
        let held = try await queue.add(room.request("/in/2"), expiresAt: soon)
        #expect(await waits(queue, held) { $0 == .manager(.suspended) })
        let past = try await queue.add(room.request("/in/3"), expiresAt: room.clock.date - 1)
        #expect(await room.told.reaches(1))
        room.clock.turn(by: 61)
        #expect(await room.told.reaches(4))
        room.server.release("held")
        await queue.waitUntilEmpty()
        let outcomes = Dictionary(uniqueKeysWithValues: room.told.all.map { ($0.id, $0.outcome) })
        #expect(
            outcomes == [
                retried: "expired", behind: "expired", held: "expired", past: "expired",
                underWay: "delivered 200",
            ])
        #expect(!room.paths.contains { ["/in/1", "/in/2", "/in/3"].contains($0) })
    }

    @Test func `what expires just before it is sent is not sent`() async throws {
        let room = try DurableRoom()
        let manager = LateManager(baseURL: nil)
        manager.configuration.clock = room.clock.clock
        manager.completionQueue = DispatchQueue(label: "outcomes")
        let queue = try await room.open(manager) { $0.isSuspended = true }
        try await queue.add(room.request("/in/1"), expiresAt: room.clock.date + 60)
        // When the alarm rings it is being sent, and has no operation yet.
        let isOver = Signal()
        manager.makes.change {
            $0 = {
                room.clock.turn(by: 61)
                Task {
                    await queue.remove(UUID())
                    isOver.fire()
                }
                _ = isOver.blocks(until: 1)
            }
        }
        queue.isSuspended = false
        await queue.waitUntilEmpty()
        #expect(room.outcomes == ["expired"] && room.paths.isEmpty)
        manager.makes.change { $0 = {} }
    }

    @Test func `what expires under way and then fails is not tried again, and told at once`()
        async throws
    {
        let room = try DurableRoom()
        room.server.add("/held") { _ in .status(503).after(.wait(gate: "held")) }
        let queue = try await room.open()
        var patient = room.request("/held")
        patient.timeoutInterval = 600
        try await queue.add(patient, expiresAt: room.clock.date + 60)
        #expect(await room.server.reaches("held"))
        room.clock.turn(by: 61)
        room.server.release("held")
        #expect(await room.told.reaches(1))
        #expect(room.outcomes == ["expired"] && room.paths.count == 1)
    }

    @Test func `what is removed is not told, and the next of its key follows`() async throws {
        let room = try DurableRoom()
        room.server.add("/in/held") { _ in .text("in").after(.wait(gate: "held")) }
        let queue = try await room.open()
        let first = try await queue.add(room.request("/in/held"), orderedBy: "a")
        let second = try await queue.add(room.request("/in/2"), orderedBy: "a")
        try await queue.add(room.request("/in/3"), orderedBy: "a")
        #expect(await room.server.reaches("held"))
        #expect(await queue.remove(second))
        #expect(await queue.remove(first))
        await queue.waitUntilEmpty()
        #expect(await queue.remove(first) == false)
        #expect(room.paths == ["/in/held", "/in/3"])
        #expect(room.outcomes == ["delivered 200"])
        room.server.release("held")
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
