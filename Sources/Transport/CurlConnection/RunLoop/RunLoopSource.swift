package import CoreFoundation
import Dispatch
import EventRecorder
package import Foundation
import Locking

/// Calls back on the run loop of the thread that made it whenever a descriptor is readable.
///
/// The default mechanism, `descriptorAsPort`, makes the descriptor the port of a version-1 source, which
/// costs nothing while idle. It depends on undocumented behaviour that a unit test checks: after each
/// wake-up the run loop reads eight bytes from the port, as from an eventfd, and ignores that an epoll
/// refuses. `dispatchSource` is slower and does not depend on this;
/// `OPERATIONNETWORKING_RUNLOOP_SOURCE=dispatch` in the environment selects it.
///
/// ## Concurrency
/// Call from: the thread that made it. Lock: none. Calls out on: that thread, in the given modes.
final class RunLoopSource {
    enum Mechanism: Sendable {
        case descriptorAsPort
        case dispatchSource

        static let current: Mechanism =
            ProcessInfo.processInfo.environment["OPERATIONNETWORKING_RUNLOOP_SOURCE"] == "dispatch"
            ? .dispatchSource : .descriptorAsPort
    }

    private let descriptor: Int32
    private let perform: () -> Void
    private var source: CFRunLoopSource?
    private var readiness: Readiness?

    /// - Parameters:
    ///   - make: makes the source; a test's fails.
    ///   - perform: called when the descriptor is readable. It must handle all events, because the run
    ///     loop reports each new readiness once.
    /// - Throws: `URLError.resourceUnavailable` where no source can be made.
    init(
        descriptor: Int32, modes: Set<RunLoop.Mode>, mechanism: Mechanism = .current,
        making make: (Mechanism, UnsafeMutableRawPointer) -> CFRunLoopSource? = made,
        perform: @escaping () -> Void
    ) throws(URLError) {
        self.descriptor = descriptor
        self.perform = perform
        try DescriptorRoom.check(for: DescriptorRoom.forMode * modes.count)
        let context = Unmanaged.passUnretained(self).toOpaque()
        let source = make(mechanism, context)
        self.source = source
        guard let source, CFRunLoopSourceIsValid(source), let runLoop = CFRunLoopGetCurrent() else {
            throw URLError(
                .resourceUnavailable,
                described: [NSLocalizedDescriptionKey: "The run loop accepts no source."])
        }
        for mode in modes {
            CFRunLoopAddSource(runLoop, source, CFRunLoopMode.of(mode))
        }
        if mechanism == .dispatchSource {
            readiness = Readiness(of: descriptor, signals: source, on: runLoop)
        }
    }

    deinit {
        invalidate()
    }

    /// Removes the source from its run loop; nothing is called after this.
    func invalidate() {
        readiness?.cancel()
        readiness = nil
        if let source {
            CFRunLoopSourceInvalidate(source)
        }
        source = nil
    }

    private static func fire(_ context: UnsafeMutableRawPointer?) {
        guard let context else { return }
        let source = Unmanaged<RunLoopSource>.fromOpaque(context).takeUnretainedValue()
        source.perform()
        source.readiness?.resume()
    }

    private static func made(
        _ mechanism: Mechanism, _ context: UnsafeMutableRawPointer
    ) -> CFRunLoopSource? {
        mechanism == .dispatchSource ? signalledSource(context) : portSource(context)
    }

    private static func portSource(_ context: UnsafeMutableRawPointer) -> CFRunLoopSource? {
        var description = CFRunLoopSourceContext1()
        description.version = 1
        description.info = context
        description.getPort = { info in
            info.map { Unmanaged<RunLoopSource>.fromOpaque($0).takeUnretainedValue().descriptor }
                ?? -1
        }
        description.perform = { RunLoopSource.fire($0) }
        // CoreFoundation's function has one parameter type for contexts of both versions.
        return withUnsafeMutablePointer(to: &description) { pointer in
            pointer.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                CFRunLoopSourceCreate(kCFAllocatorDefault, 0, $0)
            }
        }
    }

    private static func signalledSource(_ context: UnsafeMutableRawPointer) -> CFRunLoopSource? {
        var description = CFRunLoopSourceContext()
        description.info = context
        description.perform = { RunLoopSource.fire($0) }
        return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &description)
    }
}

/// Signals a source when a descriptor is readable, and then is suspended until the source has run.
///
/// ## Concurrency
/// Call from: the thread of the source. Lock: one around the sources, which CoreFoundation and Dispatch allow any
/// thread to signal and to suspend.
private final class Readiness: Sendable {
    private struct Parts {
        let source: CFRunLoopSource
        let runLoop: CFRunLoop
        let watcher: any DispatchSourceRead
        var isSuspended = false
    }

    private let parts: Locked<Parts>
    private let queue: DispatchQueue

    init(of descriptor: Int32, signals source: CFRunLoopSource, on runLoop: CFRunLoop) {
        queue = DispatchQueue(label: "CurlConnection.Readiness")
        let watcher = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        parts = Locked(Parts(source: source, runLoop: runLoop, watcher: watcher))
        watcher.setEventHandler { [weak self] in self?.signal() }
        watcher.resume()
    }

    private func signal() {
        parts.withLock { parts in
            parts.watcher.suspend()
            parts.isSuspended = true
            CFRunLoopSourceSignal(parts.source)
            CFRunLoopWakeUp(parts.runLoop)
        }
    }

    func resume() {
        parts.withLock { parts in
            if parts.isSuspended { parts.watcher.resume() }
            parts.isSuspended = false
        }
    }

    /// Returns when Dispatch no longer uses the descriptor, which may then be closed.
    func cancel() {
        let isGone = DispatchSemaphore(value: 0)
        // On the queue, so that no signal is under way.
        queue.sync {
            parts.withLock { parts in
                parts.watcher.setCancelHandler { isGone.signal() }
                parts.watcher.cancel()
            }
        }
        // Dispatch calls no cancel handler of a suspended source.
        resume()
        isGone.wait()
    }
}

extension CFRunLoopMode {
    /// CoreFoundation's name for a mode.
    package static func of(_ mode: RunLoop.Mode) -> CFRunLoopMode? {
        if mode == .common { return kCFRunLoopCommonModes }
        if mode == .default { return kCFRunLoopDefaultMode }
        return CFStringCreateWithCString(
            kCFAllocatorDefault, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    }
}
