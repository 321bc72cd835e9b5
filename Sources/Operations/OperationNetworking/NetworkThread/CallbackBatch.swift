import CurlConnection
import EventRecorder
import Foundation
import Locking
import Scheduling

/// Blocks for other queues, collected until the end of the network thread's run-loop pass.
///
/// Waking main for each block costs more than most blocks do, so main gets all of its blocks as one, after the other
/// queues, which get theirs one by one in order. The serializers' pool gets its blocks last, all at once.
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
        /// The last queue and its label, in a recording. A weak reference would make all others to the queue slow.
        var labelled: (queue: DispatchQueue, text: EventText)?

        /// With the same capacity, since the next pass is usually like the last one.
        mutating func empty() {
            let counts = (forMain.count, forOthers.count, forPool.count)
            (forMain, forOthers, forPool) = ([], [], [])
            forMain.reserveCapacity(counts.0)
            forOthers.reserveCapacity(counts.1)
            forPool.reserveCapacity(counts.2)
        }

        var count: Int { forMain.count + forOthers.count + forPool.count }

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

    /// Whether a queue is main, as any object.
    private static func isMain(_ queue: DispatchQueue) -> Bool {
        queue === main || queue.getSpecific(key: isMain) != nil
    }

    private let mainLabel = EventText(fixed: main.label)
    private let state = Locked(State())

    /// - Returns: whether it is the first block, so that the caller has to arrange a `send`.
    func add(
        for queue: DispatchQueue, _ group: DispatchGroup?, _ block: @escaping @Sendable () -> Void
    ) -> Bool {
        group?.enter()
        let isForMain = Self.isMain(queue)
        return state.withLock { state in
            if isForMain {
                // The one block for main is recorded.
                let block = QueuedBlock(unseen: block)
                state.forMain.append(Item(queue: queue, group: group, block: block))
            } else {
                let block = QueuedBlock(for: state.label(of: queue), block)
                state.forOthers.append(Item(queue: queue, group: group, block: block))
            }
            return state.count == 1
        }
    }

    /// Like `add`, for the serializers' pool.
    func addForPool(_ block: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            state.forPool.append(block)
            return state.count == 1
        }
    }

    /// Submits all blocks; to main after other queues, because most of main's blocks report an end.
    func send() {
        // Submitted under the lock, so that another thread's blocks do not overtake these.
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
        // Not run here even if the pool gets no thread: the caller may hold a lock, or be the network thread.
        WorkerPool.processing.enqueue(sent.2)
        // Released without the lock, because the blocks' `deinit`s may call this.
        withExtendedLifetime(sent) {}
    }
}

/// The queue and group of a completion, read when the operation finishes, not when the block is set.
struct CompletionTarget {
    /// The network thread that submits a block, and its modes.
    typealias Sender = (thread: NetworkThread, modes: Set<RunLoop.Mode>)

    /// Nil is main.
    var queue: DispatchQueue?
    var group: DispatchGroup?

    /// Submits a block.
    ///
    /// - Parameters:
    ///   - number: the operation's, in a recording.
    ///   - name: what the block is, in a recording.
    ///   - sender: the network thread, which submits the block with those of other operations; nil submits it at once.
    ///   - delivered: called on the same queue after the block, as to release the operation's blocks (CB-5).
    func deliver(
        _ block: @escaping @Sendable () -> Void, of number: UInt64 = 0,
        named name: EventText = .completion, by sender: Sender? = nil,
        delivered: @escaping @Sendable () -> Void = {}
    ) {
        let work = { @Sendable in
            HeldLocks.assertNone()
            EventRecorder.span(.callback, subject: number, text: name, block)
            delivered()
        }
        if let (thread, modes) = sender {
            thread.dispatch(to: queue ?? CallbackBatch.main, group: group, inModes: modes, work)
        } else {
            (queue ?? .main).recordedAsync(group: group, work)
        }
    }
}
