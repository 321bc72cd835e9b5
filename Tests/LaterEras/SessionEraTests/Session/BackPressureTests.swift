import OperationNetworking
import TestSupport

@testable import SessionEra
@testable import SessionTasks

@Suite("A slow delegate queue: `.connection`", .timeLimit(.minutes(1)))
struct BackPressureTests {
    @Test
    func `bytes that the delegate queue has not taken pause the connection, and none is lost`()
        async throws
    {
        let world = TestWorld.sessions()
        let size: Int64 = 24 << 20
        let (task, log) = world.dataTask(world.request("/bytes/\(size)?seed=8"))
        let transfer = try #require(task.values.withLock { $0.load })
        world.manager.operationQueue.isSuspended = true
        task.resume()
        while transfer.bytesWaiting <= ConnectionTransfer.limitOfWaiting { await Task.yield() }
        // The same thread has time for all of it meanwhile.
        let other = TestWorld.sessions()
        for _ in 0..<50 { #expect(await other.data("/bytes/200000").status == 200) }
        #expect(transfer.bytesWaiting <= ConnectionTransfer.limitOfWaiting + (512 << 10))
        #expect(log.all.isEmpty)
        world.manager.operationQueue.isSuspended = false
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == GeneratedBytes.bytes(seed: 8, range: 0..<size))
    }
}
