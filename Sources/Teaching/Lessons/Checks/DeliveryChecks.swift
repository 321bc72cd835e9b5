import Foundation
import Locking

/// Exercise 14: the one delegate of a session, for all its tasks.
public protocol RoutingExercise: AnyObject, Sendable {
    init()
    /// A piece of a task's body has arrived.
    func received(_ piece: String, task: Int)
    /// A task has ended.
    ///
    /// - Returns: The task's body.
    func ended(task: Int) -> String
}

/// Exercise 15: a result, and handlers that can be added before and after it.
public protocol LateHandlerExercise: AnyObject, Sendable {
    init()
    /// Adds a handler, which is called once, with the result, now or later. Any thread may call this.
    func add(_ handler: @escaping @Sendable (String) -> Void)
    /// Sets the result; called once.
    func end(_ result: String)
}

/// Loads pictures by name, and records what it was asked for.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the names.
public final class PictureLoader: Sendable {
    private let names = Locked<(started: [String], cancelled: [String])>(([], []))

    var started: [String] { names.withLock { $0.started } }
    var cancelled: [String] { names.withLock { $0.cancelled } }

    /// Begins to load a picture; the check calls `loaded` when it is there.
    public func start(_ name: String) {
        names.withLock { $0.started.append(name) }
    }

    /// Cancels the download of a picture.
    public func cancel(_ name: String) {
        names.withLock { $0.cancelled.append(name) }
    }
}

/// Exercise 16: views that share downloads.
public protocol SharingExercise: AnyObject, Sendable {
    init(_ loader: PictureLoader)
    /// A view wants a picture.
    ///
    /// - Returns: a receipt, a different one for each call.
    func ask(_ name: String, _ handler: @escaping @Sendable (String) -> Void) -> Int
    /// A view no longer wants its picture.
    func cancel(_ receipt: Int)
    /// A picture has been loaded.
    func loaded(_ name: String, _ picture: String)
}

extension Verdict {
    /// Checks exercise 14: two tasks whose pieces arrive alternately.
    public static func of(routing exercise: (some RoutingExercise).Type) -> Verdict {
        let delegate = exercise.init()
        delegate.received("A", task: 1)
        delegate.received("C", task: 2)
        let second = delegate.ended(task: 2)
        delegate.received("B", task: 1)
        let first = delegate.ended(task: 1)
        guard (first, second) == ("AB", "C") else {
            return missing(
                "The bodies are AB and C, and the handlers got \(first) and \(second): a piece "
                    + "belongs to one task, so each task needs a body of its own.",
                "body 应是 AB 和 C，handler 拿到的却是 \(first) 和 \(second)：收到的东西属于某个任务，每个任务要有自己的位置。",
                stage: (1, 2))
        }
        delegate.received("D", task: 1)
        let again = delegate.ended(task: 1)
        guard again == "D" else {
            return missing(
                "A later task has the number 1 again, and got \(again) instead of D: remove a task's "
                    + "body when the task ends.",
                "后来的任务又用了编号 1，拿到的是 \(again) 而不是 D：任务结束时，属于它的东西要一起移除。", stage: (2, 2))
        }
        return delegate.ended(task: 9).isEmpty
            ? solved(14)
            : missing("A task without a body got one.", "没有 body 的任务却拿到了 body。", stage: (2, 2))
    }

    /// Checks exercise 15: handlers are added before the end, on another thread while a handler runs, and
    /// after the end.
    public static func of<Exercise: LateHandlerExercise>(
        lateHandler exercise: Exercise.Type
    ) -> Verdict {
        let (request, calls) = (Exercise(), Locked<[String]>([]))
        let handler: @Sendable (String) -> @Sendable (String) -> Void = { name in
            { result in calls.withLock { $0.append(name + result) } }
        }
        let (left, other, isFree) = (Moment(), Moment(), Locked(false))
        request.add(handler("before "))
        request.add { [unowned request] _ in
            // Another thread adds a handler while this one runs, and must not wait for it.
            _ = onNewThread {
                request.add(handler("inside "))
                other.signal()
            }
            let hasAdded = other.wait(within: Patience.check)
            isFree.withLock { $0 = hasAdded }
            left.signal()
        }
        guard calls.withLock({ $0 }).isEmpty else {
            return missing(
                "A handler was called before there was a result.", "还没有结果，handler 就被调用了。",
                stage: (1, 3))
        }
        let end = onNewThread { request.end("42") }
        guard end.wait(within: 3 * Patience.check),
            left.wait(within: 2 * Patience.check), isFree.withLock({ $0 })
        else {
            return missing(
                "A handler runs while the lock is held: another thread that adds one has to wait.",
                "handler 在持有锁时运行：另一个添加 handler 的线程只能等它。", stage: (2, 3))
        }
        request.add(handler("after "))
        _ = Patience.until(within: Patience.check) { calls.withLock { $0.count } >= 3 }
        usleep(20_000)
        let all = calls.withLock { $0 }
        for name in ["before 42", "inside 42", "after 42"] where !all.contains(name) {
            let when = name.prefix { $0 != " " }
            return missing(
                "The handler that was added \(when) the end was never called: it is in a list that "
                    + "is not read again.",
                "handler（\(when)）一直没有被调用：它躺在没有人再看的列表里。", stage: (3, 3))
        }
        return all.count == 3
            ? solved(15)
            : missing(
                "A handler was called more than once: \(all.joined(separator: ", ")).",
                "有 handler 被调用了不止一次：\(all.joined(separator: "，"))。", stage: (3, 3))
    }

    /// Checks exercise 16: three views want one picture, and some cancel.
    public static func of<Exercise: SharingExercise>(sharing exercise: Exercise.Type) -> Verdict {
        let loader = PictureLoader()
        let (table, loaded) = (Exercise(loader), Locked<[String]>([]))
        let receipts = (1...3).map { view in
            table.ask("cat") { picture in loaded.withLock { $0.append("\(view) \(picture)") } }
        }
        guard loader.started == ["cat"] else {
            return missing(
                "Three views want one picture, and it is loaded \(loader.started.count) times.",
                "三个视图要同一张图，却加载了 \(loader.started.count) 次。", stage: (1, 3))
        }
        // Three times the same receipt: a solution that counts cancels would cancel the download.
        for _ in receipts { table.cancel(receipts[0]) }
        guard loader.cancelled.isEmpty else {
            return missing(
                "One view of three cancelled, and the download was cancelled for all: count each "
                    + "receipt once.",
                "三个视图中一个取消，下载却替所有人取消了：要数回执，每张只数一次。", stage: (2, 3))
        }
        table.loaded("cat", "miaow")
        let views = loaded.withLock { $0.sorted() }
        guard views == ["2 miaow", "3 miaow"] else {
            return missing(
                "Views 2 and 3 must each get the picture once, and view 1 not any more; it was passed to: "
                    + "\(views.joined(separator: ", ")).",
                "应当各通知视图 2 和 3 一次，不再通知视图 1；实际通知了：\(views.joined(separator: "，"))。", stage: (2, 3))
        }
        let dog = [table.ask("dog") { _ in }, table.ask("dog") { _ in }]
        dog.forEach { table.cancel($0) }
        guard loader.cancelled == ["dog"] else {
            return missing(
                "All views of a picture cancelled, and its download goes on: cancel it with the last "
                    + "receipt.",
                "一张图的所有视图都取消了，下载却还在继续：最后一张回执取消时要取消下载。", stage: (3, 3))
        }
        _ = table.ask("cat") { _ in }
        return loader.started == ["cat", "dog", "cat"]
            ? solved(16)
            : missing(
                "A picture that was loaded is wanted again, and nothing is loaded: an end leaves the "
                    + "table.",
                "已加载过的图再次被请求，却没有加载：结束的下载要从表里移除。", stage: (3, 3))
    }
}
