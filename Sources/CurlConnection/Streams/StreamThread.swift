import EventRecorder
package import Foundation
import Locking
import Synchronization

/// A thread for one stream whose calls may wait.
///
/// On this thread writing to a pipe without a reader is an error and no signal, which would end the
/// process.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its jobs. Calls out on: itself, not under the lock.
package final class StreamThread: Sendable {
    /// How many there may be in the process.
    package static let limit = 64
    private static let count = Atomic<Int>(0)

    private let line = Line()

    /// - Throws: `URLError.cannotOpenFile` where there are `limit` threads already.
    package init() throws(URLError) {
        guard Self.count.add(1, ordering: .relaxed).newValue <= Self.limit else {
            Self.count.subtract(1, ordering: .relaxed)
            throw URLError(
                .cannotOpenFile,
                described: [
                    NSLocalizedDescriptionKey:
                        "\(Self.limit) streams of pipes or devices are in use already; end some "
                        + "first, or use a regular file."
                ])
        }
        let thread = Thread { [line] in
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            line.run()
            Self.count.subtract(1, ordering: .relaxed)
        }
        thread.name = "stream"
        thread.start()
    }

    deinit {
        line.end()
    }

    /// Runs a job after those before it. All are run, also those that wait when this is released.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        line.add(job)
    }

    private final class Line: Sendable {
        private let jobs = Locked<(waiting: [@Sendable () -> Void], isOver: Bool)>(([], false))
        private let hasNews = DispatchSemaphore(value: 0)

        func add(_ job: @escaping @Sendable () -> Void) {
            jobs.withLock { $0.waiting.append(job) }
            hasNews.signal()
        }

        func end() {
            jobs.withLock { $0.isOver = true }
            hasNews.signal()
        }

        func run() {
            while true {
                hasNews.wait()
                let job: (@Sendable () -> Void)?
                let isOver: Bool
                (job, isOver) = jobs.withLock { jobs in
                    (jobs.waiting.isEmpty ? nil : jobs.waiting.removeFirst(), jobs.isOver)
                }
                if let job { job() } else if isOver { return }
            }
        }
    }
}
