import Foundation
import Locking
import Synchronization

/// Handles SIGINT: the first one calls back, the second one ends the process at once.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the source; the count is atomic. Calls out
/// on: the queue given.
final class Interruption: Sendable {
    private let source: Locked<any DispatchSourceSignal>

    init(queue: DispatchQueue = .global(), _ interrupted: @escaping @Sendable () -> Void) {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: queue)
        let isSecond = Atomic<Bool>(false)
        source.setEventHandler {
            if isSecond.exchange(true, ordering: .relaxed) {
                // Without the exit handlers, because other threads still run.
                _exit(ExitCode.interrupted.rawValue)
            }
            interrupted()
        }
        source.resume()
        self.source = Locked(source)
    }
}
