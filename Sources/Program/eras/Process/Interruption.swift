import Foundation
import Locking
import Synchronization

/// Handles SIGINT: the first one calls a block, the second one ends the process at once.
///
/// SIGTERM and SIGHUP do the same if there is a block for them. Without one, but with a block `ending`,
/// they end the process at once after calling that. Signals that the process was started to ignore, as
/// by nohup, stay ignored.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the source; the count is atomic. Calls out
/// on: the queue given.
final class Interruption: Sendable {
    private let sources: Locked<[any DispatchSourceSignal]>

    /// Returns after the handlers are installed, so that no later signal is lost.
    ///
    /// - Parameters:
    ///   - ending: called before the process ends at once.
    ///   - terminated: called with the number of the first SIGTERM or SIGHUP.
    init(
        queue: DispatchQueue = .global(), ending: (@Sendable () -> Void)? = nil,
        terminated: (@Sendable (Int32) -> Void)? = nil,
        _ interrupted: @escaping @Sendable () -> Void
    ) {
        let isSecond = Atomic<Bool>(false)
        var sources = [
            Self.source(SIGINT, queue) {
                guard isSecond.exchange(true, ordering: .relaxed) else { return interrupted() }
                ending?()
                // Without the exit handlers, because other threads still run.
                _exit(ExitCode.interrupted.rawValue)
            }
        ]
        if ending != nil || terminated != nil {
            for number in [SIGTERM, SIGHUP] where !Self.isIgnored(number) {
                sources.append(
                    Self.source(number, queue) {
                        if let terminated, !isSecond.exchange(true, ordering: .relaxed) {
                            return terminated(number)
                        }
                        ending?()
                        // The exit code of a shell.
                        _exit(128 + number)
                    })
            }
        }
        self.sources = Locked(sources)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        sigaction(number, nil, &action)
        #if os(Linux)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        // unsafeBitCast because Swift does not compare C functions.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func source(
        _ number: Int32, _ queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        #if !os(Linux)
            // On Linux the source installs a handler, and an earlier signal must not be ignored.
            signal(number, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        let isHandled = DispatchSemaphore(value: 0)
        source.setEventHandler(handler: handler)
        source.setRegistrationHandler { isHandled.signal() }
        source.resume()
        isHandled.wait()
        return source
    }
}

/// Keeps objects alive until the process ends.
///
/// ## Concurrency
/// Call from: any thread. Lock: `kept`. Calls out: none.
enum Lifetime {
    private static let kept = Locked<[any Sendable]>([])

    static func keep(_ value: some Sendable) {
        kept.withLock { $0.append(value) }
    }
}
