import TestSupport

@testable import OperationNetworking

/// What a verb returns is in its manager's queue already; to enqueue it once more does no harm.
///
/// Foundation stops the process there, so each runs in one of its own.
@Suite("Enqueued twice", .timeLimit(.minutes(5)))
struct EnqueuedTwiceTests {
    /// A manager, an operation that its verb returned and that runs, and the count of its ends.
    private struct Posted {
        let world = TestWorld()
        let manager: HTTPRequestOperationManager
        let operation: HTTPRequestOperation
        let end = Signal()

        init() throws {
            manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
            manager.responseSerializer = HTTPResponseSerializer()
            let posted = manager.post(
                "gate/held", parameters: nil, success: { [end] _, _ in end.fire() },
                failure: { [end] _, _ in end.fire() })
            operation = try #require(posted)
        }

        func finish(requests: Int = 1) async throws {
            world.server.release("held")
            await end.wait()
            await MainQueue.settle()
            try #require(end.count == 1 && operation.error == nil)
            try #require(world.server.requests.count == requests)
        }
    }

    @Test func `what a verb returned may be handed to enqueue, by any manager`() async {
        await #expect(processExitsWith: .success) {
            let posted = try Posted()
            posted.manager.enqueue(posted.operation)
            OperationManager().enqueue(posted.operation)
            try await posted.finish()
            posted.manager.enqueue(posted.operation)
        }
    }

    @Test func `what a verb returned may be handed to a batch, which waits for it`() async {
        await #expect(processExitsWith: .success) {
            let posted = try Posted()
            let (done, progress) = (Signal(), Log<Int>())
            let other = HTTPRequestOperation(
                request: URLRequest(url: posted.world.server.url("/ok")))
            posted.manager.enqueue(
                batch: [posted.operation, other], progress: { count, _ in progress.add(count) }
            ) { _ in
                done.fire()
            }
            let otherEnd = Signal()
            other.whenDelivered { otherEnd.fire() }
            await otherEnd.wait()
            try #require(done.count == 0)
            try await posted.finish(requests: 2)
            await done.wait()
            try #require(progress.all == [1, 2] && other.isFinished)
        }
    }

    @Test func `a batch's operations may be added to a queue though one is in one`() async {
        await #expect(processExitsWith: .success) {
            let posted = try Posted()
            let done = Signal()
            let finished = HTTPRequestOperation(
                request: URLRequest(url: posted.world.server.url("/ok")))
            await finished.run()
            let batch = URLConnectionOperation.batch(
                of: [posted.operation, finished], progress: nil
            ) { _ in done.fire() }
            let queue = OperationQueue()
            for operation in batch { queue.take(operation) }
            posted.world.server.release("held")
            await done.wait()
            await posted.end.wait()
        }
    }

    @Test func `an operation that was started without a queue may be enqueued`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld()
            let operation = world.operation(world.gate("alone", after: 5))
            let end = operation.endSignal()
            operation.start()
            await world.reached("alone")
            OperationManager().enqueue(operation)
            operation.pause()
            OperationManager().enqueue(operation)
            operation.resume()
            world.server.release("alone")
            await end.wait()
            try #require(operation.error == nil && end.count == 1)
        }
    }

    /// What a caller did to an operation before it was enqueued.
    enum Step: Int, Codable {
        case pause, start, cancel
    }

    /// Their queue must not see one end that it has not started.
    @Test(arguments: [[Step.pause, .start], [.cancel, .start], [.pause, .start, .cancel]])
    func `one that was started stays its caller's, though it has not run`(_ steps: [Step]) async {
        await #expect(processExitsWith: .success) { [steps] in
            let world = TestWorld()
            let hold = await world.holdThread()
            let operation = world.operation()
            let end = operation.endSignal()
            for step in steps {
                switch step {
                case .pause: operation.pause()
                case .start: operation.start()
                case .cancel: operation.cancel()
                }
            }
            let manager = OperationManager()
            manager.isSuspended = true
            manager.enqueue(operation)
            try #require(manager.operations.isEmpty)
            operation.resume()
            hold.release()
            await end.wait()
            manager.isSuspended = false
            await world.empties(manager.operationQueue)
            try #require(end.count == 1)
        }
    }

    @Test func `a download may be enqueued twice, also after its end or its start`() async {
        await #expect(processExitsWith: .success) {
            let world = TestWorld()
            let (manager, ends) = (OperationManager(), Log<Bool>())
            manager.maximumOperationsPerOrigin = 1
            let end: @Sendable (Result<DownloadedFile, any Error>) -> Void = { result in
                ends.add((try? result.get()) != nil)
            }
            let first = manager.download(
                world.request("/bytes/1000?seed=3"), to: world.file("a"), completion: end)
            let second = FileDownloadOperation(
                world.request("/bytes/1000?seed=3"), to: world.file("b"))
            second.setResultBlock(end)
            for _ in 0..<2 {
                manager.enqueue(first)
                manager.enqueue(second, group: "others")
                OperationManager().enqueue(second)
            }
            try #require(await ends.reaches(2))
            manager.enqueue(first)
            let third = FileDownloadOperation(
                world.request("/bytes/1000?seed=3"), to: world.file("c"))
            third.setResultBlock(end)
            third.start()
            manager.enqueue(third)
            try #require(await ends.reaches(3))
            try #require(ends.all == [true, true, true])
        }
    }
}
