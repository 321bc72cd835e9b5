import CoreFoundation
public import Foundation
import Synchronization

/// The mistakes of the second day.
public enum Mistake: String, CaseIterable, Sendable {
    /// Nothing keeps the run loop waiting.
    case noPort
    /// The same, and the loop is run again and again.
    case endlessLoop
}

/// How a request ended.
public struct Ending: Sendable {
    /// What was fetched.
    public var url: URL
    /// What came of it.
    public var body: Data
    /// Why there is no whole body.
    public var error: ConnectionError?
}

/// State 2: a thread that sleeps in its run loop, with or without requests.
///
/// The run loop waits for sources. The sockets are one while there are any; the port is one always.
/// Still no other thread can give it more than it was made with.
public final class NetworkThread: @unchecked Sendable {
    // @unchecked because `loop` is set before `init` returns; the rest is constant or atomic.
    private let mistake: Mistake?
    private var loop: CFRunLoop?
    private let entered = Atomic<Int>(0)
    private let ended = Atomic<Bool>(false)
    private let stopped = Atomic<Bool>(false)

    /// How often the run loop was entered.
    public var entries: Int { entered.load(ordering: .acquiring) }
    /// Whether the thread has come to its end.
    public var hasEnded: Bool { ended.load(ordering: .acquiring) }

    /// Starts the thread, and waits until it has its run loop.
    public init(
        fetching urls: [URL] = [], mistake: Mistake? = nil,
        _ completion: @escaping @Sendable (Ending) -> Void = { _ in }
    ) {
        self.mistake = mistake
        let isRunning = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            self.loop = CFRunLoopGetCurrent()
            isRunning.signal()
            self.main(urls, completion)
        }
        isRunning.wait()
    }

    private func main(_ urls: [URL], _ completion: @escaping @Sendable (Ending) -> Void) {
        let sockets = Sockets()
        for url in urls { sockets.add(Self.connection(to: url, completion)) }
        // A source that is never signalled: it is there to be waited for.
        let port = Self.makePort()
        let isPlugged = mistake != .noPort && mistake != .endlessLoop
        if isPlugged { CFRunLoopAddSource(loop, port, kCFRunLoopCommonModes) }
        repeat {
            entered.add(1, ordering: .releasing)
            CFRunLoopRun()
        } while mistake == .endlessLoop && !stopped.load(ordering: .acquiring)
        ended.store(true, ordering: .releasing)
        withExtendedLifetime(sockets) {}
    }

    private static func makePort() -> CFRunLoopSource? {
        var context = CFRunLoopSourceContext()
        context.perform = { _ in }
        return CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
    }

    private static func connection(
        to url: URL, _ completion: @escaping @Sendable (Ending) -> Void
    ) -> Connection {
        var body = Data()
        return Connection(to: url) { event in
            switch event {
            case .received(let piece): body += piece
            case .ended(let error): completion(Ending(url: url, body: body, error: error))
            }
        }
    }

    /// Ends the thread.
    public func stop() {
        stopped.store(true, ordering: .releasing)
        // As a block, because a stop before the loop runs would be lost.
        CFRunLoopPerformBlock(loop, kCFRunLoopCommonModes) { CFRunLoopStop(CFRunLoopGetCurrent()) }
        CFRunLoopWakeUp(loop)
    }
}
