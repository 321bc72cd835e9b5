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
/// Call from: any thread. Lock: one around the sources. Calls out on: the global queue.
enum Interruption {
    private static let sources = Locked<[any DispatchSourceSignal]>([])

    /// Returns after the handlers are installed, so that no later signal is lost. They stay to the end of
    /// the process.
    ///
    /// - Parameters:
    ///   - ending: called before the process ends at once.
    ///   - terminated: called with the number of the first SIGTERM or SIGHUP.
    static func handle(
        ending: (@Sendable () -> Void)? = nil, terminated: (@Sendable (Int32) -> Void)? = nil,
        _ interrupted: @escaping @Sendable () -> Void
    ) {
        let isSecond = Atomic<Bool>(false)
        install(SIGINT) {
            guard isSecond.exchange(true, ordering: .relaxed) else { return interrupted() }
            ending?()
            // Without the exit handlers, because other threads still run.
            _exit(ExitCode.interrupted.rawValue)
        }
        guard ending != nil || terminated != nil else { return }
        for number in [SIGTERM, SIGHUP] where !isIgnored(number) {
            install(number) {
                if let terminated, !isSecond.exchange(true, ordering: .relaxed) {
                    return terminated(number)
                }
                ending?()
                // The exit code of a shell.
                _exit(128 + number)
            }
        }
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

    private static func install(_ number: Int32, _ handler: @escaping @Sendable () -> Void) {
        #if !os(Linux)
            // On Linux the source installs a handler, and an earlier signal must not be ignored.
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
