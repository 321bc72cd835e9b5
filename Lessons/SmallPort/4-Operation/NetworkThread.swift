import CoreFoundation
import Foundation

/// The one thread of all connections: it sleeps in its run loop, and takes jobs.
///
/// The port is the source that runs the jobs. It keeps the loop alive while there is nothing to do.
public final class NetworkThread: @unchecked Sendable {
    // @unchecked because the loop and both sources are set before `init` returns, the jobs are
    // under their lock, and the sockets are the thread's own.
    private var loop: CFRunLoop?
    private var port: CFRunLoopSource?
    private var sockets: Sockets?
    private let lock = NSLock()
    private var jobs: [@Sendable () -> Void] = []

    /// Starts the thread, and waits until it can take jobs.
    public init() {
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
        CFRunLoopAddSource(loop, port, kCFRunLoopCommonModes)
        isRunning.signal()
        CFRunLoopRun()
        CFRunLoopSourceInvalidate(port)
    }

    /// Runs a job on the thread, behind those enqueued before it. Returns at once.
    public func perform(_ job: @escaping @Sendable () -> Void) {
        lock.withLock { jobs.append(job) }
        // "There is work", written on the source; a loop that sleeps does not see it.
        CFRunLoopSourceSignal(port)
        CFRunLoopWakeUp(loop)
    }

    private func runJobs() {
        let now = lock.withLock {
            defer { jobs = [] }
            return jobs
        }
        for job in now { job() }
    }

    /// Lets a connection run. To be called on the thread.
    func add(_ connection: Connection) {
        sockets?.add(connection)
    }

    /// Ends the thread, behind the jobs enqueued before.
    public func stop() {
        perform { CFRunLoopStop(CFRunLoopGetCurrent()) }
    }
}
