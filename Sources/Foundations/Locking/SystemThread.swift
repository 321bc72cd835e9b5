import Foundation

/// Starts threads of the system's. Foundation's `Thread.start` does not say where the system has none,
/// and who waits for such a thread waits for ever.
package enum SystemThread {
    /// What starts a thread that runs a block; a test's may refuse.
    package typealias Starter =
        @Sendable (_ body: @escaping @Sendable () -> Void) throws(ThreadUnavailable) -> Void

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    /// Starts a thread that nobody joins. It names itself.
    ///
    /// - Throws: where the system has none to give.
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

/// The system gave no thread.
package struct ThreadUnavailable: Error, CustomStringConvertible {
    /// `EAGAIN` mostly: the user or the process has as many as it may, or memory is short.
    package let number: Int32

    package init(_ number: Int32) {
        self.number = number
    }

    package var description: String {
        "The system has no thread to give (\(String(cString: strerror(number)))): end some, or raise the "
            + "limit (RLIMIT_NPROC). The next use tries again."
    }
}
