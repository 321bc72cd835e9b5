import Foundation

/// Stops the servers at the end, and also when somebody interrupts.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the servers, which are taken once. Calls out on: the
/// caller's thread.
final class Stopper: @unchecked Sendable {
    // @unchecked because the servers are guarded by `lock`.
    private let lock = NSLock()
    private var servers: Servers?
    private var sources: [any DispatchSourceSignal] = []

    init(_ servers: Servers) {
        self.servers = servers
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [weak self] in
                self?.stop()
                _exit(130)
            }
            source.resume()
            sources.append(source)
        }
    }

    func stop() {
        let servers = lock.withLock {
            defer { self.servers = nil }
            return self.servers
        }
        servers?.stop()
    }
}
