import EventRecorder
import Foundation
import HTTPSemantics
import Locking
import OperationNetworking
import Scheduling
import SessionTasks

/// The handlers of a request, in their order, which are not called before its end.
///
/// They are a list, which one job of the processing pool works off. The request's `OperationQueue`
/// is made when a program reads it, and gets the handlers that wait; from then on all are
/// operations of it.
///
/// ## Concurrency
/// Call from: any thread, also under the request's lock. Lock: one around the list; the queue's own is taken
/// inside it. Calls out on: the processing pool and the queue's thread (the blocks), without the lock.
struct HandlerQueue: Sendable {
    private struct State {
        var blocks = FIFOQueue<QueuedBlock>()
        var isOpen = false
        /// Whether a job of the pool runs a block, or is about to.
        var isWorking = false
        /// Made when it is read.
        var queue: OperationQueue?
        /// The queue's first operation waits for it, where the pool runs a block when the queue is
        /// made.
        var turn: DispatchSemaphore?

        mutating func mustWork() -> Bool {
            guard isOpen, !isWorking, queue == nil, !blocks.isEmpty else { return false }
            isWorking = true
            return true
        }
    }

    private let state = Locked(State())

    /// Adds a block; it runs once the queue is open and those before it have returned.
    func add(_ block: @escaping @Sendable () -> Void) {
        let block = QueuedBlock(for: RequestText.requestQueue, block)
        let mustWork = state.withLock { state in
            if let queue = state.queue {
                Self.add(block, to: queue)
                return false
            }
            state.blocks.append(block)
            return state.mustWork()
        }
        if mustWork { WorkerPool.processing.enqueue([work]) }
    }

    /// Has the blocks run.
    func open() {
        let mustWork = state.withLock { state in
            state.isOpen = true
            state.queue?.isSuspended = false
            return state.mustWork()
        }
        if mustWork { WorkerPool.processing.enqueue([work]) }
    }

    /// Has blocks that have not begun wait until it is opened again.
    func close() {
        state.withLock { state in
            state.isOpen = false
            state.queue?.isSuspended = true
        }
    }

    /// The blocks as a queue of Foundation's.
    ///
    /// - Parameter first: the queue's first operation, where the queue is made before it is opened.
    func operationQueue(beginningWith first: @escaping @Sendable () -> Void) -> OperationQueue {
        state.withLock { state in
            if let queue = state.queue { return queue }
            let queue = OperationQueue.serial(named: "org.alamofire.request", qos: .utility)
            queue.qualityOfService = .utility
            queue.isSuspended = true
            if state.isWorking {
                let turn = DispatchSemaphore(value: 0)
                queue.addOperation { turn.wait() }
                state.turn = turn
            } else if !state.isOpen {
                queue.addOperation(first)
            }
            while let block = state.blocks.popFirst() { Self.add(block, to: queue) }
            queue.isSuspended = !state.isOpen
            state.queue = queue
            return queue
        }
    }

    /// A handler on the queue's own thread counts as one that works in the pool.
    private static func add(_ block: QueuedBlock, to queue: OperationQueue) {
        queue.addOperation { WorkerPool.processing.performHere(block.run) }
    }

    private func work() {
        while let block = next() { block.run() }
    }

    private func next() -> QueuedBlock? {
        state.withLock { state in
            if state.isOpen, let block = state.blocks.popFirst() { return block }
            state.isWorking = false
            state.turn.take()?.signal()
            return nil
        }
    }
}
