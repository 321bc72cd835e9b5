import Locking

/// Jobs from other threads for one transport.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class CrossThreadJobs: Sendable {
    /// Nil once the transport is closed, and nobody collects any more.
    private let waiting = Locked<[@Sendable () -> Void]?>([])
    private let descriptors: Waker

    init(_ descriptors: DescriptorSet) {
        self.descriptors = Waker(descriptors)
    }

    /// Runs a job on the transport's thread, in its modes.
    func perform(_ job: @escaping @Sendable () -> Void) {
        waiting.withLock { $0?.append(job) }
        descriptors.set.wakeUp()
    }

    /// Drops what was not collected, and what comes later.
    func close() {
        let dropped = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        withExtendedLifetime(dropped) {}
    }

    func collect(into jobs: inout [() -> Void]) {
        waiting.withLock { waiting in
            // One by one: converting the whole array would be a cast at run time, which fails.
            for job in waiting ?? [] {
                jobs.append(job)
            }
            waiting?.removeAll()
        }
    }

    /// Has the transport forget what it holds of a recording that has stopped.
    func forgetRecording() {
        perform { [descriptors] in descriptors.set.trace.recordingStopped() }
    }

    private struct Waker: @unchecked Sendable {
        // @unchecked because `wakeUp` is one system call on a constant, and the trace is called on the
        // transport's thread.
        let set: DescriptorSet
        init(_ set: DescriptorSet) { self.set = set }
    }
}
