public import Dispatch
public import Foundation
import Locking
public import SmallPort8Completion

/// A request on the wire, which the check answers.
///
/// ## Concurrency
/// Call from: the network thread; use by another one is recorded. Lock: one around its state.
public final class RequestLine: Sendable {
    /// What the line reports, on the network thread.
    public enum Event: Sendable {
        case received(String)
        case ended
    }

    private struct State {
        var opened = 0
        var isOpen = false
        var isStrange = false
        var report: (@Sendable (Event) -> Void)?
    }

    private let thread: NetworkThread
    private let state = Locked(State())

    init(_ thread: NetworkThread) {
        self.thread = thread
    }

    /// How often it was opened.
    var opened: Int { state.withLock { $0.opened } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    /// Whether another thread has used it.
    var isStrange: Bool { state.withLock { $0.isStrange } }

    /// Sends the request.
    public func open(_ report: @escaping @Sendable (Event) -> Void) {
        let isStrange = !thread.isCurrent
        state.withLock { state in
            state.opened += 1
            state.isOpen = true
            state.isStrange = state.isStrange || isStrange
            state.report = report
        }
    }

    /// Gives the request up. A report that is on its way still comes.
    public func close() {
        let isStrange = !thread.isCurrent
        state.withLock { state in
            state.isOpen = false
            state.isStrange = state.isStrange || isStrange
        }
    }

    /// Reports events, whether the line is open or not.
    func report(_ events: [Event]) {
        thread.perform { [self] in
            let report = state.withLock { $0.report }
            for event in events { report?(event) }
        }
    }
}

/// The last exercise: an operation for one request, as the small port has it in its versions 5 to 8.
public protocol PortExercise: Operation {
    /// - Parameters:
    ///   - announcements: makes the KVO calls, and records them for the check.
    ///   - completion: call it once, on the queue: with the body, or with nil after a cancel.
    init(
        on thread: NetworkThread, line: RequestLine, announcements: Announcements,
        completionQueue: DispatchQueue, completion: @escaping @Sendable (String?) -> Void)
}

extension Verdict {
    /// Checks the last exercise, stage by stage; a stage is judged when those before it are done.
    public static func of<Exercise: PortExercise>(port exercise: Exercise.Type) -> Verdict {
        let stages: [(name: Words, judge: () -> Words?)] = [
            (Words("5, the states", "5（状态）"), { PortTrial<Exercise>().states() }),
            (Words("6, the lock", "6（锁）"), { PortTrial<Exercise>().starts() }),
            (Words("7, the cancel", "7（取消）"), { cancels(exercise) }),
            (Words("8, the completion", "8（完成）"), { PortTrial<Exercise>().completion() }),
        ]
        for (index, stage) in stages.enumerated() {
            guard let failure = stage.judge() else { continue }
            return missing(
                "State \(stage.name.text(.english)): " + failure.text(.english),
                "状态 \(stage.name.text(.simplifiedChinese))："
                    + failure.text(.simplifiedChinese), stage: (index + 1, stages.count))
        }
        return solved(19)
    }

    private static func cancels<Exercise: PortExercise>(_ exercise: Exercise.Type) -> Words? {
        PortTrial<Exercise>().cancelBeforeStart()
            ?? PortTrial<Exercise>().cancelBeforeTheLineOpens()
            ?? PortTrial<Exercise>().cancelAmongReports()
    }
}

/// One operation of a reader with all that it uses.
private struct PortTrial<Exercise: PortExercise> {
    private let thread = NetworkThread()
    private let line: RequestLine
    private let announcements: Announcements
    private let operation: Exercise
    private let queue = OperationQueue()
    private let results = Locked<[String?]>([])
    private let completed = Moment()
    /// Signalled by the first thread that announces `isExecuting`, which then waits for `mayAnnounce`.
    private let announces = Moment()
    private let mayAnnounce = Moment()
    /// The completion block waits for it.
    private let mayComplete = Moment()
    private let isOnQueue = Locked(true)
    /// How often `isExecuting` was announced.
    private let announced = Locked(0)

    init() {
        line = RequestLine(thread)
        let (announces, mayAnnounce) = (announces, mayAnnounce)
        let announced = announced
        announcements = Announcements { key in
            guard key == "isExecuting" else { return }
            let isFirst = announced.withLock { announced in
                announced += 1
                return announced == 1
            }
            guard isFirst else { return }
            announces.signal()
            // Longer than the check waits for a thread that reads meanwhile.
            _ = mayAnnounce.wait()
        }
        let (completed, mayComplete) = (completed, mayComplete)
        let (results, isOnQueue) = (results, isOnQueue)
        let completionQueue = DispatchQueue(label: "completion queue")
        let key = DispatchSpecificKey<Bool>()
        completionQueue.setSpecific(key: key, value: true)
        operation = Exercise(
            on: thread, line: line, announcements: announcements,
            completionQueue: completionQueue
        ) { result in
            isOnQueue.withLock { $0 = $0 && DispatchQueue.getSpecific(key: key) == true }
            results.withLock { $0.append(result) }
            completed.signal()
            _ = mayComplete.wait()
        }
    }

    private func leave() {
        mayAnnounce.signal()
        mayComplete.signal()
        thread.stop()
    }

    /// Waits until the network thread has run its jobs.
    private func settle() {
        let barrier = Moment()
        thread.perform { barrier.signal() }
        _ = barrier.wait(within: Patience.check)
    }

    private func isFinished() -> Bool {
        Patience.until(within: Patience.check) { operation.isFinished }
    }

    // MARK: Version 5

    func states() -> Words? {
        mayAnnounce.signal()
        mayComplete.signal()
        defer { leave() }
        let ran = Moment()
        let next = BlockOperation { ran.signal() }
        next.addDependency(operation)
        queue.addOperations([operation, next], waitUntilFinished: false)
        guard Patience.until(within: Patience.check, { line.opened == 1 }) else {
            return Words("a started operation never opened its line.", "操作已启动，却没有打开连接。")
        }
        guard operation.isExecuting && !operation.isFinished else {
            return Words(
                "while its request runs, `isExecuting` must be true, and `isFinished` false.",
                "请求进行时 `isExecuting` 应为 true，`isFinished` 应为 false。")
        }
        line.report([.received("A"), .received("B"), .ended])
        guard ran.wait(within: Patience.check) else {
            return Words(
                "the request has ended, and the operation that depends on this one never ran: its "
                    + "queue waits for a KVO notification of `isFinished`.",
                "请求已结束，依赖它的操作却一直没有运行：操作队列在等 `isFinished` 的 KVO 通知。")
        }
        for (key, value) in [("isExecuting", true), ("isExecuting", false), ("isFinished", true)] {
            guard
                Patience.until(
                    within: Patience.short, { announcements.has(key, becoming: value) })
            else {
                return Words(
                    "`\(key)` became \(value) without KVO calls around the change.",
                    "`\(key)` 变成 \(value) 时，修改前后没有 KVO 通知。")
            }
        }
        operation.start()
        settle()
        guard line.opened == 1 && operation.isFinished && !operation.isExecuting else {
            return Words(
                "`start` of a finished operation must change nothing.",
                "操作已结束，再次 `start` 不应改变任何东西。")
        }
        return nil
    }

    // MARK: Version 6

    func starts() -> Words? {
        mayComplete.signal()
        defer { leave() }
        let operation = operation
        let first = onNewThread { operation.start() }
        guard announces.wait(within: Patience.check) else {
            return Words(
                "`start` never announced `isExecuting`.", "`start` 没有发出 `isExecuting` 的通知。")
        }
        // The first thread is held in its announcement now.
        let read = onNewThread { _ = operation.isFinished }
        guard read.wait(within: Patience.check) else {
            return Words(
                "while one thread announces, another that reads `isFinished` waits: reading must not "
                    + "need the lock, since a queue reads with a lock of its own held.",
                "一个线程在发通知时，另一个读取 `isFinished` 的线程被挡住：读取不能要锁，因为队列读取时持有自己的锁。")
        }
        let second = SecondThread { operation.start() }
        second.waitUntilItStops { announced.withLock { $0 } == 2 }
        mayAnnounce.signal()
        guard first.wait(within: Patience.check), second.end.wait(within: Patience.check) else {
            return Words(
                "`start` did not return on one of two threads.", "两个线程中有一个的 `start` 没有返回。")
        }
        settle()
        guard line.opened == 1 else {
            return Words(
                "two threads started the operation at once, and it opened \(line.opened) lines: the "
                    + "check and the change must be one step.",
                "两个线程同时 start，打开了 \(line.opened) 条连接：“检查”与“修改”必须是一步。")
        }
        return nil
    }

    // MARK: Version 7

    func cancelBeforeStart() -> Words? {
        mayAnnounce.signal()
        mayComplete.signal()
        defer { leave() }
        operation.cancel()
        guard !operation.isFinished else {
            return Words(
                "an operation that was cancelled before its start has finished: its queue has not "
                    + "started it yet, and would start it afterwards.",
                "操作在启动前被取消就结束了：队列还没有启动它，之后还会来启动。")
        }
        queue.addOperation(operation)
        guard isFinished() else {
            return Words(
                "an operation that was cancelled before its start never finishes when its queue "
                    + "starts it.",
                "启动前已取消的操作，队列启动它之后一直没有结束。")
        }
        settle()
        return line.opened == 0
            ? nil
            : Words(
                "an operation that was cancelled before its start opened its line.",
                "启动前已取消的操作还是打开了连接。")
    }

    func cancelBeforeTheLineOpens() -> Words? {
        mayAnnounce.signal()
        mayComplete.signal()
        defer { leave() }
        let isFree = Moment()
        thread.perform { _ = isFree.wait() }
        operation.start()
        operation.cancel()
        isFree.signal()
        let hasFinished = isFinished()
        settle()
        guard !line.isOpen else {
            return Words(
                "the cancel came before the line was opened, and nothing closed it later.",
                "取消先于打开，之后没有人来关闭连接。")
        }
        guard !line.isStrange else {
            return Words(
                "the line was used on another thread than the network thread.",
                "连接在网络线程以外的线程上被使用。")
        }
        return hasFinished
            ? nil : Words("the cancelled operation never finished.", "被取消的操作一直没有结束。")
    }

    func cancelAmongReports() -> Words? {
        mayAnnounce.signal()
        mayComplete.signal()
        defer { leave() }
        operation.start()
        guard Patience.until(within: Patience.check, { line.opened == 1 }) else {
            return Words("a started operation never opened its line.", "操作已启动，却没有打开连接。")
        }
        let isFree = Moment()
        thread.perform { _ = isFree.wait() }
        line.report([.received("A"), .ended])
        operation.cancel()
        isFree.signal()
        guard isFinished(), completed.wait(within: Patience.check) else {
            return Words(
                "a cancel met the end of the request, and the operation never completed.",
                "取消遇上请求的结束，操作一直没有完成。")
        }
        settle()
        _ = Patience.until(within: Patience.short) { results.withLock { $0.count } > 1 }
        let all = results.withLock { $0 }
        guard all.count == 1 else {
            return Words(
                "a cancel met the end of the request, and the completion ran \(all.count) times.",
                "取消遇上请求的结束，completion 运行了 \(all.count) 次。")
        }
        return all[0] == nil
            ? nil
            : Words(
                "a cancelled operation completed with the body `\(all[0] ?? "")`.",
                "被取消的操作给出了 body“\(all[0] ?? "")”。")
    }

    // MARK: Version 8

    func completion() -> Words? {
        mayAnnounce.signal()
        defer { leave() }
        operation.start()
        _ = Patience.until(within: Patience.check) { line.opened == 1 }
        line.report([.received("A"), .received("B"), .ended])
        guard completed.wait(within: Patience.check) else {
            return Words("the completion never ran.", "completion 一直没有运行。")
        }
        // The completion block waits now.
        let other = Moment()
        thread.perform { other.signal() }
        guard other.wait(within: Patience.check) else {
            return Words(
                "the completion runs on the network thread: while it waits, no request goes on.",
                "completion 在网络线程上运行：它等待时，所有请求都停住。")
        }
        guard isOnQueue.withLock({ $0 }) else {
            return Words(
                "the completion does not run on the completion queue.",
                "completion 没有在 completion queue 上运行。")
        }
        let operation = operation
        let cancel = onNewThread { operation.cancel() }
        guard cancel.wait(within: Patience.check) else {
            return Words(
                "the completion runs while the lock is held: another thread that calls `cancel` waits "
                    + "for the block.",
                "completion 在持有锁时运行：另一个调用 `cancel` 的线程只能等它。")
        }
        mayComplete.signal()
        settle()
        _ = Patience.until(within: Patience.short) { results.withLock { $0.count } > 1 }
        let all = results.withLock { $0 }
        return all == ["AB"]
            ? nil
            : Words(
                "the completion must run once, with `AB`; it had "
                    + all.map { $0 ?? "nil" }.joined(separator: ", ") + ".",
                "completion 应运行一次，得到“AB”；实际是 "
                    + all.map { $0 ?? "nil" }.joined(separator: "、") + "。")
    }
}
