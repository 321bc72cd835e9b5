import EventRecorder
package import Foundation
package import Locking

/// A thread for one stream whose calls may wait.
///
/// On this thread writing to a pipe without a reader is an error and no signal, which would end the
/// process.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around its jobs, one around the count of all. Calls out on: itself,
/// under neither.
package final class StreamThread: StreamCaller {
    /// How many there may be in the process that somebody waits for.
    package static let limit = 64
    /// How many more may stay inside a call of a stream that nobody waits for any more.
    package static let leftLimit = 256

    private struct Counts {
        var all = 0
        /// Of these, those that nobody waits for.
        var left = 0

        var isFull: Bool { all - min(left, StreamThread.leftLimit) >= StreamThread.limit }
    }

    private static let counts = Locked(Counts())

    private let line: Line

    /// - Parameter start: what makes the thread.
    /// - Throws: `URLError.cannotOpenFile` where there are `limit` threads already,
    ///   `URLError.resourceUnavailable` where the system has none.
    package init(startingBy start: SystemThread.Starter = SystemThread.start) throws(URLError) {
        let isFull = Self.counts.withLock { counts in
            if counts.isFull { return true }
            counts.all += 1
            return false
        }
        guard !isFull else {
            throw URLError(
                .cannotOpenFile,
                described: [
                    NSLocalizedDescriptionKey:
                        "\(Self.limit) streams of pipes or devices are in use already; end some "
                        + "first, or use a regular file."
                ])
        }
        let line = Line()
        self.line = line
        do {
            try start {
                Thread.current.name = "stream"
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
                line.run()
                Self.ended(line)
            }
        } catch {
            Self.ended(line)
            throw URLError(
                .resourceUnavailable,
                described: [
                    NSLocalizedDescriptionKey: error.description, NSUnderlyingErrorKey: error,
                ])
        }
    }

    deinit {
        line.end()
    }

    /// Runs a job after those before it. All are run, also those that wait when this is released.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        line.add(job)
    }

    /// Nobody waits any more for the call that the thread is in: it no longer takes the place of another.
    package func leave() {
        Self.counts.withLock { counts in
            line.place.withLock { place in
                guard place == .inUse else { return }
                place = .left
                counts.left += 1
            }
        }
    }

    private static func ended(_ line: Line) {
        counts.withLock { counts in
            counts.all -= 1
            line.place.withLock { place in
                if place == .left { counts.left -= 1 }
                place = .over
            }
        }
    }

    private enum Place { case inUse, left, over }

    private final class Line: Sendable {
        let place = Locked(Place.inUse)
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
            while isGoingOn() {}
        }

        /// A function of its own, so that nothing of a job is kept while the next one is waited for: it may hold
        /// the stream, and with it this thread.
        private func isGoingOn() -> Bool {
            hasNews.wait()
            let (job, isOver) = jobs.withLock { jobs in
                (jobs.waiting.isEmpty ? nil : jobs.waiting.removeFirst(), jobs.isOver)
            }
            job?()
            return job != nil || !isOver
        }
    }
}
