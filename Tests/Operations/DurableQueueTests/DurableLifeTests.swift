import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("A durable queue from its folder to its end", .timeLimit(.minutes(2)))
struct DurableLifeTests {
    @Test func `a closed queue takes nothing out`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open { $0.isSuspended = true }
        let id = try await queue.add(world.post("/in/1"))
        await queue.close()
        #expect(await queue.remove(id) == false)
        let again = try await world.open()
        await again.waitUntilEmpty()
        #expect(world.paths == ["/in/1"])
    }

    @Test func `a task that is cancelled waits no longer for the end of the entries`() async throws
    {
        let world = TestWorld.durable()
        let queue = try await world.open { $0.isSuspended = true }
        try await queue.add(world.post("/in/1"))
        let task = Task { await queue.waitUntilEmpty() }
        await Task.yield()
        task.cancel()
        await task.value
        #expect(queue.entries.count == 1)
        queue.isSuspended = false
        await queue.waitUntilEmpty()
        #expect(queue.entries.isEmpty)
    }

    @Test func `the folder itself is brought to the disk`() async throws {
        let world = TestWorld.durable()
        let disk = TestDisk()
        let queue = try await world.open { $0.disk = disk.disk }
        #expect(disk.synced.contains(world.queueFolder.deletingLastPathComponent().path))
        await queue.close()
    }
}
