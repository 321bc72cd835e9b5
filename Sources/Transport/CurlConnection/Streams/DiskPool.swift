import Foundation
package import Locking

/// A few threads that wait for disks in place of the network thread.
///
/// Each `DiskLine` has its jobs run in their order, one at a time; lines take turns. A thread that has
/// nothing to do for some seconds ends. One whose job nobody waits for any more, as on a file server that
/// does not answer, no longer takes the place of another.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lines. Calls out on: its threads, not under it; where the
/// system has no thread at all, on the caller's.
package final class DiskPool: Sendable {
    package static let shared = DiskPool()

    /// Threads for jobs that somebody waits for.
    static let limit = 16
    /// How many more may stay in jobs that nobody waits for.
    static let leftLimit = 64
    /// Seconds for which a thread waits for work.
    private static let patience = 5

    private struct State {
        /// Lines with a job to run, in turn.
        var ready: [DiskLine] = []
        var threads = 0
        var left = 0
        /// Threads that wait for work, less those that were woken.
        var idle = 0

        private var awaited: Int { threads - min(left, DiskPool.leftLimit) }
        var hasRoom: Bool { awaited < DiskPool.limit }
        var isCrowded: Bool { awaited > DiskPool.limit }
    }

    private let state = Locked(State())
    private let hasWork = DispatchSemaphore(value: 0)
    private let start: SystemThread.Starter

    /// - Parameter start: what makes the threads.
    package init(startingBy start: @escaping SystemThread.Starter = SystemThread.start) {
        self.start = start
    }

    /// A job by itself.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        DiskLine(self).perform(job)
    }

    /// A line has a job again.
    fileprivate func add(_ line: DiskLine) {
        enum Next { case wake, start, leave }
        let next = state.withLock { state -> Next in
            state.ready.append(line)
            if state.idle > 0 {
                state.idle -= 1
                return .wake
            }
            guard state.hasRoom else { return .leave }
            state.threads += 1
            return .start
        }
        switch next {
        case .wake: hasWork.signal()
        case .start: startThread()
        case .leave: break
        }
    }

    private func startThread() {
        do {
            try start { [self] in
                Thread.current.name = "disk"
                // Writing to a pipe without a reader is an error, and no signal that ends the process.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                work()
            }
        } catch {
            // Without any thread the caller waits for the disk, rather than all for nothing.
            let isAlone = state.withLock { state in
                state.threads -= 1
                return state.threads == state.left
            }
            while isAlone, let line = state.withLock({ Self.take(&$0) }) {
                line.runOne()
                if line.mayGoOn() { state.withLock { $0.ready.append(line) } }
            }
        }
    }

    private static func take(_ state: inout State) -> DiskLine? {
        state.ready.isEmpty ? nil : state.ready.removeFirst()
    }

    private func work() {
        while let line = next() {
            guard run(line) else { return }
        }
    }

    /// - Returns: nil where the thread is to end.
    private func next() -> DiskLine? {
        while true {
            let line = state.withLock { state -> DiskLine? in
                if let line = Self.take(&state) { return line }
                state.idle += 1
                return nil
            }
            if let line { return line }
            if hasWork.wait(timeout: .now() + .seconds(Self.patience)) == .success { continue }
            let mustEnd = state.withLock { state in
                // Woken at this very moment: the signal is taken by whoever waits next.
                guard state.idle > 0 else { return false }
                state.idle -= 1
                state.threads -= 1
                return true
            }
            if mustEnd { return nil }
            hasWork.wait()
        }
    }

    /// - Returns: whether the thread goes on.
    private func run(_ line: DiskLine) -> Bool {
        replaceThread { line.begins(in: &$0) }
        line.runOne()
        // Before the line's next job begins, on another thread.
        let goesOn = state.withLock { state in
            guard line.ends(in: &state.left), state.isCrowded else { return true }
            state.threads -= 1
            return false
        }
        if line.mayGoOn() { add(line) }
        return goesOn
    }

    /// Nobody waits for a line's jobs: another thread may take the place of the one under way.
    fileprivate func leave(_ line: DiskLine) {
        replaceThread { line.leaves(in: &$0) }
    }

    /// Starts a thread in place of one whose job is counted as left now, where there is work for it.
    private func replaceThread(_ isLeft: (inout Int) -> Bool) {
        let mustStart = state.withLock { state in
            guard isLeft(&state.left), !state.ready.isEmpty, state.hasRoom else { return false }
            state.threads += 1
            return true
        }
        if mustStart { startThread() }
    }
}

/// Jobs that run in their order on the threads of a pool.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its jobs. Calls out on: the pool's threads, not under it.
package final class DiskLine: StreamCaller {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        /// In the pool's list, or on a thread of it.
        var isListed = false
        var isRunning = false
        /// Nobody waits for its jobs any more.
        var isLeft = false
        /// The pool counts its running job as left.
        var isCounted = false

        /// - Returns: false where it is counted already.
        mutating func count(in left: inout Int) -> Bool {
            guard !isCounted else { return false }
            isCounted = true
            left += 1
            return true
        }
    }

    private let pool: DiskPool
    private let state = Locked(State())

    package init(_ pool: DiskPool = .shared) {
        self.pool = pool
    }

    package func perform(_ job: @escaping @Sendable () -> Void) {
        let mustList = state.withLock { state in
            state.jobs.append(job)
            defer { state.isListed = true }
            return !state.isListed
        }
        if mustList { pool.add(self) }
    }

    package func leave() {
        pool.leave(self)
    }

    /// Runs the first job.
    fileprivate func runOne() {
        let job = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        job?()
    }

    /// After a job.
    ///
    /// - Returns: whether there are more, and the line is to be listed again.
    fileprivate func mayGoOn() -> Bool {
        state.withLock { state in
            state.isListed = !state.jobs.isEmpty
            return state.isListed
        }
    }

    /// Under the pool's lock, before a job that a thread of the pool runs.
    ///
    /// - Returns: whether it is counted as left now.
    fileprivate func begins(in left: inout Int) -> Bool {
        state.withLock { state in
            state.isRunning = true
            return state.isLeft && state.count(in: &left)
        }
    }

    /// Under the pool's lock.
    ///
    /// - Returns: whether the job under way is counted as left now.
    fileprivate func leaves(in left: inout Int) -> Bool {
        state.withLock { state in
            state.isLeft = true
            return state.isRunning && state.count(in: &left)
        }
    }

    /// Under the pool's lock, after a job that a thread of the pool has run.
    ///
    /// - Returns: whether it was counted as left.
    fileprivate func ends(in left: inout Int) -> Bool {
        state.withLock { state in
            state.isRunning = false
            guard state.isCounted else { return false }
            state.isCounted = false
            left -= 1
            return true
        }
    }
}
