import CurlConnection
import EventRecorder
package import Foundation
import Locking

/// The threads on which serializers work. They are apart from Dispatch's pools, so that
/// neither blocks the other.
///
/// As many blocks run at once as the processor has cores: on lanes, which are serial queues, or on the thread that
/// brings them. While blocks wait and none ends, one more may run every quarter of a second, up to 64 at once; that one
/// more stays until one of those that kept the others waiting has ended.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the line. Calls out on: its lanes and the thread that calls `performHere`, not
/// under the lock.
package final class ProcessingPool: Sendable {
    /// The process's for serializers, of all eras.
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
        /// How many may work at once.
        var allowed: Int
        /// How often one more was allowed.
        var growths = 0
        /// How many blocks have ended so far; shows whether the pool stands still.
        var done: UInt64 = 0
        var isWatched = false
        /// Lanes without work.
        var idle: [DispatchQueue] = []

        var isEmpty: Bool { front.isEmpty && back.isEmpty }

        /// Marks the line as watched; false where it is already.
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

        /// A block has ended that began after so many growths; who was there before the last one stood in its way.
        mutating func end(startedAfter growths: Int, width: Int) {
            done &+= 1
            if growths < self.growths, allowed > width { allowed -= 1 }
        }

        /// Lets one more work: the thread that is first in line, or a lane, which is returned.
        ///
        /// Dispatch gives a serial queue a thread of its own when it needs one.
        mutating func admit(_ makeLane: () -> DispatchQueue) -> DispatchQueue? {
            working += 1
            switch next() {
            case .thread(let turn)?:
                turn.signal()
                return nil
            case .block(let job)?: front.append(.block(job))
            case nil: break
            }
            return idle.popLast() ?? makeLane()
        }
    }

    private static let limit = 64

    private let width: Int
    private let name: String
    private let qos: DispatchQoS
    private let patience: DispatchTimeInterval
    private let label: EventText
    private let state: Locked<State>
    private let watcher = DispatchQueue(label: "ProcessingPool.watcher", qos: .userInteractive)

    /// How many blocks and threads are in the line.
    package var waiting: Int { state.withLock { $0.front.count + $0.back.count } }
    /// How many work.
    var working: Int { state.withLock { $0.working } }
    /// How many may work at once.
    var allowed: Int { state.withLock { $0.allowed } }

    /// - Parameter patience: how long blocks wait while none ends before one more may run.
    package init(
        width: Int, name: String = "com.alamofire.networking.http-request.processing",
        qos: DispatchQoS = .userInteractive, patience: DispatchTimeInterval = .milliseconds(250)
    ) {
        (self.width, self.name, self.qos, self.patience) = (width, name, qos, patience)
        label = EventText(fixed: name)
        state = Locked(State(allowed: width))
    }

    private func makeLane() -> DispatchQueue { DispatchQueue(label: name, qos: qos) }

    /// Runs a block once a lane is free; blocks begin in the order in which they were added.
    package func perform(_ block: @escaping @Sendable () -> Void) { perform([block]) }

    /// Runs each of several blocks so.
    package func perform(_ blocks: [@Sendable () -> Void]) {
        if blocks.isEmpty { return }
        let jobs = blocks.map { Waiting.block(QueuedBlock(for: label, $0)) }
        let (lanes, mustWatch, done) = state.withLock { state in
            state.back.append(contentsOf: jobs)
            let count = max(0, min(jobs.count, state.allowed - state.working))
            let lanes = (0..<count).compactMap { _ in state.admit(makeLane) }
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
        let (growths, mustWatch, done) = state.withLock { state -> (Int?, Bool, UInt64) in
            if state.working < state.allowed {
                state.working += 1
                return (state.growths, false, state.done)
            }
            state.back.append(.thread(turn))
            return (nil, state.mustWatch(), state.done)
        }
        if mustWatch { watch(since: done) }
        if growths == nil { turn.wait() }
        let began = growths ?? state.withLock { $0.growths }
        block()
        let lane = state.withLock { state in
            state.end(startedAfter: began, width: width)
            state.working -= 1
            let mayGoOn = !state.isEmpty && state.working < state.allowed
            return mayGoOn ? state.admit(makeLane) : nil
        }
        lane.map(work)
    }

    /// Runs waiting blocks until there are none, or until enough other lanes work.
    private func work(on lane: DispatchQueue) {
        lane.async { [self] in
            var began: Int?
            while let (job, growths) = next(for: lane, after: began) {
                job.run()
                began = growths
            }
        }
    }

    /// - Parameter began: after how many growths the lane's last block began; nil for a lane that has just been admitted.
    private func next(for lane: DispatchQueue, after began: Int?) -> (QueuedBlock, Int)? {
        state.withLock { state in
            if let began { state.end(startedAfter: began, width: width) }
            let next = began == nil || state.working <= state.allowed ? state.next() : nil
            if case .block(let job)? = next { return (job, state.growths) }
            state.idle.append(lane)
            if case .thread(let turn)? = next { turn.signal() } else { state.working -= 1 }
            return nil
        }
    }

    /// Checks a little later whether blocks still wait and none has ended.
    private func watch(since done: UInt64) {
        watcher.asyncAfter(deadline: .now() + patience) { [self] in
            let (lane, now) = state.withLock { state -> (DispatchQueue?, UInt64?) in
                guard !state.isEmpty else {
                    state.isWatched = false
                    return (nil, nil)
                }
                guard state.done == done, state.working < Self.limit else {
                    return (nil, state.done)
                }
                state.allowed = max(state.allowed, state.working) + 1
                state.growths += 1
                return (state.admit(makeLane), state.done)
            }
            lane.map(work)
            if let now { watch(since: now) }
        }
    }
}
