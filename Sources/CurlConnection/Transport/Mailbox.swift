import Locking

/// Jobs from other threads for one transport.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list.
final class Mailbox: Sendable {
    /// Nil once the transport is closed, and nobody collects any more.
    private let letters = Locked<[@Sendable () -> Void]?>([])
    private let descriptors: Waker

    init(_ descriptors: DescriptorSet) {
        self.descriptors = Waker(descriptors)
    }

    /// Runs a job on the transport's thread, in its modes.
    func perform(_ job: @escaping @Sendable () -> Void) {
        letters.withLock { $0?.append(job) }
        descriptors.set.wakeUp()
    }

    /// Drops what was not collected, and what comes later.
    func close() {
        let dropped = letters.withLock { letters in
            defer { letters = nil }
            return letters
        }
        withExtendedLifetime(dropped) {}
    }

    func collect(into jobs: inout [() -> Void]) {
        letters.withLock { letters in
            // One by one: converting the whole array would be a cast at run time, which fails.
            for letter in letters ?? [] {
                jobs.append(letter)
            }
            letters?.removeAll()
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
