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
        let bench = try Bench()
        let size: Int64 = 24 << 20
        let log = Log<Bench.Outcome>()
        let task = bench.manager.dataTask(with: bench.request("/bytes/\(size)?seed=8")) {
            _, object, error in
            log.add(Bench.Outcome(object: object, error: error))
        }
        let transfer = try #require(
            task.lock.withLock { task.values.transfer } as? ConnectionTransfer)
        bench.manager.operationQueue.isSuspended = true
        task.resume()
        while transfer.bytesWaiting <= ConnectionTransfer.room { await Task.yield() }
        // The same thread has time for all of it meanwhile.
        let other = try Bench()
        for _ in 0..<50 { #expect(await other.data("/bytes/200000").status == 200) }
        #expect(transfer.bytesWaiting <= ConnectionTransfer.room + (512 << 10))
        #expect(log.all.isEmpty)
        bench.manager.operationQueue.isSuspended = false
        #expect(await log.reaches(1))
        #expect(log.all.first?.data == GeneratedBytes.bytes(seed: 8, range: 0..<size))
    }
}
