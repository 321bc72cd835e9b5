package import CoreFoundation
import Dispatch
import EventRecorder
package import Foundation
import Synchronization

/// Calls back on the run loop of the thread that made it whenever a descriptor is readable.
///
/// Two mechanisms. The usual one gives the descriptor as the port of a version-1 source, which
/// costs nothing while idle. It rests on one undocumented tolerance, guarded by a unit test: after
/// each wake the run loop reads eight bytes from the port, as if it were an eventfd, and goes on
/// when an epoll refuses. The other, `dispatchSource`, needs no tolerance and is slower; set
/// `OPERATIONNETWORKING_RUNLOOP_SOURCE=dispatch` to use it.
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
    ///   - make: what makes the source; a test gives none.
    ///   - perform: called with the descriptor readable; it must look until nothing is left, since
    ///     the run loop reports each new readiness once.
    /// - Throws: `URLError.resourceUnavailable`: without a source the loop would never call.
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
                described: [NSLocalizedDescriptionKey: "The run loop takes no source."])
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

    /// Takes the source out of its run loop; nothing is called after this.
    func invalidate() {
        readiness?.cancel()
        readiness = nil
        if let source {
            CFRunLoopSourceInvalidate(source)
        }
        source = nil
    }

    private func fire() {
        perform()
        readiness?.lookAgain()
    }

    private static func made(
        _ mechanism: Mechanism, _ context: UnsafeMutableRawPointer
    ) -> CFRunLoopSource? {
        switch mechanism {
        case .descriptorAsPort: portSource(context)
        case .dispatchSource: signalledSource(context)
        }
    }

    private static func portSource(_ context: UnsafeMutableRawPointer) -> CFRunLoopSource? {
        var description = CFRunLoopSourceContext1()
        description.version = 1
        description.info = context
        description.getPort = { info in
            info.map { Unmanaged<RunLoopSource>.fromOpaque($0).takeUnretainedValue().descriptor }
                ?? -1
        }
        description.perform = { info in
            info.map { Unmanaged<RunLoopSource>.fromOpaque($0).takeUnretainedValue().fire() }
        }
        // The function takes either version by the one type; the version field tells which.
        return withUnsafeMutablePointer(to: &description) { pointer in
            pointer.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) {
                CFRunLoopSourceCreate(kCFAllocatorDefault, 0, $0)
            }
        }
    }

    private static func signalledSource(_ context: UnsafeMutableRawPointer) -> CFRunLoopSource? {
        var description = CFRunLoopSourceContext()
        description.info = context
        description.perform = { info in
            info.map { Unmanaged<RunLoopSource>.fromOpaque($0).takeUnretainedValue().fire() }
        }
        return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &description)
    }
}

/// Signals a source once a readiness, and rests until the source has looked.
private final class Readiness: @unchecked Sendable {
    // @unchecked because signalling and waking are the calls CoreFoundation allows from any thread.
    private let source: CFRunLoopSource
    private let runLoop: CFRunLoop
    private let watcher: any DispatchSourceRead
    private let queue = DispatchQueue(label: "CurlConnection.Readiness")
    private let isResting = Atomic<Bool>(false)

    init(of descriptor: Int32, signals source: CFRunLoopSource, on runLoop: CFRunLoop) {
        self.source = source
        self.runLoop = runLoop
        watcher = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: queue)
        watcher.setEventHandler { [weak self] in self?.signal() }
        watcher.resume()
    }

    private func signal() {
        watcher.suspend()
        isResting.store(true, ordering: .sequentiallyConsistent)
        CFRunLoopSourceSignal(source)
        CFRunLoopWakeUp(runLoop)
    }

    func lookAgain() {
        if isResting.exchange(false, ordering: .sequentiallyConsistent) {
            watcher.resume()
        }
    }

    /// Returns when Dispatch has let go of the descriptor, which may then be closed.
    func cancel() {
        let isGone = DispatchSemaphore(value: 0)
        watcher.setCancelHandler { isGone.signal() }
        // Behind a signal under way, so that it is known whether the watcher rests.
        queue.sync { watcher.cancel() }
        // A source that rests does not hear that it is cancelled.
        lookAgain()
        isGone.wait()
    }
}

extension CFRunLoopMode {
    /// CoreFoundation's name of a mode.
    package static func of(_ mode: RunLoop.Mode) -> CFRunLoopMode? {
        if mode == .common { return kCFRunLoopCommonModes }
        if mode == .default { return kCFRunLoopDefaultMode }
        return CFStringCreateWithCString(
            kCFAllocatorDefault, mode.rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
    }
}
