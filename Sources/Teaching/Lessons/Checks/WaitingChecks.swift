import Foundation
import Locking

/// Lines that bytes may come over, like connections to a server.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; the system's.
public final class Lines: Sendable {
    /// The descriptors to read from. A line ends behind its one message.
    public let descriptors: [Int32]
    private let writers: [Int32]

    init(_ count: Int) {
        let pairs = (0..<count).map { _ in
            var ends: [Int32] = [-1, -1]
            _ = pipe(&ends)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
        descriptors = pairs.map { $0[0] }
        writers = pairs.map { $0[1] }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Sends a line's message, and ends the line.
    func send(_ text: String, over line: Int) {
        _ = Array(text.utf8).withUnsafeBytes { write(writers[line], $0.baseAddress, $0.count) }
        close(writers[line])
    }
}

/// Exercises 1 and 2: somebody who waits for all lines at once, on one thread.
public protocol WaitingExercise: Sendable {
    init()
    /// Returns when each line has brought its message; tells each one as soon as it is there.
    ///
    /// - Parameter told: called with the line's place and its message.
    func wait(for lines: Lines, _ told: @escaping @Sendable (_ line: Int, _ text: String) -> Void)
}

/// Exercise 17: a call with a block, for tasks.
public protocol AwaitingExercise: Sendable {
    init()
    /// What the call brings.
    ///
    /// - Parameter call: calls its block once, later, on another thread.
    func value(
        of call: @escaping @Sendable (_ block: @escaping @Sendable (String) -> Void) -> Void
    ) async -> String
}

extension Verdict {
    /// Judges exercise 1: the last line speaks first.
    public static func of(turns exercise: (some WaitingExercise).Type) -> Verdict {
        of(waiting: exercise, atMost: .max)
    }

    /// Judges exercise 2: the same, and on one thread.
    public static func of(threads exercise: (some WaitingExercise).Type) -> Verdict {
        of(waiting: exercise, atMost: 1)
    }

    private static func of(
        waiting exercise: (some WaitingExercise).Type, atMost limit: Int
    ) -> Verdict {
        let (count, exercise) = (8, exercise.init())
        let lines = Lines(count)
        let told = Locked<(texts: [Int: String], threads: Set<UInt>)>(([:], []))
        let end = aside {
            exercise.wait(for: lines) { line, text in
                let thread = UInt(bitPattern: Int(pthread_self()))
                told.withLock { told in
                    told.texts[line] = text
                    told.threads.insert(thread)
                }
            }
        }
        // From the last one on: whoever waits for the first hears nothing.
        for line in (0..<count).reversed() {
            lines.send("message \(line)", over: line)
            let isTold = Patience.until(within: Patience.check / 2) {
                told.withLock { $0.texts[line] } != nil
            }
            guard !isTold else { continue }
            for other in 0..<line { lines.send("message \(other)", over: other) }
            return missing(
                "Line \(line) has spoken and nobody heard it: its reader waits for another line.",
                "第 \(line) 条线路已有消息，却没有人听到：读取者在等另一条线路。")
        }
        guard end.isThere(within: Patience.check) else {
            return missing(
                "All lines have spoken and ended, and `wait` does not return.",
                "所有线路都已说完并结束，`wait` 却没有返回。")
        }
        let (texts, threads) = told.withLock { ($0.texts, $0.threads.count) }
        let isWhole = (0..<count).allSatisfy { texts[$0] == "message \($0)" }
        guard isWhole else {
            return missing("A message was told wrongly.", "有消息传达错了。")
        }
        return threads <= limit
            ? solved(limit == 1 ? 2 : 1)
            : missing(
                "\(count) lines took \(threads) threads: one thread can wait for all of them, with "
                    + "`poll`.",
                "\(count) 条线路用了 \(threads) 个线程：用 `poll`，一个线程就能等待所有线路。")
    }

    /// Judges exercise 17: more tasks wait than there are threads for tasks.
    public static func of<Exercise: AwaitingExercise>(
        awaiting exercise: Exercise.Type
    ) -> Verdict {
        let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 16
        let blocks = Locked<[@Sendable (String) -> Void]>([])
        let values = Locked<[String]>([])
        for _ in 0..<count {
            Task.detached {
                let value = await Exercise().value { block in blocks.withLock { $0.append(block) } }
                values.withLock { $0.append(value) }
            }
        }
        _ = Patience.until(within: Patience.check) { blocks.withLock { $0.count } == count }
        let calls = blocks.withLock { $0.count }
        // Whoever waits is let go, also where not all have begun.
        let end = aside {
            _ = Patience.until {
                let now = blocks.withLock { blocks in
                    defer { blocks = [] }
                    return blocks
                }
                for block in now { block("here") }
                return values.withLock { $0.count } == count
            }
        }
        let isOver = end.isThere(within: 2 * Patience.long)
        guard calls == count else {
            return missing(
                "\(count) tasks wait, and only \(calls) have made their call: a task that blocks keeps "
                    + "a thread that all tasks share.",
                "\(count) 个任务在等待，只有 \(calls) 个发出了调用：阻塞的任务占住了所有任务共用的线程。")
        }
        guard isOver, values.withLock({ $0.allSatisfy { $0 == "here" } }) else {
            return missing(
                "A task was never resumed, or got another value than the block brought.",
                "有任务一直没有恢复，或者拿到的值与 block 给出的不同。")
        }
        return solved(17)
    }
}
