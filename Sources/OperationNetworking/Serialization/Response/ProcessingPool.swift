import CurlConnection
import EventRecorder
import Foundation
import Locking

/// The threads on which serializers work. They are apart from Dispatch's pools, so that
/// neither blocks the other.
///
/// As many blocks run at once as the processor has cores: on lanes, which are serial queues, or on the thread that
/// brings them. While blocks wait and none finishes, one more may run every quarter of a second, up to 64.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the line. Calls out on: its lanes and the thread that calls `performHere`, not
/// under the lock.
package final class ProcessingPool: Sendable {
    /// The pool of the process, for operations and session tasks.
    package static let shared = ProcessingPool(width: ProcessInfo.processInfo.activeProcessorCount)

    private enum Waiting {
        case block(QueuedBlock)
        /// A thread that goes on with the signal.
        case thread(DispatchSemaphore)
    }

    private struct State {
        /// The first in line is the last element.
        var front: [Waiting] = []
        var back: [Waiting] = []
        /// How many lanes and threads are working.
        var working = 0
        /// How many blocks have finished so far; shows whether the pool stands still.
        var done: UInt64 = 0
        var isWatched = false
        /// Lanes without work.
        var idle: [DispatchQueue] = []

        var isEmpty: Bool { front.isEmpty && back.isEmpty }

        /// Whether the caller is to watch the line; nobody does yet.
        mutating func mustWatch() -> Bool {
            defer { isWatched = true }
            return !isWatched
        }

        mutating func next() -> Waiting? {
            if front.isEmpty {
                front = back.reversed()
                back = []
            }
            return front.popLast()
        }

        /// Lets one more work: the thread that is first in line, or a lane, which is returned.
        ///
        /// Dispatch gives a serial queue a thread of its own when it needs one.
        mutating func admit() -> DispatchQueue? {
            working += 1
            switch next() {
            case .thread(let turn)?:
                turn.signal()
                return nil
            case .block(let job)?: front.append(.block(job))
            case nil: break
            }
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

    /// How many blocks and threads are in the line.
    var waiting: Int { state.withLock { $0.front.count + $0.back.count } }

    init(width: Int) {
        self.width = width
    }

    /// Runs a block once a lane is free; blocks begin in the order in which they were added.
    package func perform(_ block: @escaping @Sendable () -> Void) { perform([block]) }

    /// Runs each of several blocks so.
    package func perform(_ blocks: [@Sendable () -> Void]) {
        if blocks.isEmpty { return }
        let jobs = blocks.map { Waiting.block(QueuedBlock(for: label, $0)) }
        let (lanes, mustWatch, done) = state.withLock { state in
            state.back.append(contentsOf: jobs)
            let count = max(0, min(jobs.count, width - state.working))
            let lanes = (0..<count).compactMap { _ in state.admit() }
            return (lanes, count < jobs.count && state.mustWatch(), state.done)
        }
        lanes.forEach(work)
        if mustWatch { watch(since: done) }
    }

    /// Runs a block on this thread once it may; the thread waits until then.
    ///
    /// For code that must see the queue that it is on; the queue has to have a thread of its own.
    package func performHere(_ block: () -> Void) {
        let turn = DispatchSemaphore(value: 0)
        let (mustWait, mustWatch, done) = state.withLock { state in
            let mustWait = state.working >= width
            if mustWait { state.back.append(.thread(turn)) } else { state.working += 1 }
            return (mustWait, mustWait && state.mustWatch(), state.done)
        }
        if mustWatch { watch(since: done) }
        if mustWait { turn.wait() }
        block()
        let lane = state.withLock { state in
            state.done &+= 1
            state.working -= 1
            return state.isEmpty || state.working >= width ? nil : state.admit()
        }
        lane.map(work)
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
            let next = !hasWorked || state.working <= width ? state.next() : nil
            if case .block(let job)? = next { return job }
            state.idle.append(lane)
            if case .thread(let turn)? = next { turn.signal() } else { state.working -= 1 }
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
                return (standsStill ? state.admit() : nil, state.done)
            }
            lane.map(work)
            if let now { watch(since: now) }
        }
    }
}
