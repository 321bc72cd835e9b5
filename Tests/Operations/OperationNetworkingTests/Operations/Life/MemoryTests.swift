import TestSupport

@testable import OperationNetworking

/// Wound 15: after the last callback nothing in the library holds the operation, nor the blocks that
/// only tell. Those that decide live as long as it, for copies made later.
@Suite("What is freed", .timeLimit(.minutes(5)))
struct MemoryTests {
    /// One for each block and one for `userInfo`.
    private static let sentinelCount = 7
    /// The redirect, cache and challenge blocks'.
    private static let decisions = 2...4

    private let world = TestWorld()
    private let gone = Signal()

    /// An operation whose every block holds a sentinel and, on demand, each that only tells the
    /// operation itself.
    private func operation(_ path: String = "/ok", cycle: Bool = false) -> LifeOperation {
        let operation = world.operation(path)
        operation.userInfo = ["sentinel": Sentinel(gone)]
        let held = (0..<6).map { index in
            Held(Sentinel(gone), cycle && !Self.decisions.contains(index) ? operation : nil)
        }
        operation.setUploadProgressBlock { [h = held[0]] _, _, _ in h.touch() }
        operation.setDownloadProgressBlock { [h = held[1]] _, _, _ in h.touch() }
        operation.setRedirectResponseBlock { [h = held[2]] _, request, _ in
            h.touch()
            return request
        }
        operation.setCacheResponseBlock { [h = held[3]] _, response in
            h.touch()
            return response
        }
        operation.setWillSendRequestForAuthenticationChallengeBlock {
            [h = held[4]] _, challenge in
            h.touch()
            challenge.sender?.continueWithoutCredential(for: challenge)
        }
        operation.completionBlock = { [h = held[5]] in h.touch() }
        return operation
    }

    /// What a block holds.
    private struct Held: Sendable {
        var sentinel: Sentinel
        var operation: LifeOperation?

        init(_ sentinel: Sentinel, _ operation: LifeOperation?) {
            self.sentinel = sentinel
            self.operation = operation
        }

        func touch() { sentinel.touch() }
    }

    private func expectAllGone(
        _ body: () async -> WeakOperation, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let weak = await body()
        await gone.wait(
            for: Self.sentinelCount, "the blocks' end", sourceLocation: sourceLocation)
        await world.settle()
        await MainQueue.settle()
        await weak.waitUntilFreed(sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false])
    func `finished, whether the blocks hold the operation or not`(cycle: Bool) async {
        await expectAllGone {
            let operation = operation(cycle: cycle)
            operation.start()
            return WeakOperation(operation)
        }
    }

    @Test func `finished without a completion block`() async {
        await expectAllGone {
            let operation = operation(cycle: true)
            operation.completionBlock = nil
            operation.start()
            return WeakOperation(operation)
        }
    }

    @Test func `failed`() async {
        world.server.add("/reset") { _ in ScriptedResponse([.reset]) }
        await expectAllGone {
            let operation = operation("/reset", cycle: true)
            operation.start()
            return WeakOperation(operation)
        }
    }

    @Test func `cancelled in the middle`() async {
        await expectAllGone {
            let operation = operation(world.gate("cancel", after: 5), cycle: true)
            operation.start()
            await world.reached("cancel")
            operation.cancel()
            return WeakOperation(operation)
        }
    }

    @Test func `paused in the middle and dropped`() async {
        await expectAllGone {
            let operation = operation(world.gate("drop", after: 5))
            operation.start()
            await world.reached("drop")
            operation.pause()
            await world.seesTheClose()
            return WeakOperation(operation)
        }
    }

    @Test func `paused before the start and dropped`() async {
        await expectAllGone {
            let operation = operation()
            operation.pause()
            return WeakOperation(operation)
        }
    }

    @Test func `never started and dropped`() async {
        await expectAllGone { WeakOperation(operation()) }
    }

    @Test func `cancelled and never started`() async {
        await expectAllGone {
            let operation = operation()
            operation.cancel()
            return WeakOperation(operation)
        }
    }

    @Test func `queued and the queue cancelled`() async {
        let queue = OperationQueue()
        queue.isSuspended = true
        await expectAllGone {
            let operation = operation(cycle: true)
            queue.take(operation)
            queue.cancelAllOperations()
            queue.isSuspended = false
            return WeakOperation(operation)
        }
        await world.empties(queue)
    }

    @Test func `finished while another operation still runs`() async {
        let other = world.operation(world.gate("other"))
        let end = other.endSignal()
        other.start()
        await world.reached("other")
        await expectAllGone {
            let operation = operation(cycle: true)
            operation.start()
            return WeakOperation(operation)
        }
        #expect(other.isExecuting && end.count == 0)
        world.server.release("other")
        await end.wait()
    }

    @Test func `finished while another one's completion is held up`() async {
        let hold = LifeHold()
        let other = world.operation()
        other.completionQueue = DispatchQueue(label: "held")
        other.completionBlock = { hold.stop() }
        other.start()
        await hold.isHeld.wait(for: 1, "the other's completion")
        await expectAllGone {
            let operation = operation(cycle: true)
            operation.start()
            return WeakOperation(operation)
        }
        hold.release()
    }

    @Test func `the blocks that tell go with the end, though the operation is kept`() async {
        let operation = operation()
        operation.start()
        // All but those that decide and the one in `userInfo`, which is the caller's own.
        let count = Self.sentinelCount - Self.decisions.count - 1
        await gone.wait(for: count, "the blocks' end")
        await MainQueue.settle()
        #expect(gone.count == count)
        #expect(operation.isFinished && operation.completionBlock == nil)
        #expect(operation.userInfo.count == 1 && operation.responseString == "hello world")
    }
}

/// An operation seen without holding it.
final class WeakOperation: @unchecked Sendable {
    // @unchecked because the weak reference is written in `init` alone, and weak reads are atomic.
    private weak var operation: URLConnectionOperation?

    init(_ operation: URLConnectionOperation) {
        self.operation = operation
    }

    /// Lets every thread end what it is in the middle of, then asks.
    func waitUntilFreed(sourceLocation: SourceLocation) async {
        for _ in 0..<200 where operation != nil {
            await MainQueue.settle()
        }
        #expect(operation == nil, sourceLocation: sourceLocation)
    }
}
