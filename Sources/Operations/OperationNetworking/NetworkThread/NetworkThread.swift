import CoreFoundation
package import CurlConnection
import EventRecorder
public import Foundation
package import Locking
import Synchronization

/// One long-lived thread with a run loop that is kept alive (NT-1 to NT-4).
///
/// `shared` serves every operation that was not given another; a test passes its own and can hold
/// it. The thread ends when the last reference to it is gone and the work handed to it is done.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that wait for the thread, one for all threads
/// around the making of run loops. Calls out on: the thread itself, in the modes asked for.
public final class NetworkThread: Sendable {
    /// The thread named "AFNetworking" that all operations use by default; it never ends.
    public static let shared = NetworkThread(name: "AFNetworking")

    // MARK: Set once

    /// The name debuggers and traces show.
    public let name: String
    private let label: EventText
    private let callbacks = CallbackBatch()
    private let standIn: StandIn
    private let startThread: SystemThread.Starter

    // MARK: Set once, mostly at first

    /// Where the process had no descriptors for a run loop, it comes once there are; set under `making`, and released
    /// with this. No `AtomicLazyReference`: each look at one is a call of general code.
    private let madeLoop = Atomic<Unmanaged<NetworkLoop>?>(nil)
    /// The loop's thread as a number; 0 before there is one.
    private let thread = Atomic<UInt>(0)
    /// Why the system gave no thread, the last time that one was to be made; 0 where it did, or was not asked.
    private let refusal = Atomic<Int32>(0)

    /// Starts a thread and waits until its run loop can take work.
    ///
    /// A run loop needs file descriptors, with room for its connections about sixteen. While the
    /// process may not open so many (`RLIMIT_NOFILE`), each operation on the thread fails with
    /// `URLError.resourceUnavailable`, whose text names the limit; as soon as it may, operations work. The same
    /// is so while the system has no thread to give.
    public convenience init(name: String) {
        self.init(name: name, startingBy: SystemThread.start)
    }

    /// - Parameter start: what makes the thread.
    package init(name: String, startingBy start: @escaping SystemThread.Starter) {
        self.name = name
        startThread = start
        label = EventText(name)
        standIn = StandIn(RunLoopPass { [callbacks] in callbacks.send() })
        _ = makeLoop()
    }

    /// - Returns: nil while there is no thread, or too few descriptors; CoreFoundation would end the process.
    private func makeLoop() -> NetworkLoop? {
        // One at a time, so that nobody takes the descriptors that another has found free.
        Self.making.withLock {
            if let loop { return loop }
            refusal.store(0, ordering: .relaxed)
            guard (try? DescriptorRoom.check(for: DescriptorRoom.forRunLoop)) != nil else {
                return nil
            }
            let handOver = HandOver()
            do throws(ThreadUnavailable) {
                try startThread { [name, callbacks] in
                    NetworkThread.main(name: name, handOver, RunLoopPass { callbacks.send() })
                }
            } catch {
                refusal.store(error.number, ordering: .relaxed)
                return nil
            }
            guard let new = handOver.wait() else { return nil }
            self.thread.store(new.thread, ordering: .releasing)
            madeLoop.store(.passRetained(new), ordering: .releasing)
            return new
        }
    }

    private var loop: NetworkLoop? {
        madeLoop.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    private static let making = NSLock()

    /// - Throws: `URLError.resourceUnavailable` where the caller runs without a run loop.
    package func requireLoop(for url: URL?) throws(URLError) {
        if loop != nil { return }
        let number = refusal.load(ordering: .relaxed)
        guard number != 0 else { throw DescriptorRoom.error(for: url) }
        let reason = ThreadUnavailable(number)
        throw URLError(
            .resourceUnavailable, url: url, text: reason.description, underlying: reason)
    }

    deinit {
        guard let loop else { return }
        _ = enqueue { CFRunLoopStop(loop.reference) }
        wakeUp()
        madeLoop.load(ordering: .relaxed)?.release()
    }

    /// Runs a block on the thread, in order with other blocks of the same modes, and wakes it.
    ///
    /// - Parameter modes: run-loop modes; in a mode in which the loop is never run, the block never runs.
    public func perform(
        inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void
    ) {
        if modes == .commonModes {
            if enqueue(block) { wakeUp() }
        } else {
            let job = QueuedBlock(for: label, block)
            guard let loop else {
                return handLate(job) { loop, job in
                    loop.perform(inModes: modes, job)
                    return true
                }
            }
            loop.perform(inModes: modes, job)
            wakeUp()
        }
    }

    /// Puts a block behind all that were handed over before it, whatever their modes.
    ///
    /// - Parameter modes: modes besides the common ones that the loop may be in; all blocks run there.
    /// - Returns: whether `wakeUp` must be called soon.
    func enqueue(
        alsoIn modes: Set<RunLoop.Mode> = .commonModes, _ block: @escaping @Sendable () -> Void
    ) -> Bool {
        let job = QueuedBlock(for: label, block)
        if let loop { return loop.enqueue(alsoIn: modes, job) }
        handLate(job) { $0.enqueue(alsoIn: modes, $1) }
        return false
    }

    /// Hands a job to a loop that is made now; to the stand-in while none can be made.
    private func handLate(
        _ job: QueuedBlock, _ put: @escaping @Sendable (NetworkLoop, QueuedBlock) -> Bool
    ) {
        standIn.queue.async { [self] in
            guard let loop = makeLoop() else { return standIn.pass.run(job.run) }
            if put(loop, job) { CFRunLoopWakeUp(loop.reference) }
        }
    }

    func wakeUp() {
        if let loop { CFRunLoopWakeUp(loop.reference) }
    }

    /// Runs a block on another queue; from this thread, once it has done what it is at.
    func tell(
        on queue: DispatchQueue, group: DispatchGroup? = nil, inModes modes: Set<RunLoop.Mode>,
        _ block: @escaping @Sendable () -> Void
    ) {
        added(isFirst: callbacks.add(for: queue, group, block), inModes: modes)
    }

    /// Runs a block in the serializers' pool; from this thread, once it has done what it is at.
    func process(inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void) {
        added(isFirst: callbacks.addForPool(block), inModes: modes)
    }

    /// Makes sure that the batch is sent.
    private func added(isFirst: Bool, inModes modes: Set<RunLoop.Mode>) {
        if !isCurrent {
            callbacks.send()
        } else if modes == .commonModes, pass.isOpen {
            // Its end sends it.
        } else if isFirst || modes != .commonModes {
            if enqueue(alsoIn: modes, { [callbacks] in callbacks.send() }) { wakeUp() }
        }
    }

    /// The same without waiting, and with it all that waits.
    func tellAtOnce(on queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        _ = callbacks.add(for: queue, nil, block)
        callbacks.send()
    }

    /// What the thread's jobs and its connections in the common modes run in.
    package var pass: RunLoopPass { loop?.pass ?? standIn.pass }

    /// Whether the caller is on this thread.
    public var isCurrent: Bool {
        let thread = thread.load(ordering: .acquiring)
        if thread == 0 { return standIn.isCurrent }
        return thread == pthread_self()
    }

    /// Stops a debug build when the caller is on another thread.
    func assertIsCurrent(_ function: StaticString = #function) {
        assert(isCurrent, "\(function) belongs to the network thread \(name).")
    }

    /// Stops the process where a network thread is about to wait for an operation: it would wait for itself, and
    /// with it every operation of that thread, without a word.
    static func refuseToWait(_ function: StaticString = #function) {
        let name = Thread.current.threadDictionary[Self.nameKey] as? String
        precondition(
            name == nil && !StandIn.isCurrentOfAny,
            """
            \(function) was called on the network thread \(name ?? ""), which has to do the work that is \
            waited for: it would wait for ever. Use a completion block, or wait on another thread.
            """)
    }

    private static let nameKey = "com.alamofire.networking.thread"

    /// Closes the connections that are kept for later requests; those in use go on.
    public func closeIdleConnections() {
        perform(inModes: .commonModes) { TransportTable.closeIdleConnections() }
    }

    private static func main(name: String, _ handOver: HandOver, _ pass: RunLoopPass) {
        // Foundation on Linux takes a name from inside only.
        Thread.current.name = name
        Thread.current.threadDictionary[nameKey] = name
        guard let loop = NetworkLoop(thread: pthread_self(), pass) else {
            return handOver.offer(nil)
        }
        // The first block for the common modes takes descriptors too.
        CFRunLoopPerformBlock(loop.reference, kCFRunLoopCommonModes) {}
        handOver.offer(loop)
        CFRunLoopRun()
        loop.close()
        TransportTable.closeAll()
    }
}

/// Carries the loop from the new thread to its maker.
private final class HandOver: Sendable {
    private let loop = Locked<NetworkLoop?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// - Parameter loop: nil where there is none.
    func offer(_ loop: NetworkLoop?) {
        self.loop.withLock { $0 = loop }
        isThere.signal()
    }

    func wait() -> NetworkLoop? {
        isThere.wait()
        return loop.withLock { $0 }
    }
}
