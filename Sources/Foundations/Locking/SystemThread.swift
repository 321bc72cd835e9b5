import Foundation

/// Starts POSIX threads. Foundation's `Thread.start` does not report that the system has no thread,
/// so a caller that waits for the thread waits for ever.
package enum SystemThread {
    /// Starts a thread that runs a block; tests replace it by one that fails.
    package typealias Starter =
        @Sendable (_ body: @escaping @Sendable () -> Void) throws(ThreadUnavailable) -> Void

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a detached thread, which sets its own name.
    ///
    /// - Throws: where the system refuses a thread.
    @Sendable
    package static func start(
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadUnavailable) {
        let work = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { work in
                guard let work else { return nil }
                Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            work.release()
            throw ThreadUnavailable(result)
        }
        pthread_detach(thread)
    }
}

package struct ThreadUnavailable: Error, CustomStringConvertible {
    /// Usually `EAGAIN`: the user or the process has reached its limit, or memory is short.
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    package var description: String {
        "The system has no thread to give (\(String(cString: strerror(number)))): end some, or raise the "
            + "limit (RLIMIT_NPROC). The next use tries again."
    }
}
