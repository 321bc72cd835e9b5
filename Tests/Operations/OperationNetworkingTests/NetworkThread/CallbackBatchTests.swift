import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("What the network thread tells other queues", .timeLimit(.minutes(5)))
struct CallbackBatchTests {
    private let seen = Locked<[String]>([])

    private func note(_ text: String) -> @Sendable () -> Void {
        { [seen] in seen.withLock { $0.append(text) } }
    }

    private func wait(for queue: DispatchQueue) async {
        await withCheckedContinuation { go in queue.async { go.resume() } }
    }

    @Test func `only the first of several blocks asks for the sending`() {
        let (batch, queue) = (CallbackBatch(), DispatchQueue(label: "batch"))
        #expect(batch.add(for: queue, nil, note("a")))
        #expect(!batch.add(for: queue, nil, note("b")))
        batch.send()
        #expect(batch.add(for: queue, nil, note("c")))
    }

    @Test func `a queue gets its blocks in order, submitted when the sending returns`() {
        let (batch, queue) = (CallbackBatch(), DispatchQueue(label: "batch"))
        let other = DispatchQueue(label: "other")
        let all = DispatchGroup()
        for text in ["a", "b", "c"] {
            _ = batch.add(for: queue, all, note(text))
            _ = batch.add(for: other, all, {})
        }
        batch.send()
        // Submitted by now, so that what the caller submits comes behind.
        queue.async(group: all, execute: note("behind"))
        all.wait()
        #expect(seen.withLock { $0 } == ["a", "b", "c", "behind"])
    }

    @Test func `main is one queue, also where a caller names it`() async {
        // On Linux each who asks for main gets an object of its own.
        let batch = CallbackBatch()
        for text in ["a", "b", "c", "d"] {
            let isNamed = text == "b" || text == "d"
            _ = batch.add(for: isNamed ? DispatchQueue.main : CallbackBatch.main, nil, note(text))
        }
        batch.send()
        // The last one of a line of its own would be submitted after these.
        for _ in 0..<4 { await wait(for: .main) }
        #expect(seen.withLock { $0 } == ["a", "b", "c", "d"])
    }

    @Test func `what is sent later comes behind what has not run yet`() {
        let (batch, queue) = (CallbackBatch(), DispatchQueue(label: "batch"))
        let all = DispatchGroup()
        let isHeld = DispatchSemaphore(value: 0)
        _ = batch.add(for: queue, all) { isHeld.wait() }
        for text in ["a", "b", "c"] { _ = batch.add(for: queue, all, note(text)) }
        batch.send()
        for text in ["d", "e"] {
            _ = batch.add(for: queue, all, note(text))
            batch.send()
        }
        isHeld.signal()
        all.wait()
        #expect(seen.withLock { $0 } == ["a", "b", "c", "d", "e"])
    }

    @Test func `on main, what was submitted before the sending runs before, the rest behind`() {
        let batch = CallbackBatch()
        let all = DispatchGroup()
        let isHeld = DispatchSemaphore(value: 0)
        DispatchQueue.main.async { isHeld.wait() }
        DispatchQueue.main.async(group: all, execute: note("before"))
        for text in ["a", "b"] {
            let note = note(text)
            _ = batch.add(for: CallbackBatch.main, all) {
                note()
                if text == "a" {
                    DispatchQueue.main.async(group: all, execute: self.note("inside"))
                }
            }
        }
        batch.send()
        DispatchQueue.main.async(group: all, execute: note("behind"))
        isHeld.signal()
        all.wait()
        #expect(seen.withLock { $0 } == ["before", "a", "b", "behind", "inside"])
    }

    @Test func `on a concurrent queue none waits for the one before`() {
        let (batch, queue) = (
            CallbackBatch(), DispatchQueue(label: "batch", attributes: .concurrent)
        )
        let second = DispatchSemaphore(value: 0)
        let all = DispatchGroup()
        _ = batch.add(for: queue, all) { second.wait() }
        _ = batch.add(for: queue, all) { second.signal() }
        batch.send()
        all.wait()
    }

    @Test func `a group is left after the block, not when it is handed over`() async {
        let (batch, queue) = (CallbackBatch(), DispatchQueue(label: "batch"))
        let group = DispatchGroup()
        let end = DispatchQueue(label: "end")
        queue.suspend()
        _ = batch.add(for: queue, group, note("block"))
        batch.send()
        let isLeft = Signal()
        group.notify(queue: end) {
            self.note("left")()
            isLeft.fire()
        }
        queue.resume()
        await isLeft.wait()
        #expect(seen.withLock { $0 } == ["block", "left"])
    }

    @Test func `the network thread hands over when it has done what it is at`() async {
        let thread = NetworkThread(name: "batch")
        let queue = DispatchQueue(label: "batch")
        let isTold = Signal()
        thread.perform(inModes: [.common]) { [note] in
            let reported = note("told")
            thread.dispatch(to: queue, inModes: [.common]) {
                reported()
                isTold.fire()
            }
            // What was submitted by now has run when this returns.
            queue.sync {}
            note("done")()
        }
        await isTold.wait()
        #expect(seen.withLock { $0 } == ["done", "told"])
    }

    @Test func `another thread's block does not overtake what the network thread keeps`() async {
        let thread = NetworkThread(name: "batch")
        let queue = DispatchQueue(label: "batch")
        let isKept = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        thread.perform(inModes: [.common]) { [note] in
            thread.dispatch(to: queue, inModes: [.common], note("kept"))
            isKept.signal()
            mayGoOn.wait()
        }
        isKept.wait()
        thread.dispatch(to: queue, inModes: [.common], note("later"))
        await wait(for: queue)
        mayGoOn.signal()
        await wait(for: queue)
        #expect(seen.withLock { $0 } == ["kept", "later"])
    }
}
