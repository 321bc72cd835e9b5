import Dispatch
import LoopbackServer

/// What a scenario asks of the server, wherever that runs.
protocol ServerControl: Sendable {
    /// Calls back, on any thread, once so many answers have come to a gate.
    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void)
    /// Calls back, on any thread, once so many clients have left before their answer's end.
    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void)
    /// Lets all answers through a gate.
    func release(_ gate: String)
}

/// For a server in the same process.
struct DirectControl: ServerControl {
    let server: LoopbackServer

    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async {
            if server.waitUntilReached(gate, count: count, timeout: 30) { reached() }
        }
    }

    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async {
            if server.waitUntil(timeout: 30, { statistics, _ in statistics.abandoned >= count }) {
                left()
            }
        }
    }

    func release(_ gate: String) {
        server.release(gate)
    }
}
