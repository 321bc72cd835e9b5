import Foundation
import Locking

/// Controls a server in the parent process: sends messages on standard output, and reads replies from
/// standard input. Ends the process when the parent has ended.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the waiting closures, one that keeps lines whole. Calls out
/// on: a thread of its own.
final class PipeControl: ServerControl {
    private let writing = NSLock()
    private let waiting = Locked<(last: Int, closures: [Int: @Sendable () -> Void])>((0, [:]))

    /// Starts the thread that reads.
    init() {
        let thread = Thread { [weak self] in
            while let line = readLine() {
                Int(line).map { self?.received($0) }
            }
            ExitCode.failed.leave()
        }
        thread.start()
    }

    func whenReached(_ gate: String, count: Int, _ reached: @escaping @Sendable () -> Void) {
        send(.whenReached(number: wait(reached), gate: gate, count: count))
    }

    func whenLeft(count: Int, _ left: @escaping @Sendable () -> Void) {
        send(.whenLeft(number: wait(left), count: count))
    }

    func release(_ gate: String) {
        send(.release(gate: gate))
    }

    func send(_ message: ChildMessage) {
        writing.withLock { Console.toOutput(String(decoding: message.line, as: UTF8.self)) }
    }

    /// - Returns: the number of the reply.
    private func wait(_ then: @escaping @Sendable () -> Void) -> Int {
        waiting.withLock { waiting in
            waiting.last += 1
            waiting.closures[waiting.last] = then
            return waiting.last
        }
    }

    private func received(_ number: Int) {
        let reached = waiting.withLock { $0.closures.removeValue(forKey: number) }
        reached?()
    }
}
