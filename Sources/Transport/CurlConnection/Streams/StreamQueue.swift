package import Foundation
import Locking
package import Scheduling
import Synchronization

/// Runs the calls of one file's stream, which may block, in order and away from the network thread.
///
/// A regular file's calls run on the threads for files (`WorkerPool.files`). A pipe's or device's run on a thread of
/// its own, since a pipe blocks until the other process reads or writes. A thread for files finds out which it is.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that were enqueued before the kind of the file was known. Calls
/// out on: those threads, not under the lock.
package final class StreamQueue: Sendable {
    /// Calls the stream, or gets the error with which it must fail because no thread is free for it.
    package typealias Job = @Sendable (_ refusal: URLError?) -> Void

    private enum Target {
        case unknown
        case lookedFor
        case disk
        case own(WorkerQueue)
        case refused(URLError)
    }

    /// A regular file on a disk, or a pipe or device.
    package enum Kind: UInt8, Sendable {
        case disk, pipe
    }

    private struct State {
        var target = Target.unknown
        var waiting = FIFOQueue<Job>()
        var isLeft = false
    }

    private let disk: WorkerQueue
    private let streams: WorkerPool
    private let mayWait: @Sendable () -> Bool
    private let state = Locked(State())
    /// The raw value of `kind`, or `.max`. Atomic, since callers read it while they hold their own locks.
    private let knownKind = Atomic<UInt8>(.max)

    /// - Parameters:
    ///   - files: the threads for regular files.
    ///   - streams: the threads for pipes and devices.
    ///   - mayWait: returns whether the stream is a pipe or device; called once, on a thread for files.
    package init(
        files: WorkerPool = .files, streams: WorkerPool = .streams,
        mayWait: @escaping @Sendable () -> Bool
    ) {
        disk = WorkerQueue(files)
        self.streams = streams
        self.mayWait = mayWait
    }

    /// The kind of the file; nil until a thread has looked at it, which it does before the first job.
    package var kind: Kind? { Kind(rawValue: knownKind.load(ordering: .acquiring)) }

    /// Whether it is a regular file; false before that is known.
    package var isDisk: Bool { kind == .disk }

    package func perform(_ job: @escaping Job) {
        enum Next { case look, wait, run(WorkerQueue), refuse(URLError) }
        let next = state.withLock { state -> Next in
            switch state.target {
            case .disk: return .run(disk)
            case .own(let queue): return .run(queue)
            case .refused(let error): return .refuse(error)
            case .unknown, .lookedFor:
                state.waiting.append(job)
                guard case .unknown = state.target else { return .wait }
                state.target = .lookedFor
                return .look
            }
        }
        switch next {
        case .look: disk.perform { [self] in look() }
        case .wait: break
        case .run(let queue): queue.perform { job(nil) }
        case .refuse(let error): disk.perform { job(error) }
        }
    }

    /// Marks the jobs as abandoned: the thread that runs one no longer counts towards the pool's limit.
    package func leave() {
        let queue = state.withLock { state in
            state.isLeft = true
            if case .own(let queue) = state.target { return queue }
            return disk
        }
        queue.leave()
    }

    /// Finds out what the file is, and enqueues the waiting jobs for its threads.
    private func look() {
        let kind = mayWait() ? Kind.pipe : .disk
        let target = kind == .pipe ? ownThread() : .disk
        // Stored before the jobs run, because they read it.
        knownKind.store(kind.rawValue, ordering: .releasing)
        while let job = nextOrSettle(target) {
            switch target {
            case .own(let queue): queue.perform { job(nil) }
            case .refused(let error): job(error)
            default: disk.perform { job(nil) }
            }
        }
        if case .own(let queue) = target, state.withLock({ $0.isLeft }) { queue.leave() }
    }

    private func ownThread() -> Target {
        let (code, facts): (URLError.Code, [String: Any])
        do throws(ThreadUnavailable) {
            if let queue = try WorkerQueue(keepingThreadOf: streams) { return .own(queue) }
            let limit = WorkerRule.streams.limit
            let text =
                "\(limit) streams of pipes or devices are in use already; end some first, or use a "
                + "regular file."
            (code, facts) = (.cannotOpenFile, [NSLocalizedDescriptionKey: text])
        } catch {
            (code, facts) = (
                .resourceUnavailable,
                [NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error]
            )
        }
        return .refused(URLError(code, described: facts))
    }

    /// Removes the first waiting job. Where there is none, sets the target, so that later jobs do not wait.
    private func nextOrSettle(_ target: Target) -> Job? {
        state.withLock { state in
            if state.waiting.isEmpty { state.target = target }
            return state.waiting.popFirst()
        }
    }
}
