package import Foundation
import HTTPSemantics
import Locking
package import Scheduling
import Synchronization

/// The calls of one stream of a file, in their order, away from the network thread. They run on the threads for files,
/// or on a thread of the stream's own where it may wait for a peer, which is found out on a thread for files too.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the jobs that came before the file was known. Calls out on: those
/// threads, not under it.
package final class StreamQueue: Sendable {
    /// One of the stream's calls; it is given the reason where there is no thread for them.
    package typealias Job = @Sendable (_ refusal: URLError?) -> Void

    private enum Target {
        case unknown
        case lookedFor
        case disk
        case own(WorkerQueue)
        case refused(URLError)
    }

    /// What a stream's calls may wait for.
    package enum Kind: UInt8, Sendable {
        case disk, peer
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
    /// The raw value of its kind. Atomic, since it is read under the locks of others.
    private let knownKind = Atomic<UInt8>(.max)

    /// - Parameters:
    ///   - files: whose threads wait for disks.
    ///   - streams: whose threads wait for peers.
    ///   - mayWait: whether the stream may wait for a peer; asked once, on a thread for files.
    package init(
        files: WorkerPool = .files, streams: WorkerPool = .streams,
        mayWait: @escaping @Sendable () -> Bool
    ) {
        disk = WorkerQueue(files)
        self.streams = streams
        self.mayWait = mayWait
    }

    /// What the stream waits for; nil before that is known. Known to each of its jobs.
    package var kind: Kind? { Kind(rawValue: knownKind.load(ordering: .acquiring)) }

    /// Whether the stream waits for a disk and for no peer; false before that is known.
    package var isDisk: Bool { kind == .disk }

    /// Runs a job after those before it.
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

    /// The call under way is not waited for any more.
    package func leave() {
        let queue = state.withLock { state in
            state.isLeft = true
            if case .own(let queue) = state.target { return queue }
            return disk
        }
        queue.leave()
    }

    /// Finds out what the stream is, and passes on what waits.
    private func look() {
        let kind = mayWait() ? Kind.peer : .disk
        let target = kind == .peer ? ownThread() : .disk
        // Before the jobs, which ask.
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

    /// The first job that waits; where there is none, later jobs go to the target at once.
    private func nextOrSettle(_ target: Target) -> Job? {
        state.withLock { state in
            if state.waiting.isEmpty { state.target = target }
            return state.waiting.popFirst()
        }
    }
}
