import CoreFoundation
package import CurlConnection
import Dispatch
import EventRecorder
public import Foundation
package import HTTPSemantics
package import Locking
import Synchronization

/// One long-lived thread with a run loop that is kept alive.
///
/// `shared` runs every operation that has no other thread. A thread ends when it was released and its jobs have run.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the thread's jobs, one for all threads around the making of run loops. Calls
/// out on: the thread itself, in the modes of the job.
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

    // MARK: Set once, usually in `init`

    /// Set later if the process had no descriptors for a run loop; set under `making`, and released in `deinit`. An
    /// `AtomicLazyReference` is slower to read.
    private let madeLoop = Atomic<Unmanaged<NetworkLoop>?>(nil)
    /// The loop's thread as a number; 0 before there is one.
    private let thread = Atomic<UInt>(0)
    /// The system's error when it last refused a thread; 0 otherwise.
    private let refusal = Atomic<Int32>(0)

    /// Starts a thread and waits until its run loop can run jobs.
    ///
    /// A run loop and its first connections need about sixteen file descriptors. While the process may not open so many
    /// (`RLIMIT_NOFILE`), or the system refuses a thread, each operation on the thread fails with
    /// `URLError.resourceUnavailable`, whose text names the limit; as soon as it may, operations work.
    public convenience init(name: String) {
        self.init(name: name, startingBy: SystemThread.start)
    }

    package init(name: String, startingBy start: @escaping SystemThread.Starter) {
        self.name = name
        startThread = start
        label = EventText(name)
        standIn = StandIn(RunLoopPass { [callbacks] in callbacks.send() })
        _ = makeLoop()
    }

    /// - Returns: nil without a thread, or with too few descriptors, for which CoreFoundation would stop the process.
    private func makeLoop() -> NetworkLoop? {
        // One at a time, so that two threads do not count the same free descriptors.
        Self.making.withLock {
            if let loop { return loop }
            refusal.store(0, ordering: .relaxed)
            guard (try? DescriptorRoom.check(for: DescriptorRoom.forRunLoop)) != nil else {
                return nil
            }
            let newLoop = NewLoop()
            do throws(ThreadUnavailable) {
                try startThread { [name, callbacks] in
                    NetworkThread.main(name: name, newLoop, RunLoopPass { callbacks.send() })
                }
            } catch {
                refusal.store(error.number, ordering: .relaxed)
                return nil
            }
            guard let new = newLoop.wait() else { return nil }
            self.thread.store(new.thread, ordering: .releasing)
            madeLoop.store(.passRetained(new), ordering: .releasing)
            return new
        }
    }

    private var loop: NetworkLoop? {
        madeLoop.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    private static let making = NSLock()

    /// - Throws: `URLError.resourceUnavailable` if there is no run loop.
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
        enqueue { CFRunLoopStop(loop.reference) }
        madeLoop.load(ordering: .relaxed)?.release()
    }

    /// Runs a block on the thread, in order with other blocks of the same modes, and wakes it.
    ///
    /// - Parameter modes: run-loop modes; in a mode in which the loop is never run, the block never runs.
    public func perform(
        inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void
    ) {
        if modes == .commonModes {
            enqueue(block)
        } else {
            let job = QueuedBlock(for: label, block)
            guard let loop else {
                return enqueueLate(job) { loop, job in
                    loop.perform(inModes: modes, job)
                    return true
                }
            }
            loop.perform(inModes: modes, job)
            wakeUp()
        }
    }

    /// Enqueues a block after all earlier ones, whatever their modes, and wakes the thread.
    ///
    /// - Parameter modes: modes besides the common ones, in which all blocks run from now on.
    func enqueue(
        alsoIn modes: Set<RunLoop.Mode> = .commonModes, _ block: @escaping @Sendable () -> Void
    ) {
        let job = QueuedBlock(for: label, block)
        if let loop {
            if loop.enqueue(alsoIn: modes, job) { wakeUp() }
        } else {
            enqueueLate(job) { $0.enqueue(alsoIn: modes, $1) }
        }
    }

    /// Makes the loop and enqueues a job in it; without a loop, the stand-in runs the job.
    private func enqueueLate(
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

    /// Dispatches a block to another queue; from this thread, at the end of its run-loop pass.
    func dispatch(
        to queue: DispatchQueue, group: DispatchGroup? = nil, inModes modes: Set<RunLoop.Mode>,
        _ block: @escaping @Sendable () -> Void
    ) {
        added(isFirst: callbacks.add(for: queue, group, block), inModes: modes)
    }

    /// Dispatches a block to the serializers' pool; from this thread, at the end of its run-loop pass.
    func process(inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void) {
        added(isFirst: callbacks.addForPool(block), inModes: modes)
    }

    /// Arranges that the batch is sent.
    private func added(isFirst: Bool, inModes modes: Set<RunLoop.Mode>) {
        if !isCurrent {
            callbacks.send()
        } else if modes == .commonModes, pass.isOpen {
            // The end of the pass sends it.
        } else if isFirst || modes != .commonModes {
            enqueue(alsoIn: modes) { [callbacks] in callbacks.send() }
        }
    }

    /// Dispatches a block, and all that were collected before it, now.
    func dispatchAtOnce(to queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        _ = callbacks.add(for: queue, nil, block)
        callbacks.send()
    }

    /// The run-loop pass of the thread's jobs, and of its connections in the common modes.
    package var pass: RunLoopPass { loop?.pass ?? standIn.pass }

    /// Whether the caller is on this thread.
    public var isCurrent: Bool {
        let thread = thread.load(ordering: .acquiring)
        if thread == 0 { return standIn.isCurrent }
        return thread == pthread_self()
    }

    func assertIsCurrent(_ function: StaticString = #function) {
        assert(isCurrent, "\(function) belongs to the network thread \(name).")
    }

    /// Stops the process if the caller is a network thread, which would wait for its own work for ever.
    static func refuseToWait(_ function: StaticString = #function) {
        let name = Thread.current.threadDictionary[Self.nameKey] as? String
        precondition(
            name == nil && !StandIn.isCurrentOfAny,
            """
            \(function) was called on the network thread \(name ?? ""), which would wait for its own work for \
            ever. Use a completion block, or wait on another thread.
            """)
    }

    private static let nameKey = "com.alamofire.networking.thread"

    /// Closes the connections that are kept for later requests; those in use continue.
    public func closeIdleConnections() {
        perform(inModes: .commonModes) { TransportTable.closeIdleConnections() }
    }

    private static func main(name: String, _ newLoop: NewLoop, _ pass: RunLoopPass) {
        // On Linux, Foundation sets a thread's name only on that thread.
        Thread.current.name = name
        Thread.current.threadDictionary[nameKey] = name
        guard let loop = NetworkLoop(thread: pthread_self(), pass) else {
            return newLoop.set(nil)
        }
        // The first block for the common modes takes descriptors too.
        CFRunLoopPerformBlock(loop.reference, kCFRunLoopCommonModes) {}
        newLoop.set(loop)
        CFRunLoopRun()
        loop.close()
        TransportTable.closeAll()
    }
}

/// Passes the loop from the new thread to the thread that makes it.
private final class NewLoop: Sendable {
    private let loop = Locked<NetworkLoop?>(nil)
    private let isSet = DispatchSemaphore(value: 0)

    func set(_ loop: NetworkLoop?) {
        self.loop.withLock { $0 = loop }
        isSet.signal()
    }

    func wait() -> NetworkLoop? {
        isSet.wait()
        return loop.withLock { $0 }
    }
}

extension NetworkThread {
    /// Runs a block on the thread after a number of seconds of a clock. No thread waits for that.
    ///
    /// - Returns: the alarm, which can be cancelled until then.
    @discardableResult
    package func perform(
        after seconds: TimeInterval, of clock: NetworkClock,
        inModes modes: Set<RunLoop.Mode> = [.common], _ block: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        clock.wakeUp(after: seconds) { [weak self] in self?.perform(inModes: modes, block) }
    }
}

/// Runs the jobs of a thread that has no run loop; their operations fail.
///
/// ## Concurrency
/// Call from: any thread. Lock: none. Calls out on: its queue.
final class StandIn: @unchecked Sendable {
    // @unchecked because the pass is used on the queue alone.
    let queue = DispatchQueue(label: "AFNetworking.NoRunLoop")
    let pass: RunLoopPass
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    init(_ pass: RunLoopPass) {
        self.pass = pass
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    /// Whether the caller is on the queue of any stand-in.
    static var isCurrentOfAny: Bool { DispatchQueue.getSpecific(key: key) != nil }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

extension Set<RunLoop.Mode> {
    /// The common modes, made once: a literal is made and hashed at each use.
    static let commonModes: Set = [.common]
}
