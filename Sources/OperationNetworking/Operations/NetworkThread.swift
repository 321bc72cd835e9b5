import CoreFoundation
import CurlConnection
import EventRecorder
public import Foundation
import Synchronization

/// One long-lived thread with a run loop that is kept alive (NT-1 to NT-4).
///
/// `shared` serves every operation that was not given another; a test passes its own and can hold
/// it. The thread ends when the last reference to it is gone and the work handed to it is done.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that wait for the thread. Calls out on: the
/// thread itself, in the modes asked for.
public final class NetworkThread: Sendable {
    /// The thread named "AFNetworking" that all operations use by default; it never ends.
    public static let shared = NetworkThread(name: "AFNetworking")

    // MARK: Set once

    /// The name debuggers and traces show.
    public let name: String
    private let label: EventText
    private let outbox = Outbox()
    private let standIn: StandIn

    // MARK: Set once, mostly at first

    /// Where the process had no descriptors for a run loop, it comes once there are.
    private let loop = AtomicLazyReference<Loop>()

    /// Starts a thread and waits until its run loop can take work.
    ///
    /// A run loop needs file descriptors, with room for its connections about sixteen. While the
    /// process may not open so many (`RLIMIT_NOFILE`), each operation on the thread fails with
    /// `URLError.resourceUnavailable`, whose text names the limit; as soon as it may, they work.
    public init(name: String) {
        self.name = name
        label = EventText(name)
        standIn = StandIn(Turn { [outbox] in outbox.send() })
        _ = makeLoop()
    }

    /// - Returns: nil while there are too few descriptors; CoreFoundation would end the process.
    private func makeLoop() -> Loop? {
        // One at a time, so that nobody takes the descriptors that another has found free.
        Self.making.withLock { _ in
            if let loop = loop.load() { return loop }
            guard (try? DescriptorRoom.check(for: DescriptorRoom.forRunLoop)) != nil else {
                return nil
            }
            let handOver = HandOver()
            let thread = Thread { [name, outbox] in
                NetworkThread.main(name: name, handOver, Turn { outbox.send() })
            }
            thread.start()
            handOver.started()
            return loop.storeIfNil(handOver.wait())
        }
    }

    private static let making = Locked(())

    /// - Throws: `URLError.resourceUnavailable` where the caller runs without a run loop.
    func requireLoop(for url: URL?) throws(URLError) {
        if loop.load() == nil { throw DescriptorRoom.error(for: url) }
    }

    deinit {
        guard let loop = loop.load() else { return }
        _ = enqueue(inModes: .commonModes) { CFRunLoopStop(loop.reference) }
        wakeUp()
    }

    /// Runs a block on the thread, in order with other blocks of the same modes, and wakes it.
    ///
    /// - Parameter modes: run-loop modes; a mode in which nobody runs the loop means never.
    public func perform(
        inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void
    ) {
        if enqueue(inModes: modes, block) { wakeUp() }
    }

    /// As `perform`, without the waking.
    ///
    /// - Returns: whether `wakeUp` must be called soon.
    func enqueue(
        inModes modes: Set<RunLoop.Mode>, _ block: @escaping @Sendable () -> Void
    ) -> Bool {
        let job = QueuedBlock(for: label, block)
        if let loop = loop.load() { return loop.enqueue(inModes: modes, job) }
        standIn.queue.async { [self] in
            guard let loop = makeLoop() else { return standIn.turn.run(job.run) }
            if loop.enqueue(inModes: modes, job) { CFRunLoopWakeUp(loop.reference) }
        }
        return false
    }

    func wakeUp() {
        if let loop = loop.load() { CFRunLoopWakeUp(loop.reference) }
    }

    /// Runs a block on another queue; from this thread, once it has done what it is at.
    func tell(
        on queue: DispatchQueue, group: DispatchGroup? = nil, inModes modes: Set<RunLoop.Mode>,
        _ block: @escaping @Sendable () -> Void
    ) {
        let isFirst = outbox.add(for: queue, group, block)
        if !isCurrent {
            outbox.send()
        } else if modes == .commonModes, turn.isOpen {
            // Its end sends it.
        } else if isFirst || modes != .commonModes {
            perform(inModes: modes) { [outbox] in outbox.send() }
        }
    }

    /// The same without waiting, and with it all that waits.
    func tellAtOnce(on queue: DispatchQueue, _ block: @escaping @Sendable () -> Void) {
        _ = outbox.add(for: queue, nil, block)
        outbox.send()
    }

    /// What the thread's jobs and its connections in the common modes run in.
    var turn: Turn { loop.load()?.turn ?? standIn.turn }

    /// Whether the caller is on this thread.
    public var isCurrent: Bool {
        guard let loop = loop.load() else { return standIn.isCurrent }
        return pthread_equal(pthread_self(), loop.thread) != 0
    }

    /// Stops a debug build when the caller is on another thread.
    func assertIsCurrent(_ function: StaticString = #function) {
        assert(isCurrent, "\(function) belongs to the network thread \(name).")
    }

    /// Closes the connections that are kept for later requests; those in use go on.
    public func closeIdleConnections() {
        perform(inModes: .commonModes) { TransportTable.closeIdleConnections() }
    }

    private static func main(name: String, _ handOver: HandOver, _ turn: Turn) {
        // Foundation on Linux takes a name from inside only, and not before `start` has returned.
        handOver.waitUntilStarted()
        Thread.current.name = name
        guard let reference = CFRunLoopGetCurrent() else { return }
        // A source that never fires keeps the loop alive; Mach ports do not exist on Linux.
        var context = CFRunLoopSourceContext()
        let keepAlive = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(reference, keepAlive, kCFRunLoopCommonModes)
        // The first block for the common modes takes descriptors too.
        CFRunLoopPerformBlock(reference, kCFRunLoopCommonModes) {}
        handOver.offer(
            Loop(reference: reference, runLoop: .current, thread: pthread_self(), turn))
        CFRunLoopRun()
        TransportTable.closeAll()
    }
}

/// A run loop and its thread, as other threads may use them.
private final class Loop: @unchecked Sendable {
    // @unchecked because performing a block, waking and stopping are safe from any thread; the turn
    // is the thread's own.
    let reference: CFRunLoop
    let runLoop: RunLoop
    let thread: pthread_t
    let turn: Turn
    /// For the common modes, waiting for the one block that runs them all.
    private let jobs = Locked<[QueuedBlock]>([])
    /// The recording that sees the loop.
    private let watched = Atomic<UInt32>(0)

    init(reference: CFRunLoop, runLoop: RunLoop, thread: pthread_t, _ turn: Turn) {
        self.reference = reference
        self.runLoop = runLoop
        self.thread = thread
        self.turn = turn
    }

    /// Runs jobs, from which on a recording sees the loop as well.
    private func run(_ jobs: [QueuedBlock]) {
        if EventRecorder.isRecording {
            let recording = EventRecorder.recording
            if watched.exchange(recording, ordering: .relaxed) != recording {
                RunLoopTrace.watchCurrent()
            }
        }
        for job in jobs { job.run() }
    }

    /// Performing alone does not wake a sleeping loop on Linux.
    ///
    /// - Returns: whether it has to be woken; jobs that come before it has woken share one waking.
    func enqueue(
        inModes modes: Set<RunLoop.Mode>, _ block: QueuedBlock
    ) -> Bool {
        guard modes == .commonModes else {
            runLoop.perform(inModes: Array(modes)) { self.run([block]) }
            return true
        }
        let isFirst = jobs.withLock { jobs in
            jobs.append(block)
            return jobs.count == 1
        }
        if isFirst {
            CFRunLoopPerformBlock(reference, kCFRunLoopCommonModes) { [self] in
                let waiting = jobs.withLock { jobs in
                    defer { jobs = [] }
                    return jobs
                }
                EventRecorder.instant(.runLoopSource, text: .jobs)
                turn.run { run(waiting) }
            }
        }
        return isFirst
    }
}

/// Where the jobs of a thread run, and their operations fail, while there is no run loop.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; its queue. Calls out on: that queue.
private final class StandIn: @unchecked Sendable {
    // @unchecked because the turn is used on the queue alone.
    let queue = DispatchQueue(label: "AFNetworking.NoRunLoop")
    let turn: Turn
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    init(_ turn: Turn) {
        self.turn = turn
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(self))
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(self) }
}

/// Carries the loop from the new thread to its maker.
private final class HandOver: Sendable {
    private let loop = Locked<Loop?>(nil)
    private let isThere = DispatchSemaphore(value: 0)
    private let isStarted = DispatchSemaphore(value: 0)

    func started() {
        isStarted.signal()
    }

    func waitUntilStarted() {
        isStarted.wait()
    }

    func offer(_ loop: Loop) {
        self.loop.withLock { $0 = loop }
        isThere.signal()
    }

    func wait() -> Loop {
        isThere.wait()
        guard let loop = loop.withLock({ $0 }) else {
            preconditionFailure("The network thread has no run loop.")
        }
        return loop
    }
}
