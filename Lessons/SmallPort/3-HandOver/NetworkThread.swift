import CoreFoundation
public import Foundation

/// The mistakes of the third day.
public enum Mistake: String, CaseIterable, Sendable {
    /// The job is put into the list and the source is signalled, but the loop sleeps on.
    case noWakeUp
    /// The jobs wait in the default mode alone.
    case defaultModeOnly
}

/// State 3: a thread that takes jobs while it sleeps.
///
/// The port of state 2 has got something to do: it is the source that runs the jobs. It keeps the
/// loop alive as before.
public final class NetworkThread: @unchecked Sendable {
    // @unchecked because the loop and both sources are set before `init` returns, the jobs are
    // under their lock, and the sockets are the thread's own.
    private let mistake: Mistake?
    private var loop: CFRunLoop?
    private var port: CFRunLoopSource?
    private var sockets: Sockets?
    private let lock = NSLock()
    private var jobs: [@Sendable () -> Void] = []

    /// Starts the thread, and waits until it can take jobs.
    public init(mistake: Mistake? = nil) {
        self.mistake = mistake
        let isRunning = DispatchSemaphore(value: 0)
        Thread.detachNewThread { self.main(isRunning) }
        isRunning.wait()
    }

    private func main(_ isRunning: DispatchSemaphore) {
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { info in
            info.map { Unmanaged<NetworkThread>.fromOpaque($0).takeUnretainedValue().runJobs() }
        }
        loop = CFRunLoopGetCurrent()
        port = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        sockets = Sockets()
        let modes = mistake == .defaultModeOnly ? kCFRunLoopDefaultMode : kCFRunLoopCommonModes
        CFRunLoopAddSource(loop, port, modes)
        isRunning.signal()
        CFRunLoopRun()
        CFRunLoopSourceInvalidate(port)
    }

    /// Runs a job on the thread, behind those enqueued before it. Returns at once.
    public func perform(_ job: @escaping @Sendable () -> Void) {
        lock.withLock { jobs.append(job) }
        // "There is work", written on the source; a loop that sleeps does not see it.
        CFRunLoopSourceSignal(port)
        if mistake != .noWakeUp { CFRunLoopWakeUp(loop) }
    }

    private func runJobs() {
        let now = lock.withLock {
            defer { jobs = [] }
            return jobs
        }
        for job in now { job() }
    }

    /// Fetches on the thread. `completion` is called there: with the body, or why there is none.
    public func fetch(
        _ url: URL, _ completion: @escaping @Sendable (Result<Data, ConnectionError>) -> Void
    ) {
        perform {
            var body = Data()
            let connection = Connection(to: url) { event in
                switch event {
                case .received(let piece): body += piece
                case .ended(let error): completion(error.map { .failure($0) } ?? .success(body))
                }
            }
            self.sockets?.add(connection)
        }
    }

    /// Whether the loop sleeps, until something wakes it.
    public var isAsleep: Bool { CFRunLoopIsWaiting(loop) }

    /// Ends the thread, behind the jobs enqueued before.
    public func stop() {
        perform { CFRunLoopStop(CFRunLoopGetCurrent()) }
        CFRunLoopWakeUp(loop)
    }
}
