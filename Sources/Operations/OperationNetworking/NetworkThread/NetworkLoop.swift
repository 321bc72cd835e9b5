import CoreFoundation
import CurlConnection
import EventRecorder
import Foundation
import Locking
import Synchronization

/// A run loop and its thread, as other threads may use them.
///
/// Its jobs are one list, in the order in which they came, and one source that runs them all in every
/// mode that somebody has named. The source also keeps the loop alive: Mach ports do not exist on Linux.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that wait. Calls out on: the thread itself.
final class NetworkLoop: @unchecked Sendable {
    // @unchecked because signalling a source, adding it, waking and stopping are safe from any
    // thread; the source itself is set once; the pass and what is under way are the thread's own.
    let reference: CFRunLoop
    let thread: pthread_t
    let pass: RunLoopPass
    private let runLoop = RunLoop.current
    private var source: CFRunLoopSource?
    private let jobs = Locked(Jobs())
    /// The jobs of this pass that have not run; a job that runs the loop goes on with them inside.
    /// Unchecked for speed: a job runs once it has been taken out.
    @exclusivity(unchecked) private var underWay: ArraySlice<QueuedBlock> = []
    /// The recording that sees the loop.
    private let watched = Atomic<UInt32>(0)

    private struct Jobs {
        var waiting: [QueuedBlock] = []
        /// In which the source is.
        var modes = Set.commonModes
    }

    /// The loop of the thread that makes it.
    init?(thread: pthread_t, _ pass: RunLoopPass) {
        guard let reference = CFRunLoopGetCurrent() else { return nil }
        self.reference = reference
        self.thread = thread
        self.pass = pass
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { info in
            info.map { Unmanaged<NetworkLoop>.fromOpaque($0).takeUnretainedValue().runJobs() }
        }
        source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(reference, source, kCFRunLoopCommonModes)
    }

    /// Takes the source away, which knows this only by its address.
    func close() {
        CFRunLoopSourceInvalidate(source)
    }

    /// Signalling alone does not wake a sleeping loop on Linux.
    ///
    /// - Returns: whether it has to be woken; jobs that come before it has woken share one waking.
    func enqueue(alsoIn modes: Set<RunLoop.Mode>, _ block: QueuedBlock) -> Bool {
        let (isFirst, newModes) = jobs.withLock { jobs in
            jobs.waiting.append(block)
            let isFirst = jobs.waiting.count == 1
            guard modes != .commonModes else { return (isFirst, Set<RunLoop.Mode>()) }
            let new = modes.subtracting(jobs.modes)
            jobs.modes.formUnion(new)
            return (isFirst, new)
        }
        for mode in newModes { CFRunLoopAddSource(reference, source, CFRunLoopMode.of(mode)) }
        if isFirst { CFRunLoopSourceSignal(source) }
        return isFirst || !newModes.isEmpty
    }

    /// Runs a job in some modes only, in no order with the others.
    func perform(inModes modes: Set<RunLoop.Mode>, _ block: QueuedBlock) {
        runLoop.perform(inModes: Array(modes)) {
            self.watch()
            block.run()
        }
    }

    private func runJobs() {
        let waiting = jobs.withLock { jobs in
            defer { jobs.waiting = [] }
            return jobs.waiting
        }
        underWay.append(contentsOf: waiting)
        guard !underWay.isEmpty else { return }
        EventRecorder.instant(.runLoopSource, text: .jobs)
        pass.run {
            watch()
            while let job = underWay.popFirst() { job.run() }
            // Releases what the jobs held.
            underWay = []
        }
    }

    /// Has a recording see the loop as well.
    private func watch() {
        guard EventRecorder.isRecording else { return }
        let recording = EventRecorder.recording
        if watched.exchange(recording, ordering: .relaxed) != recording {
            RunLoopTrace.watchCurrent()
        }
    }
}
