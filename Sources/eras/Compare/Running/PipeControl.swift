import Foundation

/// For a server in the process that started this one: asks on standard output, and hears on
/// standard input. Ends the process when that process is gone.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around who waits, and one around the writing, so that lines
/// stay whole. Calls out on: a thread of its own.
final class PipeControl: ServerControl, @unchecked Sendable {
    // @unchecked because the variables are guarded by `lock`.
    private let lock = NSLock()
    private let writing = NSLock()
    private var waiting: [Int: @Sendable () -> Void] = [:]
    private var last = 0

    /// Begins to listen.
    init() {
        let thread = Thread { [weak self] in
            while let line = readLine() {
                Int(line).map { self?.answered($0) }
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

    /// - Returns: the number that the answer will have.
    private func wait(_ then: @escaping @Sendable () -> Void) -> Int {
        lock.withLock {
            last += 1
            waiting[last] = then
            return last
        }
    }

    private func answered(_ number: Int) {
        let reached = lock.withLock { waiting.removeValue(forKey: number) }
        reached?()
    }
}
