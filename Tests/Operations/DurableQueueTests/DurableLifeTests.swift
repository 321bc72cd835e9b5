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

    /// A process may have been killed before it did so.
    @Test func `the folder and its names are brought to the disk each time it is opened`()
        async throws
    {
        let world = TestWorld.durable()
        for _ in 0..<2 {
            let disk = TestDisk()
            let queue = try await world.open { $0.disk = disk.disk }
            #expect(disk.synced.contains(world.queueFolder.deletingLastPathComponent().path))
            #expect(disk.synced.last == world.queueFolder.path)
            await queue.close()
        }
    }

    @Test func `an outcome that is being reported while the queue is closed is reported once`()
        async throws
    {
        let world = TestWorld.durable()
        let hold = LifeHold()
        let queue = try await DurableQueue(
            folder: world.queueFolder, manager: world.manager(), options: DurableQueue.Options()
        ) { [reported = world.reported] entry, _ in
            hold.stop()
            reported.add(Told(id: entry.id, outcome: "delivered 200"))
        }
        try await queue.add(world.post("/in/1"))
        await hold.isHeld.wait()
        queue.isSuspended = true
        async let isClosed: Void = queue.close()
        while await !refusesAsClosed(queue, world) { await Task.yield() }
        #expect(await queue.remove(UUID()) == false)
        hold.release()
        await isClosed
        let again = try await world.open()
        await again.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"] && world.paths == ["/in/1"])
    }

    /// Adds what no queue accepts, so that none of it is ever stored.
    private func refusesAsClosed(_ queue: DurableQueue, _ world: TestWorld) async -> Bool {
        var long = world.post("/none")
        long.setValue(
            String(repeating: "x", count: DurableStore.longestEntry), forHTTPHeaderField: "X-Long")
        do {
            try await queue.add(long)
            return false
        } catch {
            return error as? DurableQueueError == .closed
        }
    }

    @Test func `of a damaged file the bodies of all entries are kept`() async throws {
        let world = TestWorld.durable()
        let queue = try await world.open { $0.isSuspended = true }
        let bodies = [generated(5, 100_000), generated(6, 100_000)]
        for (number, body) in bodies.enumerated() {
            try await queue.add(world.post("/in/\(number)", body: body))
        }
        await queue.close()
        var bytes = Data(try world.bytes())
        let entry = try #require(bytes.range(of: Data("\\/in\\/0".utf8)))
        bytes[entry.lowerBound] ^= 1
        try bytes.write(to: world.file)
        let again = try await world.open { $0.acceptsDamage = true }
        await again.waitUntilEmpty()
        await again.close()
        #expect(world.paths == ["/in/1"])
        let kept = world.queueFolder.appendingPathComponent("bodies.damaged")
        let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
        #expect(names.count == 1)
        for name in names {
            let isFirst = try Data(contentsOf: kept.appendingPathComponent(name)) == bodies[0]
            #expect(isFirst)
        }
    }
}
