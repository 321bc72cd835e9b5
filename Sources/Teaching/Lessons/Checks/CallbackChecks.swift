public import Dispatch
public import Foundation
import Locking
public import SmallPort8Completion

/// A model of a connection that records whether a thread other than the network thread uses it.
///
/// ## Concurrency
/// Call from: the network thread; use by another one is recorded. Lock: one around its state.
public final class WatchedLine: Sendable {
    struct Sight {
        var isOpen = false
        var opened = 0
        var isStrange = false
    }

    private let thread: NetworkThread
    private let sight = Locked(Sight())

    init(_ thread: NetworkThread) {
        self.thread = thread
    }

    var now: Sight { sight.withLock { $0 } }

    /// Call it on the network thread.
    public func open() {
        change {
            $0.isOpen = true
            $0.opened += 1
        }
    }

    /// Call it on the network thread.
    public func close() {
        change { $0.isOpen = false }
    }

    private func change(_ change: (inout Sight) -> Void) {
        let isStrange = !thread.isCurrent
        sight.withLock { sight in
            change(&sight)
            if isStrange { sight.isStrange = true }
        }
    }
}

/// Exercise 8: an operation that can be cancelled at any moment.
public protocol CancelExercise: Operation {
    /// `start` opens the line, which stays open until the operation is cancelled.
    init(on thread: NetworkThread, line: WatchedLine)
}

/// Exercise 10: the queue on which a completion block runs.
public protocol CompletionExercise: Sendable {
    init(on thread: NetworkThread, completionQueue: DispatchQueue)
    /// Works on the network thread, and then calls the block.
    func fetch(_ completion: @escaping @Sendable () -> Void)
    /// How often `fetch` was called. Any thread may read it, also inside a completion block.
    var count: Int { get }
}

/// Exercise 13: pieces that a block must get in order.
public protocol WidthExercise: Sendable {
    init()
    /// Returns at once; calls the block with the piece later, on any thread.
    func deliver(_ piece: String, to block: @escaping @Sendable (String) -> Void)
}

extension Verdict {
    /// Checks exercise 8: `cancel` while the network thread is busy with something else.
    public static func of<Exercise: CancelExercise>(cancel exercise: Exercise.Type) -> Verdict {
        let thread = NetworkThread()
        defer { thread.stop() }
        let (isFree, line) = (Moment(), WatchedLine(thread))
        thread.perform { _ = isFree.wait() }
        let operation = Exercise(on: thread, line: line)
        operation.start()
        operation.cancel()
        let isStrange = line.now.isStrange
        isFree.signal()
        let hasFinished = Patience.until(within: Patience.check) { operation.isFinished }
        let barrier = Moment()
        thread.perform { barrier.signal() }
        _ = barrier.wait()
        if line.now.isOpen {
            return missing(
                "The line is open though the operation was cancelled: `cancel` came before the "
                    + "line was opened and had nothing to close, and nothing closed it later.",
                "操作已取消，连接却开着：`cancel` 先到，没有可关的连接，之后再没有人来关。", stage: (1, 3))
        }
        if isStrange {
            return missing(
                "The line was closed on the thread that called `cancel`: only the network thread "
                    + "may use it, and may be using it now.",
                "连接在调用 `cancel` 的线程上被关闭：它属于网络线程，后者可能正在使用它。", stage: (2, 3))
        }
        return hasFinished
            ? solved(8)
            : missing(
                "The cancelled operation never finished: its queue and its caller wait for ever.",
                "被取消的操作一直没有结束：队列和使用者会永远等下去。", stage: (3, 3))
    }

    /// Checks exercise 10: a completion block that waits delays nothing else.
    public static func of<Exercise: CompletionExercise>(
        completion exercise: Exercise.Type
    ) -> Verdict {
        let thread = NetworkThread()
        defer { thread.stop() }
        let exercise = Exercise(on: thread, completionQueue: DispatchQueue(label: "completion"))
        let (isInside, mayGoOn) = (Moment(), Moment())
        exercise.fetch {
            isInside.signal()
            _ = mayGoOn.wait()
        }
        defer { mayGoOn.signal() }
        guard isInside.wait(within: Patience.check) else {
            return missing(
                "The completion block never ran.", "completion block 一直没有运行。", stage: (1, 3))
        }
        let read = onNewThread { _ = exercise.count }
        guard read.wait(within: Patience.check) else {
            return missing(
                "The completion block runs while the lock is held: another thread that reads "
                    + "`count` waits for the block.",
                "completion block 在持有锁时运行：另一个读取 `count` 的线程只能等它。", stage: (2, 3))
        }
        let other = Moment()
        thread.perform { other.signal() }
        guard other.wait(within: Patience.check) else {
            return missing(
                "The completion block runs on the network thread: while it waits, no request "
                    + "makes progress.",
                "completion block 在网络线程上运行：它等待时，所有请求都停住。", stage: (2, 3))
        }
        let second = Moment()
        exercise.fetch { second.signal() }
        guard !second.wait(within: Patience.short) else {
            return missing(
                "A second completion block ran while the first one blocked the queue: they do not "
                    + "run on the queue that the caller named.",
                "第一个 block 还占着队列，第二个 completion block 就运行了：它们不在调用者指定的队列上运行。", stage: (3, 3))
        }
        mayGoOn.signal()
        return second.wait(within: Patience.check)
            ? solved(10)
            : missing(
                "The completion block of a second request never ran.",
                "第二个请求的 completion block 一直没有运行。", stage: (3, 3))
    }

    /// Checks exercise 13: the block of the first piece is slow, and still ends first.
    public static func of(width exercise: (some WidthExercise).Type) -> Verdict {
        let exercise = exercise.init()
        let (file, isInside, mayGoOn) = (Locked(""), Moment(), Moment())
        let hasSecond = Moment()
        for piece in ["A", "B"] {
            let isDelivered = onNewThread {
                exercise.deliver(piece) { piece in
                    if piece == "A" {
                        isInside.signal()
                        _ = mayGoOn.wait()
                    }
                    file.withLock { $0 += piece }
                    if piece == "B" { hasSecond.signal() }
                }
            }
            if piece == "A", !isInside.wait(within: Patience.check) {
                return missing("The first piece never came.", "第一块数据一直没有送达。", stage: (1, 2))
            }
            guard isDelivered.wait(within: Patience.check) else {
                mayGoOn.signal()
                return missing(
                    "`deliver` waits for the block: so the thread that calls it, such as the network "
                        + "thread, waits for a slow block.",
                    "`deliver` 在等 block：送来数据块的线程，例如网络线程，也只能跟着等。", stage: (1, 2))
            }
        }
        _ = hasSecond.wait(within: Patience.check / 2)
        mayGoOn.signal()
        _ = Patience.until(within: Patience.check) { file.withLock { $0.count } == 2 }
        let text = file.withLock { $0 }
        return text == "AB"
            ? solved(13)
            : missing(
                "The server sent AB and the file is \(text): the second piece's block began before "
                    + "the first one's had ended.",
                "服务器发送 AB，文件却是 \(text)：第一块还在处理时，第二块已被处理。", stage: (2, 2))
    }
}
