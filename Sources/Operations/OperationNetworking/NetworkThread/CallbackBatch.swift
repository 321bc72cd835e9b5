import CurlConnection
import EventRecorder
import Foundation
import Locking
import Scheduling

/// Blocks for other queues, kept until the end of the network thread's run-loop pass.
///
/// Waking main for each block costs more than most blocks do, so main gets all of its own as one block,
/// at the place of the first in the order. On another queue each is a block of its
/// own, submitted in order. The serializers' pool gets its own last, all at once.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists. Calls out on: the blocks' queues, the pool.
final class CallbackBatch: Sendable {
    private struct Item {
        let queue: DispatchQueue
        let group: DispatchGroup?
        let block: QueuedBlock

        func deliver() {
            block.run()
            group?.leave()
        }

        /// Submits it alone.
        func submit() {
            if group == nil {
                queue.async(execute: block.work)
            } else {
                queue.async(execute: deliver)
            }
        }
    }

    private struct State {
        var forMain: [Item] = []
        var forOthers: [Item] = []
        var forPool: [@Sendable () -> Void] = []
        /// The last queue and its label, in a recording. Not weak: a weak reference makes every other
        /// one to the queue slow.
        var labelled: (queue: DispatchQueue, text: EventText)?

        /// With room for as many as there were, since the next round is mostly like the last one.
        mutating func empty() {
            let counts = (forMain.count, forOthers.count, forPool.count)
            (forMain, forOthers, forPool) = ([], [], [])
            forMain.reserveCapacity(counts.0)
            forOthers.reserveCapacity(counts.1)
            forPool.reserveCapacity(counts.2)
        }

        var count: Int { forMain.count + forOthers.count + forPool.count }

        /// Most calls are for one queue, so its label is kept.
        mutating func label(of queue: DispatchQueue) -> EventText {
            if let labelled, labelled.queue === queue,
                labelled.text.isOf(EventRecorder.recording)
            {
                return labelled.text
            }
            let text = EventText(recorded: queue.label)
            labelled = (queue, text)
            return text
        }
    }

    /// Main, as one object: Dispatch on Linux makes a new object at each access.
    static let main: DispatchQueue = {
        let main = DispatchQueue.main
        main.setSpecific(key: isMain, value: ())
        return main
    }()

    private static let isMain = DispatchSpecificKey<Void>()

    /// Whether a queue is main, by whichever object; what is for main keeps one order.
    private static func isMain(_ queue: DispatchQueue) -> Bool {
        queue === main || queue.getSpecific(key: isMain) != nil
    }

    private let mainLabel = EventText(fixed: main.label)
    private let state = Locked(State())

    /// Keeps a block.
    ///
    /// - Returns: whether it is the first, so that the caller has to make sure of a `send`.
    func add(
        for queue: DispatchQueue, _ group: DispatchGroup?, _ block: @escaping @Sendable () -> Void
    ) -> Bool {
        group?.enter()
        let isForMain = Self.isMain(queue)
        return state.withLock { state in
            if isForMain {
                // Main's are one block, which is seen when it is handed over.
                let block = QueuedBlock(unseen: block)
                state.forMain.append(Item(queue: queue, group: group, block: block))
            } else {
                let block = QueuedBlock(for: state.label(of: queue), block)
                state.forOthers.append(Item(queue: queue, group: group, block: block))
            }
            return state.count == 1
        }
    }

    /// Keeps a block for the serializers' pool; the same otherwise.
    func addForPool(_ block: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.forPool.append(block)
            return state.count == 1
        }
    }

    /// Submits every block to its queue; to main last, because most of its blocks report an end.
    func send() {
        // Submitted under the lock, so that no other thread's overtake these.
        let sent = state.withLock { state in
            if !EventRecorder.isRecording { state.labelled = nil }
            let (forMain, forOthers) = (state.forMain, state.forOthers)
            let forPool = state.forPool
            state.empty()
            for item in forOthers { item.submit() }
            if !forMain.isEmpty {
                let block = QueuedBlock(for: mainLabel) { forMain.forEach { $0.deliver() } }
                Self.main.async(execute: block.run)
            }
            return (forMain, forOthers, forPool)
        }
        // Not run here where there is no thread for them: the caller may hold a lock, or be the network thread.
        WorkerPool.processing.enqueue(sent.2)
        // Blocks that have run are released after the lock, because their `deinit`s may call this.
        withExtendedLifetime(sent) {}
    }
}
