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

    /// Starts a detached thread; the block sets the thread's name, if it needs one.
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

/// A flag that each thread has for itself, false at first.
package struct ThreadMark: Sendable {
    private let key: pthread_key_t

    package init() {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        self.key = key
    }

    /// The calling thread's.
    package var value: Bool { pthread_getspecific(key) != nil }

    /// Sets the calling thread's.
    ///
    /// - Returns: the value before.
    package func set(_ new: Bool) -> Bool {
        let old = value
        if new != old { pthread_setspecific(key, new ? UnsafeRawPointer(bitPattern: 1) : nil) }
        return old
    }
}
