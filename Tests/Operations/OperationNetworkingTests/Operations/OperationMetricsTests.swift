import CurlConnection
import Synchronization
import TestSupport

@testable import OperationNetworking

@Suite("The times of an operation", .timeLimit(.minutes(2)))
struct OperationMetricsTests {
    private let world = TestWorld()

    /// Instants are in order, and no part of the whole is counted twice.
    private func expectSound(
        _ metrics: RequestMetrics, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let dates = [
            metrics.queuedDate, metrics.startDate,
            metrics.transactionMetrics.first?.fetchStartDate,
            metrics.transactionMetrics.last?.responseEndDate, metrics.responseCompletedDate,
            metrics.serializationStartDate, metrics.serializedDate, metrics.calledBackDate,
        ].compactMap(\.self)
        #expect(dates == dates.sorted(), sourceLocation: sourceLocation)
        let durations = metrics.durations
        #expect(durations.other >= .zero, "\(durations)", sourceLocation: sourceLocation)
        let parts = metrics.transactionMetrics.map(\.durations.total).reduce(.zero, +)
        #expect(
            parts + durations.queued + durations.serialization + durations.callback
                <= durations.total, sourceLocation: sourceLocation)
    }

    // MARK: One run

    @Test func `a success has every instant, those of queue, serializer and block included`()
        async throws
    {
        let operation = world.httpOperation()
        let queue = OperationQueue()
        let end = Signal()
        operation.setCompletionBlock(
            success: { operation, _ in
                #expect(operation.metrics?.calledBackDate != nil)
                end.fire()
            }, failure: nil)
        #expect(operation.metrics == nil)
        queue.isSuspended = true
        operation.addOnce(to: queue)
        queue.isSuspended = false
        await end.wait()
        let metrics = try #require(operation.metrics)
        expectSound(metrics)
        #expect(metrics.queuedDate != nil && metrics.startDate != nil)
        #expect(metrics.responseCompletedDate != nil && metrics.calledBackDate != nil)
        #expect(metrics.serializationStartDate != nil && metrics.serializedDate != nil)
        #expect(metrics.durations.queued > .zero && metrics.durations.callback > .zero)
        #expect(metrics.transactionMetrics.map { $0.response?.statusCode } == [200])
        #expect(metrics.transactionMetrics.first?.countOfResponseBodyBytesReceived == 11)
    }

    @Test func `a completion block of its own is called back too, and nothing is serialized`()
        async throws
    {
        let operation = world.httpOperation()
        let end = Signal()
        operation.completionBlock = { end.fire() }
        operation.start()
        await end.wait()
        await MainQueue.settle()
        let metrics = try #require(operation.metrics)
        expectSound(metrics)
        #expect(metrics.calledBackDate != nil && metrics.serializedDate == nil)
        // Then the first who reads the object has it made
        _ = operation.responseObject
        let made = operation.metrics?.serializedDate
        #expect(made != nil)
        _ = operation.responseObject
        #expect(operation.metrics?.serializedDate == made)
        #expect(operation.metrics.map { $0.durations.other >= .zero } == true)
    }

    @Test func `an operation that was cancelled before its start has no exchange`() async throws {
        let operation = world.httpOperation()
        let end = Signal()
        operation.setCompletionBlock(success: nil, failure: { _, _ in end.fire() })
        operation.cancel()
        operation.start()
        await end.wait()
        let metrics = try #require(operation.metrics)
        expectSound(metrics)
        #expect(metrics.transactionMetrics.isEmpty && metrics.startDate == nil)
        #expect(metrics.responseCompletedDate != nil)
    }

    @Test func `one that is cancelled in its run keeps the exchange that it broke off`()
        async throws
    {
        let operation = world.httpOperation(world.gate("cancelled", after: 5))
        let end = Signal()
        operation.setCompletionBlock(success: nil, failure: { _, _ in end.fire() })
        operation.start()
        await world.reached("cancelled")
        operation.cancel()
        await end.wait()
        let metrics = try #require(operation.metrics)
        expectSound(metrics)
        #expect(metrics.transactionMetrics.count == 1)
        #expect(metrics.transactionMetrics.first?.requestStartDate != nil)
    }

    // MARK: Several runs

    @Test func `after a pause and a resume all exchanges of both runs are there`() async throws {
        let operation = world.httpOperation("/redirect?to=\(world.gate("paused", after: 5))")
        let end = Signal()
        operation.setCompletionBlock(
            success: { _, _ in end.fire() }, failure: { _, _ in end.fire() })
        operation.start()
        await world.reached("paused")
        operation.pause()
        await withCheckedContinuation { done in
            world.thread.perform(inModes: [.common]) { done.resume() }
        }
        let paused = try #require(operation.metrics)
        expectSound(paused)
        #expect(paused.transactionMetrics.count == 2 && paused.redirectCount == 1)
        #expect(paused.serializedDate == nil && paused.calledBackDate == nil)
        world.server.release("paused")
        operation.resume()
        await end.wait()
        let metrics = try #require(operation.metrics)
        expectSound(metrics)
        #expect(metrics.transactionMetrics.count == 4 && metrics.redirectCount == 2)
        #expect(metrics.startDate == paused.startDate && metrics.queuedDate == paused.queuedDate)
        #expect(
            metrics.transactionMetrics.first?.fetchStartDate
                == paused.transactionMetrics.first?.fetchStartDate)
    }

    @Test func `a pause before the start makes it queue anew`() async throws {
        let operation = world.httpOperation()
        let end = Signal()
        operation.completionBlock = { end.fire() }
        let queue = OperationQueue()
        queue.isSuspended = true
        operation.addOnce(to: queue)
        let entered = operation.queuedAt.load(ordering: .relaxed)
        operation.pause()
        operation.resume()
        let resumed = operation.queuedAt.load(ordering: .relaxed)
        #expect(entered > 0 && resumed > entered)
        queue.isSuspended = false
        await end.wait()
        expectSound(try #require(operation.metrics))
    }

    // MARK: The block

    @Test(arguments: ["success", "failure", "own", "none"])
    func `the block is called once, with what is known, before any other`(kind: String) async throws
    {
        let operation = world.httpOperation(kind == "failure" ? "/status/500" : "/ok")
        let log = Log<String>()
        let end = Signal()
        let lock = operation.lock
        operation.setMetricsBlock { metrics in
            #expect(MainQueue.isCurrent)
            #expect(metrics.transactionMetrics.count == 1)
            #expect((metrics.serializedDate != nil) == ["success", "failure"].contains(kind))
            // Another thread can take the lock.
            let isFree = Signal()
            Thread { lock.withLock { isFree.fire() } }.start()
            #expect(isFree.blocks(until: 1))
            log.add("metrics")
            if kind == "none" { end.fire() }
        }
        switch kind {
        case "own":
            operation.completionBlock = {
                log.add("own"); end.fire()
            }
        case "none": break
        default:
            operation.setCompletionBlock(
                success: { _, _ in
                    log.add("success"); end.fire()
                },
                failure: { _, _ in
                    log.add("failure"); end.fire()
                })
        }
        operation.start()
        await end.wait()
        await MainQueue.settle()
        #expect(log.all == (kind == "none" ? ["metrics"] : ["metrics", kind]))
    }

    @Test func `the block comes on the completion queue`() async throws {
        let operation = world.httpOperation()
        let queue = DispatchQueue(label: "metrics")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        operation.completionQueue = queue
        let end = Signal()
        operation.setMetricsBlock { _ in
            #expect(DispatchQueue.getSpecific(key: key) == true)
            end.fire()
        }
        operation.start()
        await end.wait()
    }

    @Test func `the block goes with the end, and a paused operation has not ended`() async throws {
        let gone = Signal()
        let end = Signal()
        let operation = world.httpOperation(world.gate("held"))
        do {
            let sentinel = Sentinel(gone)
            operation.setMetricsBlock { _ in
                sentinel.touch()
                end.fire()
            }
        }
        operation.start()
        await world.reached("held")
        operation.pause()
        await MainQueue.settle()
        #expect(end.count == 0 && gone.count == 0)
        world.server.release("held")
        operation.resume()
        await end.wait()
        await gone.wait()
        #expect(end.count == 1)
    }

    // MARK: Copies and archives

    @Test func `a copy starts with none, and tells the same block`() async throws {
        let operation = world.httpOperation()
        let reported = Signal()
        let end = Signal()
        operation.setMetricsBlock { _ in reported.fire() }
        let early = try #require(operation.copy() as? HTTPRequestOperation)
        operation.completionBlock = { end.fire() }
        operation.start()
        await end.wait()
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        #expect(operation.metrics != nil && copy.metrics == nil && early.metrics == nil)
        early.start()
        await reported.wait(for: 2)
        #expect(early.metrics?.transactionMetrics.count == 1)
    }

    @Test func `an archive holds none`() async throws {
        let operation = world.httpOperation()
        let end = Signal()
        operation.completionBlock = { end.fire() }
        operation.start()
        await end.wait()
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: operation, requiringSecureCoding: true)
        let read = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperation.self, from: data))
        #expect(read.isFinished && read.metrics == nil)
    }
}
