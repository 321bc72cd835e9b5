import CurlConnection
import HTTPSemantics
import TestSupport

@testable import OperationNetworking

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
        let queue = try await world.open { $0.calls = disk.calls }
        #expect(disk.synced.contains(world.queueFolder.deletingLastPathComponent().path))
        await queue.close()
    }

    @Test func `what a try adds to the longest record leaves room for it in the next file`()
        async throws
    {
        let world = TestWorld.durable()
        let manager = world.manager()
        let queue = try await world.open(manager) { $0.isSuspended = true }
        func request(_ count: Int) -> URLRequest {
            // Nobody listens there.
            var request = URLRequest(url: URL(fileURLWithPath: "/"))
            request.url = URL(string: "http://127.0.0.1:1/")
            request.setValue(String(repeating: "x", count: count), forHTTPHeaderField: "X")
            return request
        }
        // The longest that is accepted.
        var (least, most) = (1, JournalFormat.longestPayload)
        while most - least > 1 {
            let middle = (least + most) / 2
            do {
                let id = try await queue.add(request(middle))
                #expect(await queue.remove(id))
                least = middle
            } catch {
                most = middle
            }
        }
        let id = try await queue.add(request(least))
        queue.isSuspended = false
        #expect(await waits(queue, id) { if case .retry? = $0 { true } else { false } })
        // Until there is a new file, with what is of use.
        for _ in 0..<40 {
            try await queue.add(world.post("/in/1", body: Data(count: 30_000)))
        }
        #expect(await world.told.reaches(40))
        await queue.close()
        let again = try await world.open { $0.isSuspended = true }
        #expect(again.entries.map(\.id) == [id])
        await again.close()
    }
}
