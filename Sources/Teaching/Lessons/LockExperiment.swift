import Foundation
import Locking
import LoopbackServer
import SmallPort6Lock

/// The experiment of lesson 7: one thread takes an operation's lock twice, two threads take it at the same time, and
/// a third one reads the state.
enum LockExperiment {
    private struct Sight {
        var startReturned = false
        var inside = 0
        var requests = 0
    }

    static func run() throws -> ExperimentResult {
        let sights = try [nil, .plainLock, .noLock, .lockedGetter].map(look)
        // With a lock that is not recursive the operation never starts, so its end cannot be observed.
        let (correct, noLock, lockedGetter) =
            (try end(nil), try end(.noLock), try end(.lockedGetter))
        return ExperimentResult(
            variants: ["correct"] + Mistake.allCases.map(\.rawValue),
            facts: [
                .init(Words("start returns", "start 返回"), sights.map(\.startReturned)),
                .init(
                    Words(
                        "threads between the check and the change", "同时处于“检查”与“修改”之间的线程数"),
                    sights.map(\.inside)),
                .init(
                    Words("requests of two starts at once", "两个线程同时 start 发出的请求数"),
                    sights.map(\.requests)),
                .init(
                    Words(
                        "another thread reads isFinished during the announcement",
                        "通知期间，另一个线程能读到 isFinished"),
                    [correct.isRead, "-", noLock.isRead, lockedGetter.isRead]),
                .init(
                    Words("a thread that waits for the end goes on", "等待结束的线程能继续"),
                    [correct.hasReturned, "-", noLock.hasReturned, lockedGetter.hasReturned]),
            ],
            answer: sights[1].startReturned ? 1 : 3)
    }

    /// The lock of a variant, if its use is to be recorded; otherwise nil.
    private static func lock(_ mistake: Mistake?) -> (any NSLocking)? {
        mistake == .noLock ? nil : Picture.lock(isRecursive: mistake != .plainLock)
    }

    private static func look(_ mistake: Mistake?) throws -> Sight {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            var sight = Sight()
            let operation = URLOperation(
                server.url("/plain"), on: thread, mistake: mistake, lock: lock(mistake))
            // Blocks the first two threads that are about to change the state.
            let (arrivals, gate) = (Locked(0), Moment())
            let picture = Picture.observer("GET /plain")
            operation.observer = { key, isAfter in
                picture(key, isAfter)
                guard key == "isExecuting", !isAfter else { return }
                let isFirst = arrivals.withLock { arrivals in
                    arrivals += 1
                    return arrivals <= 2
                }
                if isFirst { _ = gate.wait() }
            }
            // With a lock that is not recursive this thread is blocked until the process ends.
            let first = onNewThread("start, first") { operation.start() }
            let patience = Patience.forWhat(happens: mistake != .plainLock)
            guard Patience.until(within: patience, { arrivals.withLock { $0 } == 1 }) else {
                gate.signal()
                sight.startReturned = first.wait(within: Patience.short)
                return sight
            }
            let second = onNewThread("start, second") { operation.start() }
            _ = Patience.until(within: Patience.forWhat(happens: mistake == .noLock)) {
                arrivals.withLock { $0 } == 2
            }
            sight.inside = arrivals.withLock { $0 }
            gate.signal()
            sight.startReturned = first.wait() && second.wait()
            _ = Patience.until { operation.isFinished }
            _ = server.receives(2, within: Patience.forWhat(happens: mistake == .noLock))
            sight.requests = server.requests.count
            return sight
        }
    }

    /// Blocks the network thread when it notifies an observer of `isFinished`. Meanwhile one thread waits for the end of the
    /// operation, and another one reads `isFinished`.
    private static func end(_ mistake: Mistake?) throws -> (isRead: Bool, hasReturned: Bool) {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let operation = URLOperation(
                server.url("/plain"), on: thread, mistake: mistake, lock: lock(mistake))
            let (isInside, mayGoOn) = (Moment(), Moment())
            let picture = Picture.observer("GET /plain")
            operation.observer = { key, isAfter in
                picture(key, isAfter)
                guard key == "isFinished", !isAfter else { return }
                isInside.signal()
                _ = mayGoOn.wait()
            }
            operation.start()
            guard isInside.wait() else { return (false, false) }
            let patience = Patience.forWhat(happens: mistake != .lockedGetter)
            // In this call Foundation reads `isFinished` while it holds a lock of its own, which KVO notifications take too.
            let wait = onNewThread("wait") { operation.waitUntilFinished() }
            let isRead = onNewThread("read") { _ = operation.isFinished }.wait(within: patience)
            mayGoOn.signal()
            return (isRead, wait.wait(within: patience))
        }
    }
}
