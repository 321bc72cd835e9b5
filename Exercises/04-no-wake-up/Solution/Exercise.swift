import CoreFoundation
import Foundation
import Lessons

/// Exercise 4, solved: the source is signalled, and the loop is woken, so that it checks its sources.
final class Exercise: HandOverExercise, @unchecked Sendable {
    // @unchecked because the jobs are under the lock, and the rest is set once.
    private let loop: CFRunLoop
    private var source: CFRunLoopSource?
    private let lock = NSLock()
    private var jobs: [@Sendable () -> Void] = []

    init(_ loop: CFRunLoop) {
        self.loop = loop
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { info in
            info.map { Unmanaged<Exercise>.fromOpaque($0).takeUnretainedValue().runJobs() }
        }
        source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes)
    }

    deinit {
        CFRunLoopSourceInvalidate(source)
    }

    func perform(_ job: @escaping @Sendable () -> Void) {
        lock.withLock { jobs.append(job) }
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(loop)
    }

    private func runJobs() {
        let now = lock.withLock {
            defer { jobs = [] }
            return jobs
        }
        for job in now { job() }
    }
}
