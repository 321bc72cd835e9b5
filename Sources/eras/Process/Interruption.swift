import Foundation
import Synchronization

/// Handles SIGINT: the first one calls back, the second one ends the process at once.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; the count is atomic and the sources are set once. Calls out
/// on: the queue given.
final class Interruption: @unchecked Sendable {
    // @unchecked because dispatch sources may be used from any thread.
    private let source: any DispatchSourceSignal

    init(queue: DispatchQueue = .global(), _ interrupted: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        let isSecond = Atomic<Bool>(false)
        source.setEventHandler {
            if isSecond.exchange(true, ordering: .relaxed) {
                // Without the exit handlers, because other threads still run.
                _exit(ExitCode.interrupted.rawValue)
            }
            interrupted()
        }
        source.resume()
    }
}
