import Dispatch
import LoopbackServer

/// Controls a scenario's server, which may run in another process.
protocol ServerControl: Sendable {
    /// Calls the block, on any thread, once so many responses wait at a gate.
    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void)
    /// Calls the block, on any thread, once so many clients have disconnected before the end of their
    /// response.
    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void)
    func release(_ gate: String)
}

/// Controls a server in the same process.
struct DirectControl: ServerControl {
    let server: LoopbackServer

    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async {
            if server.waitUntilReached(gate, count: count, timeout: 120) { reached() }
        }
    }

    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async {
            if server.waitUntil(timeout: 120, { statistics, _ in statistics.abandoned >= count }) {
                left()
            }
        }
    }

    func release(_ gate: String) {
        server.release(gate)
    }
}
