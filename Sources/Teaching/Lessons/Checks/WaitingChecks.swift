import Foundation
import Locking

/// Pipes over which bytes arrive, as over connections to a server.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; its properties do not change.
public final class Lines: Sendable {
    /// The descriptors to read from. A line has one message and then the end of file.
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

    /// Sends a line's message, and closes the line.
    func send(_ text: String, over line: Int) {
        _ = Array(text.utf8).withUnsafeBytes { write(writers[line], $0.baseAddress, $0.count) }
        close(writers[line])
    }
}

/// Exercises 1 and 2: waits for all lines at once; in exercise 2 on one thread.
public protocol WaitingExercise: Sendable {
    init()
    /// Returns when each line's message has arrived.
    ///
    /// - Parameter block: called with the line's index and its message, as soon as that has arrived.
    func wait(for lines: Lines, _ block: @escaping @Sendable (_ line: Int, _ text: String) -> Void)
}

/// Exercise 17: makes a call with a block awaitable.
public protocol AwaitingExercise: Sendable {
    init()
    /// Returns the value with which the call calls its block.
    ///
    /// - Parameter call: calls its block once, later, on another thread.
    func value(
        of call: @escaping @Sendable (_ block: @escaping @Sendable (String) -> Void) -> Void
    ) async -> String
}

extension Verdict {
    /// Checks exercise 1: the last line's message arrives first.
    public static func of(turns exercise: (some WaitingExercise).Type) -> Verdict {
        of(waiting: exercise, atMost: .max)
    }

    /// Checks exercise 2: the same, and on one thread.
    public static func of(threads exercise: (some WaitingExercise).Type) -> Verdict {
        of(waiting: exercise, atMost: 1)
    }

    private static func of(
        waiting exercise: (some WaitingExercise).Type, atMost limit: Int
    ) -> Verdict {
        let (count, exercise) = (8, exercise.init())
        let stages = limit == 1 ? 3 : 2
        let lines = Lines(count)
        let messages = Locked<(texts: [Int: String], threads: Set<UInt>)>(([:], []))
        let end = onNewThread {
            exercise.wait(for: lines) { line, text in
                let thread = UInt(bitPattern: Int(pthread_self()))
                messages.withLock { messages in
                    messages.texts[line] = text
                    messages.threads.insert(thread)
                }
            }
        }
        // In reverse order: a solution that waits for the first line gets no message.
        for line in (0..<count).reversed() {
            lines.send("message \(line)", over: line)
            let hasMessage = Patience.until(within: Patience.check / 2) {
                messages.withLock { $0.texts[line] } != nil
            }
            guard !hasMessage else { continue }
            for other in 0..<line { lines.send("message \(other)", over: other) }
            return missing(
                "Line \(line) has a message that was not read: the thread waits for another line.",
                "第 \(line) 条线路已有消息，却没有人听到：读取者在等另一条线路。", stage: (1, stages))
        }
        guard end.wait(within: Patience.check) else {
            return missing(
                "All lines had their message and were closed, and `wait` does not return.",
                "所有线路都已说完并结束，`wait` 却没有返回。", stage: (2, stages))
        }
        let (texts, threads) = messages.withLock { ($0.texts, $0.threads.count) }
        let isWhole = (0..<count).allSatisfy { texts[$0] == "message \($0)" }
        guard isWhole else {
            return missing(
                "The block was called with a wrong message.", "有消息传达错了。", stage: (2, stages))
        }
        return threads <= limit
            ? solved(limit == 1 ? 2 : 1)
            : missing(
                "\(count) lines took \(threads) threads: one thread can wait for all of them, with "
                    + "`poll`.",
                "\(count) 条线路用了 \(threads) 个线程：用 `poll`，一个线程就能等待所有线路。", stage: (3, stages))
    }

    /// Checks exercise 17: more tasks wait than there are threads for tasks.
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
        // Ends the tasks, also where not all of them have begun to wait.
        let end = onNewThread {
            _ = Patience.until {
                let now = blocks.withLock { blocks in
                    defer { blocks = [] }
                    return blocks
                }
                for block in now { block("here") }
                return values.withLock { $0.count } == count
            }
        }
        let isOver = end.wait(within: 2 * Patience.long)
        guard calls == count else {
            return missing(
                "\(count) tasks wait, and only \(calls) have made their call: a task that blocks "
                    + "occupies one of the threads that all tasks share.",
                "\(count) 个任务在等待，只有 \(calls) 个发出了调用：阻塞的任务占住了所有任务共用的线程。", stage: (1, 2))
        }
        guard isOver, values.withLock({ $0.allSatisfy { $0 == "here" } }) else {
            return missing(
                "A task was never resumed, or got another value than the block.",
                "有任务一直没有恢复，或者拿到的值与 block 给出的不同。", stage: (2, 2))
        }
        return solved(17)
    }
}
