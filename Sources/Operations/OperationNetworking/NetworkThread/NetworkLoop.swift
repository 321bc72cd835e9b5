import CoreFoundation
import CurlConnection
import EventRecorder
import Foundation
import Locking
import Synchronization

/// A run loop and its thread, with a list of jobs that other threads enqueue.
///
/// One source runs all jobs in order, in every mode that a job has named. The source also keeps the loop alive: Mach
/// ports do not exist on Linux.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that wait. Calls out on: the thread itself.
final class NetworkLoop: @unchecked Sendable {
    // @unchecked because CoreFoundation's functions here are safe on any thread, the source is set once, and the rest
    // is the thread's own.
    let reference: CFRunLoop
    let thread: pthread_t
    let pass: RunLoopPass
    private let runLoop = RunLoop.current
    private var source: CFRunLoopSource?
    private let jobs = Locked(Jobs())
    /// The jobs of this pass that have not run; a job that runs the loop itself runs the next ones inside it. Unchecked
    /// for speed: a job is removed before it runs.
    @exclusivity(unchecked) private var underWay: ArraySlice<QueuedBlock> = []
    /// The number of the recording that observes the loop.
    private let watched = Atomic<UInt32>(0)

    private struct Jobs {
        var waiting: [QueuedBlock] = []
        /// The modes to which the source was added.
        var modes = Set.commonModes
    }

    /// Must be called on the thread.
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

    /// Removes the source, which has an unretained pointer to this.
    func close() {
        CFRunLoopSourceInvalidate(source)
    }

    /// - Returns: whether the caller has to wake the loop; on Linux signalling the source does not.
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

    /// Runs a job only in the given modes, in no order with the others.
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
            underWay = []
        }
    }

    private func watch() {
        guard EventRecorder.isRecording else { return }
        let recording = EventRecorder.recording
        if watched.exchange(recording, ordering: .relaxed) != recording {
            RunLoopTrace.watchCurrent()
        }
    }
}

/// Records when a run loop sleeps, wakes and changes its mode; it removes itself after the recording.
///
/// ## Concurrency
/// Call from: the run loop's thread. Lock: none.
enum RunLoopTrace {
    private static let key = "OperationNetworking.RunLoopTrace"

    static func watchCurrent() {
        let memory = Thread.current.threadDictionary
        guard memory[key] == nil, EventRecorder.isRecording, let loop = CFRunLoopGetCurrent()
        else { return }
        memory[key] = true
        let moments: CFRunLoopActivity = [.entry, .beforeWaiting, .afterWaiting]
        let observer = CFRunLoopObserverCreateWithHandler(
            kCFAllocatorDefault, moments.rawValue, true, 0
        ) { observer, moment in
            if EventRecorder.isRecording {
                note(moment)
            } else {
                CFRunLoopObserverInvalidate(observer)
                Thread.current.threadDictionary[key] = nil
            }
        }
        CFRunLoopAddObserver(loop, observer, kCFRunLoopCommonModes)
    }

    private static func note(_ moment: CFRunLoopActivity) {
        switch moment {
        case .beforeWaiting: EventRecorder.begin(.runLoopSleep)
        case .afterWaiting: EventRecorder.end(.runLoopSleep)
        case .entry: EventRecorder.instant(.runLoopMode, text: currentMode)
        default: break
        }
    }

    private static var currentMode: EventText {
        RunLoop.current.currentMode.map { EventText($0.rawValue) } ?? .none
    }
}
