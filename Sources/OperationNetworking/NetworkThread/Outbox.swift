import CurlConnection
import EventRecorder
import Foundation
import Locking

/// Blocks for other queues, kept until the network thread has done what it is at.
///
/// Waking a thread costs more than most blocks do, so each queue is woken once for all of its own.
/// On main they are one block, at the place in the line where each would have been. On another queue
/// each is a block of its own, behind the one before or, where the queue is concurrent, beside it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists. Calls out on: the blocks' queues.
final class Outbox: Sendable {
    private struct Letter {
        let queue: DispatchQueue
        let group: DispatchGroup?
        let block: QueuedBlock

        func deliver() {
            block.run()
            group?.leave()
        }
    }

    private struct State {
        var forMain: [Letter] = []
        var forOthers: [Letter] = []
        /// The last queue and its label, in a recording. Not weak: a weak reference makes every other
        /// one to the queue slow.
        var labelled: (queue: DispatchQueue, text: EventText)?
        /// What was sent to a queue and has not run; each block submits the next one.
        private var lines: [ObjectIdentifier: ArraySlice<Letter>] = [:]

        /// Mostly one queue's again and again.
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

        /// Puts a block into its queue's line.
        ///
        /// - Returns: whether nobody is at work on that line.
        mutating func isFirst(_ letter: Letter) -> Bool {
            let queue = ObjectIdentifier(letter.queue)
            let isFirst = lines[queue] == nil
            lines[queue, default: []].append(letter)
            return isFirst
        }

        /// Takes a block from a queue's line, which ends with the last.
        mutating func next(on queue: DispatchQueue) -> (Letter?, isLast: Bool) {
            let queue = ObjectIdentifier(queue)
            let letter = lines[queue]?.popFirst()
            guard lines[queue]?.isEmpty != false else { return (letter, false) }
            lines[queue] = nil
            return (letter, true)
        }
    }

    /// Main, as one object: Dispatch on Linux makes a new one for each who asks.
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
    /// - Returns: whether it is the first, so that somebody has to `send` soon.
    func add(
        for queue: DispatchQueue, _ group: DispatchGroup?, _ block: @escaping @Sendable () -> Void
    ) -> Bool {
        group?.enter()
        let isForMain = Self.isMain(queue)
        return state.withLock { state in
            if isForMain {
                // Main's are one block, which is seen when it is handed over.
                let block = QueuedBlock(unseen: block)
                state.forMain.append(Letter(queue: queue, group: group, block: block))
            } else {
                let block = QueuedBlock(for: state.label(of: queue), block)
                state.forOthers.append(Letter(queue: queue, group: group, block: block))
            }
            return state.forMain.count + state.forOthers.count == 1
        }
    }

    /// Hands every block to its queue; to main last, which mostly hears of what is over.
    func send() {
        let idle = state.withLock { state in
            if !EventRecorder.isRecording { state.labelled = nil }
            let letters = state.forOthers
            state.forOthers = []
            return letters.filter { state.isFirst($0) }
        }
        for letter in idle { submit(to: letter.queue) }
        state.withLock { state in
            guard !state.forMain.isEmpty else { return }
            let letters = state.forMain
            state.forMain = []
            // Under the lock, so that no other thread's overtake these.
            let block = QueuedBlock(for: mainLabel) { letters.forEach { $0.deliver() } }
            Self.main.async(execute: block.run)
        }
    }

    private func submit(to queue: DispatchQueue) {
        queue.async { self.runOne(on: queue) }
    }

    /// Submits the next before it runs one, so that on a concurrent queue none waits for another.
    private func runOne(on queue: DispatchQueue) {
        let (letter, isLast) = state.withLock { $0.next(on: queue) }
        if !isLast { submit(to: queue) }
        letter?.deliver()
    }
}
