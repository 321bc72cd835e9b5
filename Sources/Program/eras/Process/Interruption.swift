import Foundation
import Locking
import Synchronization

/// Handles SIGINT: the first one calls a block, the second one ends the process at once.
///
/// If `terminated` is given, SIGTERM and SIGHUP count too: the first of the three signals calls its block, and the
/// second ends the process. With `beforeEndingAtOnce` alone they end the process at once, after calling that.
/// A signal stays ignored if the process was started to ignore it, as by nohup, or by the `&` of a script.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the sources. Calls out on: the global queue.
enum Interruption {
    private static let sources = Locked<[any DispatchSourceSignal]>([])

    /// Returns after the handlers are installed, so that no later signal is lost. They stay to the end of
    /// the process.
    ///
    /// - Parameters:
    ///   - beforeEndingAtOnce: called before the process ends at once.
    ///   - terminated: called with the number of a SIGTERM or SIGHUP that is the first of the three signals.
    static func handle(
        beforeEndingAtOnce: (@Sendable () -> Void)? = nil,
        terminated: (@Sendable (Int32) -> Void)? = nil,
        _ interrupted: @escaping @Sendable () -> Void
    ) {
        let hasBeenSignalled = Atomic<Bool>(false)
        install(SIGINT) {
            guard hasBeenSignalled.exchange(true, ordering: .relaxed) else {
                return interrupted()
            }
            beforeEndingAtOnce?()
            // `_exit` calls no exit handlers: they could crash while other threads run.
            _exit(ExitCode.interrupted.rawValue)
        }
        guard beforeEndingAtOnce != nil || terminated != nil else { return }
        for number in [SIGTERM, SIGHUP] {
            install(number) {
                if let terminated, !hasBeenSignalled.exchange(true, ordering: .relaxed) {
                    return terminated(number)
                }
                beforeEndingAtOnce?()
                // As a shell reports a process that a signal ended.
                _exit(128 + number)
            }
        }
    }

    /// Whether the process was started to ignore a signal; to be asked before `handle`.
    static func isIgnored(_ number: Int32) -> Bool {
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

    private static func install(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
        if isIgnored(number) { return }
        #if !os(Linux)
            // On Linux the source itself replaces the handler, and a signal before that must not be lost.
            signal(number, SIG_IGN)
        #endif
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        let isHandled = DispatchSemaphore(value: 0)
        source.setEventHandler(handler: handler)
        source.setRegistrationHandler { isHandled.signal() }
        source.resume()
        isHandled.wait()
        sources.withLock { $0.append(source) }
    }
}
