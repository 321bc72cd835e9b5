import CurlConnection
import EventRecorder
import Foundation
import Locking

/// The threads on which serializers work. They are apart from Dispatch's default pool, so that
/// neither blocks the other.
///
/// As many blocks run at once as the processor has cores. While blocks wait and none finishes,
/// another lane is added every quarter of a second, up to 64.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the line. Calls out on: its lanes, not under the lock.
package final class ProcessingPool: Sendable {
    /// The pool of the process, for operations and session tasks.
    package static let shared = ProcessingPool(width: ProcessInfo.processInfo.activeProcessorCount)

    private struct State {
        /// The first block is the last element.
        var front: [QueuedBlock] = []
        var back: [QueuedBlock] = []
        /// How many lanes are working.
        var working = 0
        /// How many blocks have finished so far; shows whether the pool stands still.
        var done: UInt64 = 0
        var isWatched = false
        /// Lanes without work.
        var idle: [DispatchQueue] = []

        var isEmpty: Bool { front.isEmpty && back.isEmpty }

        mutating func next() -> QueuedBlock? {
            if front.isEmpty {
                front = back.reversed()
                back = []
            }
            return front.popLast()
        }

        /// Takes a lane for work.
        ///
        /// A lane is a serial queue, to which Dispatch gives a thread of its own when it needs one.
        mutating func takeLane() -> DispatchQueue {
            working += 1
            return idle.popLast()
                ?? DispatchQueue(label: ProcessingPool.name, qos: .userInteractive)
        }
    }

    private static let name = "com.alamofire.networking.http-request.processing"
    private static let limit = 64
    private static let patience = DispatchTimeInterval.milliseconds(250)

    private let width: Int
    private let label = EventText(fixed: ProcessingPool.name)
    private let state = Locked(State())
    private let watcher = DispatchQueue(label: "ProcessingPool.watcher", qos: .userInteractive)

    init(width: Int) {
        self.width = width
    }

    /// Runs a block once a lane is free; blocks begin in the order in which they were added.
    package func perform(_ block: @escaping @Sendable () -> Void) { perform([block]) }

    /// Runs each of several blocks so.
    package func perform(_ blocks: [@Sendable () -> Void]) {
        if blocks.isEmpty { return }
        let jobs = blocks.map { QueuedBlock(for: label, $0) }
        let (lanes, mustWatch, done) = state.withLock { state in
            state.back.append(contentsOf: jobs)
            let count = max(0, min(jobs.count, width - state.working))
            let lanes = (0..<count).map { _ in state.takeLane() }
            let mustWatch = count < jobs.count && !state.isWatched
            if mustWatch { state.isWatched = true }
            return (lanes, mustWatch, state.done)
        }
        lanes.forEach(work)
        if mustWatch { watch(since: done) }
    }

    /// Runs waiting blocks until there are none, or until enough other lanes work.
    private func work(on lane: DispatchQueue) {
        lane.async { [self] in
            var hasWorked = false
            while let job = next(for: lane, hasWorked) {
                job.run()
                hasWorked = true
            }
        }
    }

    private func next(for lane: DispatchQueue, _ hasWorked: Bool) -> QueuedBlock? {
        state.withLock { state in
            if hasWorked { state.done &+= 1 }
            if !hasWorked || state.working <= width, let job = state.next() { return job }
            state.working -= 1
            state.idle.append(lane)
            return nil
        }
    }

    /// Checks a little later whether blocks still wait and none has finished.
    private func watch(since done: UInt64) {
        watcher.asyncAfter(deadline: .now() + Self.patience) { [self] in
            let (lane, now) = state.withLock { state -> (DispatchQueue?, UInt64?) in
                guard !state.isEmpty else {
                    state.isWatched = false
                    return (nil, nil)
                }
                let standsStill = state.done == done && state.working < Self.limit
                return (standsStill ? state.takeLane() : nil, state.done)
            }
            lane.map(work)
            if let now { watch(since: now) }
        }
    }
}
