import CoreFoundation
import CurlConnection
import TestSupport

/// A thread with a run loop of its own; it runs blocks, one mode at a time, until it is ended.
///
/// ## Concurrency
/// Call from: any thread but its own. Lock: one condition around the jobs and the end.
final class LoopThread: @unchecked Sendable {
    // @unchecked because jobs, end and run loop are touched under `condition` alone, and the mode
    // on the thread alone.
    private let condition = NSCondition()
    private var jobs: [() -> Void] = []
    private var wakeUp: (() -> Void)?
    private var hasEnded = false
    private var mustEnd = false
    private var mode: RunLoop.Mode

    /// - Parameter modes: those the loop may be told to run in; it begins with the first.
    init(modes: [RunLoop.Mode] = [.default]) {
        mode = modes.first ?? .default
        let thread = Thread { [self] in main(modes) }
        thread.name = "LoopThread"
        thread.start()
    }

    /// Runs a block on the thread, in whatever mode it is, and does not wait.
    func run(_ block: @escaping @Sendable () -> Void) {
        condition.withLock {
            jobs.append(block)
            wakeUp?()
        }
    }

    /// Runs a block on the thread and waits for what it returns.
    func sync<Value: Sendable>(_ block: @escaping @Sendable () -> Value) -> Value? {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        run {
            box.value = block()
            done.signal()
        }
        guard done.wait(timeout: .now() + patience) == .success else {
            Issue.record("The run loop does not run blocks any more.")
            return nil
        }
        return box.value
    }

    /// Lets the loop go round some times, so that what is due has happened.
    func settle() {
        for _ in 0..<6 { _ = sync {} }
    }

    /// From now on the loop runs in another of its modes.
    func turn(to mode: RunLoop.Mode) {
        _ = sync { self.mode = mode }
        // The turn under way in the old mode ends after its sources; this runs in the next.
        _ = sync {}
    }

    /// Ends the thread's transports, then the thread, and waits for it.
    ///
    /// - Parameter closesTransports: false where the end of the thread must do.
    func end(closesTransports: Bool = true) {
        run {
            if closesTransports { TransportTable.closeAll() }
            self.mustEnd = true
        }
        let deadline = Date(timeIntervalSinceNow: patience)
        condition.withLock {
            while !hasEnded, condition.wait(until: deadline) {}
            if !hasEnded { Issue.record("The thread did not end.") }
        }
    }

    private func main(_ modes: [RunLoop.Mode]) {
        attach(modes)
        while !mustEnd {
            autoreleasing { _ = RunLoop.current.run(mode: mode, before: .distantFuture) }
        }
        condition.withLock {
            hasEnded = true
            wakeUp = nil
            condition.broadcast()
        }
    }

    private func attach(_ modes: [RunLoop.Mode]) {
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        context.perform = { info in
            info.map { Unmanaged<LoopThread>.fromOpaque($0).takeUnretainedValue().runJobs() }
        }
        guard let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context),
            let loop = CFRunLoopGetCurrent()
        else { return }
        for mode in modes {
            let name = CFStringCreateWithCString(
                kCFAllocatorDefault, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
            CFRunLoopAddSource(loop, source, mode == .default ? kCFRunLoopDefaultMode : name)
        }
        condition.withLock {
            wakeUp = {
                CFRunLoopSourceSignal(source)
                CFRunLoopWakeUp(loop)
            }
            wakeUp?()
        }
    }

    private func runJobs() {
        let batch = condition.withLock {
            defer { jobs.removeAll() }
            return jobs
        }
        for job in batch { job() }
    }

    private func autoreleasing(_ body: () -> Void) {
        #if canImport(ObjectiveC)
            autoreleasepool { body() }
        #else
            body()
        #endif
    }
}

/// A place for a value that one thread fills and another reads after it was told so.
final class Box<Value>: @unchecked Sendable {
    // @unchecked because the semaphore that follows each write orders it before the read.
    var value: Value?

    init(_ value: Value? = nil) {
        self.value = value
    }
}
