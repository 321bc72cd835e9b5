public import Foundation
import Locking
public import SmallPort8Completion

/// Exercise 6: an asynchronous operation that posts KVO notifications to its queue.
public protocol AnnouncementExercise: Operation {
    /// - Parameter announcements: makes the KVO calls, and records them for the check.
    init(on thread: NetworkThread, announcements: Announcements)
}

/// Exercise 7: an operation that any thread may start, also two at once.
public protocol LockExercise: Operation {
    /// - Parameters:
    ///   - work: call it once, on the network thread.
    ///   - observer: call it for each change of the state, on the thread that changes it.
    init(
        on thread: NetworkThread, work: @escaping @Sendable () -> Void,
        observer: @escaping @Sendable (_ key: String) -> Void)
}

extension Verdict {
    /// Checks exercise 6: a dependent operation runs after the operation.
    public static func of<Exercise: AnnouncementExercise>(
        announcement exercise: Exercise.Type
    ) -> Verdict {
        let thread = NetworkThread()
        defer { thread.stop() }
        let queue = OperationQueue()
        let line = DispatchQueue(label: "exercise")
        queue.underlyingQueue = line
        let announcements = Announcements()
        let first = Exercise(on: thread, announcements: announcements)
        let (ran, wasFinished) = (Moment(), Locked(false))
        // A queue reads `isReady` when an operation is added, and `isFinished` after its start. The
        // network thread is blocked until both are over, so that only a notification can help.
        let (isStarted, hasAsked) = (Moment(), Moment())
        thread.perform { _ = hasAsked.wait(within: 2 * Patience.check) }
        let second = BlockOperation {
            wasFinished.withLock { $0 = first.isFinished }
            ran.signal()
        }
        second.addDependency(first)
        queue.addOperations([first, second], waitUntilFinished: false)
        line.async { isStarted.signal() }
        _ = isStarted.wait(within: Patience.check)
        hasAsked.signal()
        guard ran.wait(within: Patience.check) else {
            return first.isFinished
                ? missing(
                    "`isFinished` is true, and the operation that depends on it never ran: a queue "
                        + "notices a state only by KVO notifications.",
                    "`isFinished` 已为 true，但依赖它的操作一直没有运行：操作队列只从通知得知状态。", stage: (1, 2))
                : missing(
                    "The operation never finished: the queue started it, and `isFinished` stayed "
                        + "false.",
                    "操作一直没有结束：队列已经启动它，`isFinished` 却始终为 false。", stage: (1, 2))
        }
        guard wasFinished.withLock({ $0 }) else {
            return missing(
                "The dependent operation ran while `isFinished` was still false: make the KVO calls "
                    + "around the change, not both before it.",
                "依赖它的操作运行时 `isFinished` 仍为 false：应在修改前后通知，而不是提前通知。", stage: (1, 2))
        }
        guard !first.isExecuting else {
            return missing(
                "`isFinished` is true, and so is `isExecuting` still.",
                "操作已结束，`isExecuting` 却仍为 true。", stage: (2, 2))
        }
        return unheard(announcements) ?? solved(6)
    }

    /// A change without KVO calls, or with calls that are not around it.
    private static func unheard(_ announcements: Announcements) -> Verdict? {
        let changes = [("isExecuting", true), ("isExecuting", false), ("isFinished", true)]
        let missed = changes.first { key, value in
            !Patience.until(within: Patience.short) {
                announcements.has(key, becoming: value)
            }
        }
        return missed.map { key, value in
            missing(
                "`\(key)` became \(value) without KVO calls: for each key that changes, call "
                    + "`willChange` before the change and `didChange` after it.",
                "`\(key)` 变成了 \(value)，检查却没有听到通知：每个改变的 key 都要在修改前 `willChange`、"
                    + "修改后 `didChange`，不能只通知两个中的一个。", stage: (2, 2))
        }
    }

    /// Checks exercise 7: `start` returns, and two threads that call it run the work once.
    public static func of<Exercise: LockExercise>(lock exercise: Exercise.Type) -> Verdict {
        let thread = NetworkThread()
        defer { thread.stop() }
        let (runs, arrivals, gate) = (Locked(0), Locked(0), Moment())
        let operation = Exercise(
            on: thread, work: { runs.withLock { $0 += 1 } },
            observer: { key in
                guard key == "isExecuting" else { return }
                let isFirst = arrivals.withLock { arrivals in
                    arrivals += 1
                    return arrivals == 1
                }
                // Blocks the first thread between the two steps of `start`.
                if isFirst { _ = gate.wait(within: Patience.check) }
            })
        let first = onNewThread { operation.start() }
        guard Patience.until(within: Patience.check, { arrivals.withLock { $0 } > 0 }) else {
            gate.signal()
            return first.wait(within: Patience.short)
                ? missing(
                    "`start` returned without calling the observer for `isExecuting`.",
                    "`start` 返回了，但没有通知观察者 `isExecuting` 的变化。", stage: (1, 2))
                : missing(
                    "`start` never returned: the thread has the lock, and waits for it again in a "
                        + "nested call.",
                    "`start` 一直没有返回：线程已持有锁，又在更深一层的调用里等同一把锁。", stage: (1, 2))
        }
        let second = SecondThread { operation.start() }
        second.waitUntilItStops { arrivals.withLock { $0 } == 2 }
        gate.signal()
        guard first.wait(within: Patience.check), second.end.wait(within: Patience.check) else {
            return missing(
                "`start` did not return on one of two threads: each must unlock the lock.",
                "两个线程中有一个的 `start` 没有返回：每个线程都必须释放锁。", stage: (1, 2))
        }
        guard Patience.until(within: Patience.check, { operation.isFinished }) else {
            return missing("The operation never finished.", "操作一直没有结束。", stage: (1, 2))
        }
        let barrier = Moment()
        thread.perform { barrier.signal() }
        _ = barrier.wait()
        return runs.withLock { $0 } == 1
            ? solved(7)
            : missing(
                "Two threads started the operation at once, and its work ran \(runs.withLock { $0 }) "
                    + "times: the check and the change must be one step.",
                "两个线程同时 start，工作运行了 \(runs.withLock { $0 }) 次：“检查”与“修改”必须是一步。", stage: (2, 2))
    }
}

/// Records the KVO calls of an operation, and passes them to Foundation. A check cannot observe them otherwise, because
/// Foundation on Linux has no observers for the keys of an `Operation`.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the recorded changes; Foundation is called without it.
public final class Announcements: Sendable {
    /// A key, with its value before and after the change.
    struct Change: Hashable {
        let key: String
        let before: Bool
        let after: Bool
    }

    private struct Heard {
        var before: [String: Bool] = [:]
        var changes: [Change] = []
    }

    private let heard = Locked(Heard())
    private let hears: @Sendable (_ key: String) -> Void

    /// - Parameter hears: called before a change, on the thread that changes it.
    init(_ hears: @escaping @Sendable (_ key: String) -> Void = { _ in }) {
        self.hears = hears
    }

    /// Calls the operation's `willChangeValue(forKey:)`. Call it before the change.
    public func willChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { $0.before[key] = value }
        operation.willChangeValue(forKey: key)
        hears(key)
    }

    /// Calls the operation's `didChangeValue(forKey:)`. Call it after the change.
    public func didChange(_ key: String, of operation: Operation) {
        let value = Self.value(of: key, operation)
        heard.withLock { heard in
            guard let before = heard.before.removeValue(forKey: key) else { return }
            heard.changes.append(Change(key: key, before: before, after: value))
        }
        operation.didChangeValue(forKey: key)
    }

    /// Whether both calls were made, one before the change and one after it.
    func has(_ key: String, becoming value: Bool) -> Bool {
        heard.withLock {
            $0.changes.contains(Change(key: key, before: !value, after: value))
        }
    }

    private static func value(of key: String, _ operation: Operation) -> Bool {
        key == "isFinished" ? operation.isFinished : operation.isExecuting
    }
}

/// A thread that calls the reader's code while another thread is blocked in it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the name of its folder.
final class SecondThread: Sendable {
    /// When the code has returned.
    let end: Moment
    /// Its folder in `/proc`; nil before it has begun.
    private let folder: Locked<String?>

    init(_ body: @escaping @Sendable () -> Void) {
        let folder = Locked<String?>(nil)
        self.folder = folder
        end = onNewThread {
            let link = "/proc/thread-self"
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link)
            folder.withLock { $0 = path.map { "/proc/" + $0 } }
            body()
        }
    }

    /// Waits until the code has returned or `hasPassed` is true, or until the thread sleeps: then it
    /// waits for the other thread.
    func waitUntilItStops(_ hasPassed: () -> Bool) {
        var last: Substring?
        var looks = 0
        _ = Patience.until(within: Patience.check) {
            let now = sleeps
            looks = now != nil && now == last ? looks + 1 : 0
            last = now
            // A thread that waits for the allocator's lock sleeps too, but not for so many looks.
            return looks == 100 || hasPassed() || end.wait(within: 0)
        }
    }

    /// How often the thread has fallen asleep, where it sleeps now; nil where it runs.
    private var sleeps: Substring? {
        guard let folder = folder.withLock({ $0 }),
            let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8),
            status.contains("\nState:\tS")
        else { return nil }
        return status.firstMatch(of: /voluntary_ctxt_switches:\s*([0-9]+)/)?.1
    }
}
