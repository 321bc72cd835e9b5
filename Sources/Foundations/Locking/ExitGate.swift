import Foundation
import Synchronization

/// Stops calls into libraries that are torn down at exit, and delays the exit until running calls
/// return.
///
/// OpenSSL frees its tables when a process exits, if other code has called it first; a thread that
/// is inside OpenSSL then, or calls it later, crashes the process.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; two atomics. Calls out on: the caller's thread.
package enum ExitGate {
    private static let threadsInside = Atomic<Int>(0)
    private static let isClosed = Atomic<Bool>(false)
    private static let isInside = ThreadMark()

    /// Closes the gate at exit, before the exit handlers registered so far run. Call it after
    /// initializing a library, and before using it.
    package static func closeAtExit() {
        atexit { ExitGate.close() }
    }

    /// Runs a call into such a library, unless the process is exiting; the exit waits at most two
    /// seconds for running calls. Reentrant.
    ///
    /// - Returns: nil where the process is exiting.
    @discardableResult
    package static func whileOpen<Result>(
        _ body: () throws -> Result
    ) rethrows -> Result? {
        if isInside.value { return try body() }
        threadsInside.add(1, ordering: .sequentiallyConsistent)
        defer { threadsInside.subtract(1, ordering: .sequentiallyConsistent) }
        if isClosed.load(ordering: .sequentiallyConsistent) { return nil }
        _ = isInside.set(true)
        defer { _ = isInside.set(false) }
        return try body()
    }

    /// Rejects further calls, and waits at most two seconds for the running ones.
    private static func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        // A call to `exit` from inside must not wait for its own thread, which does not return.
        let own = isInside.set(false) ? 1 : 0
        for _ in 0..<2_000 where threadsInside.load(ordering: .sequentiallyConsistent) > own {
            usleep(1_000)
        }
    }
}
