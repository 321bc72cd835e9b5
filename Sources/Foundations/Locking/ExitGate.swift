import Foundation
import Synchronization

/// Keeps threads out of libraries that end with the process, and has the exit wait for those inside.
///
/// OpenSSL takes its tables down when a process exits, where other code has called it first; a thread that is
/// inside then, or comes later, crashes the process.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; two atomics. Calls out on: the caller's thread.
package enum ExitGate {
    private static let threadsInside = Atomic<Int>(0)
    private static let isClosed = Atomic<Bool>(false)

    /// Closes the gate when the process exits, before whatever was registered for the exit until now. To be called
    /// after a library was initialised, and before it is used.
    package static func closeAtExit() {
        atexit { ExitGate.close() }
    }

    /// Runs a call into such a library, unless the process is exiting; the exit waits for the threads inside, at
    /// most two seconds. Reentrant.
    ///
    /// - Returns: nil where the process is exiting.
    @discardableResult
    package static func whileOpen<Result>(
        _ body: () throws -> Result
    ) rethrows -> Result? {
        if ThreadMark.isInside { return try body() }
        threadsInside.add(1, ordering: .sequentiallyConsistent)
        defer { threadsInside.subtract(1, ordering: .sequentiallyConsistent) }
        if isClosed.load(ordering: .sequentiallyConsistent) { return nil }
        ThreadMark.isInside = true
        defer { ThreadMark.isInside = false }
        return try body()
    }

    /// Lets no thread enter any more, and waits at most two seconds for the threads inside.
    private static func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        // A call to `exit` from inside does not wait for its own thread, which does not come back.
        let own = ThreadMark.isInside ? 1 : 0
        ThreadMark.isInside = false
        for _ in 0..<2_000 where threadsInside.load(ordering: .sequentiallyConsistent) > own {
            usleep(1_000)
        }
    }
}

/// Whether this thread is inside.
private enum ThreadMark {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var isInside: Bool {
        get { pthread_getspecific(key) != nil }
        set { pthread_setspecific(key, newValue ? UnsafeRawPointer(bitPattern: 1) : nil) }
    }
}
