import Foundation

/// For a server in the parent process: sends messages on standard output, and reads replies on
/// standard input. Ends the process when the parent has ended.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock` guards the waiting closures; `writing` keeps lines whole.
/// Calls out on: a thread of its own.
final class PipeControl: ServerControl, @unchecked Sendable {
    // @unchecked because the variables are guarded by `lock`.
    private let lock = NSLock()
    private let writing = NSLock()
    private var waiting: [Int: @Sendable () -> Void] = [:]
    private var last = 0

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
        lock.withLock {
            last += 1
            waiting[last] = then
            return last
        }
    }

    private func received(_ number: Int) {
        let reached = lock.withLock { waiting.removeValue(forKey: number) }
        reached?()
    }
}
