import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A queue that takes an operation in asks whether it is ready, and writes the answer down later.
@Suite("The end of a batch enters a queue", .timeLimit(.minutes(5)))
struct BatchEndTests {
    /// When the last of the batch ends: before the queue has its answer, or after.
    @Test(arguments: [true, false])
    func `the last operation ends between the queue's question and its answer`(
        isBefore: Bool
    ) async {
        let end = Signal()
        let unfinished = Unfinished(1)
        let last = AskedEnd(after: [], unfinished) { end.fire() }
        last.atQuestion(isBefore: isBefore) {
            #expect(unfinished.subtractOne() == 0)
            last.announceReadiness()
            // What it would put off is done by then.
            let done = DispatchSemaphore(value: 0)
            for _ in 0..<64 { DispatchQueue.global().async { done.signal() } }
            for _ in 0..<64 { done.wait() }
        }
        await onNewThread { OperationQueue().take(last) }
        await end.wait()
        #expect(end.count == 1)
    }

    @Test func `in a queue without a free place it waits for one`() async {
        let end = Signal()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let hold = LifeHold()
        let unfinished = Unfinished(1)
        let last = AskedEnd(after: [], unfinished) { end.fire() }
        last.atQuestion(isBefore: false) {
            #expect(unfinished.subtractOne() == 0)
            last.announceReadiness()
        }
        queue.take(BlockOperation { hold.stop() })
        await hold.isHeld.wait()
        await onNewThread { queue.take(last) }
        #expect(end.count == 0)
        hold.release()
        await end.wait()
    }
}

/// Lets a test act inside the first question of a queue, on another thread.
private final class AskedEnd: BatchEnd, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    private let action = Locked<(isBefore: Bool, body: @Sendable () -> Void)?>(nil)

    func atQuestion(isBefore: Bool, _ body: @escaping @Sendable () -> Void) {
        action.withLock { $0 = (isBefore, body) }
    }

    override var isReady: Bool {
        let action = action.withLock { action in
            defer { action = nil }
            return action
        }
        if action?.isBefore == true { action.map(run) }
        let answer = super.isReady
        if action?.isBefore == false { action.map(run) }
        return answer
    }

    private func run(_ action: (isBefore: Bool, body: @Sendable () -> Void)) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            action.body()
            done.signal()
        }
        done.wait()
    }
}
