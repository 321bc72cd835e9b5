import Foundation
import Locking
import LoopbackServer
import SmallPort1Thread
import SmallPort2Loop
import SmallPort3HandOver
import SmallPort4Operation
import SmallPort5States
import SmallPort6Lock
import SmallPort7Cancel
import SmallPort8Completion

/// Each state of the small port, with as many threads at it as it allows.
enum StateMeetings {
    private static let count = 60
    static let body = Data(repeating: 120, count: 5_000)

    static func withServer<Seen>(_ meet: (URL) -> Seen) throws -> Seen {
        let server = LoopbackServer(routes: Routes())
        server.add("/it") { _ in .data(body) }
        try server.start()
        defer { server.stop() }
        return meet(server.url("/it"))
    }

    // MARK: Before there are operations

    /// States 1 and 2: what came of the requests, on the thread that had them.
    static func fetch(_ url: URL) -> (first: [Data], second: [Data]) {
        let urls = [URL](repeating: url, count: count)
        let (first, second) = (Locked<[Data]>([]), Locked<[Data]>([]))
        SmallPort1Thread.NetworkThread.fetch(urls) { ending in
            first.withLock { $0.append(ending.body) }
        }
        let thread = SmallPort2Loop.NetworkThread(fetching: urls) { ending in
            second.withLock { $0.append(ending.body) }
        }
        _ = becomes {
            !thread.hasEnded && first.withLock { $0.count } == count
                && second.withLock { $0.count } == count
        }
        thread.stop()
        _ = becomes { thread.hasEnded }
        return (first.withLock { $0 }, second.withLock { $0 })
    }

    /// State 3: two threads hand over jobs; what the network thread has counted without a lock.
    static func handOver() -> Int {
        let thread = SmallPort3HandOver.NetworkThread()
        defer { thread.stop() }
        let counter = Counter()
        let threads = (0..<2).map { _ in
            RaceThread { for _ in 0..<count { thread.perform { counter.value += 1 } } }
        }
        for thread in threads { _ = thread.ends() }
        let result = Locked<Int?>(nil)
        thread.perform { result.withLock { $0 = counter.value } }
        _ = becomes { result.withLock { $0 } != nil }
        return result.withLock { $0 } ?? -1
    }

    private final class Counter: @unchecked Sendable {
        // @unchecked because the network thread alone touches it.
        var value = 0
    }

    // MARK: Operations

    /// What other threads do with operations that are in a queue.
    struct Company: OptionSet {
        let rawValue: Int
        static let starter = Company(rawValue: 1)
        static let canceller = Company(rawValue: 2)
    }

    static func state4(_ url: URL) -> [Data] {
        let thread = SmallPort4Operation.NetworkThread()
        defer { thread.stop() }
        return meet([]) { SmallPort4Operation.URLOperation(url, on: thread) }.map(\.body)
    }

    static func state5(_ url: URL) -> [Data] {
        let thread = SmallPort5States.NetworkThread()
        defer { thread.stop() }
        return meet([]) { SmallPort5States.URLOperation(url, on: thread) }.map(\.body)
    }

    static func state6(_ url: URL) -> [Data] {
        let thread = SmallPort6Lock.NetworkThread()
        defer { thread.stop() }
        return meet(.starter) { SmallPort6Lock.URLOperation(url, on: thread) }.map(\.body)
    }

    /// Nil for what was cancelled.
    static func state7(_ url: URL) -> [Data?] {
        let thread = SmallPort7Cancel.NetworkThread()
        defer { thread.stop() }
        let all = meet([.starter, .canceller]) { SmallPort7Cancel.URLOperation(url, on: thread) }
        return all.map { $0.error == nil ? $0.body : nil }
    }

    static func state8(_ url: URL) -> [Data?] {
        let thread = SmallPort8Completion.NetworkThread()
        defer { thread.stop() }
        let results = Locked<[Data?]>([])
        _ = meet([.starter, .canceller]) {
            let operation = SmallPort8Completion.URLOperation(url, on: thread) { result in
                results.withLock { $0.append(try? result.get()) }
            }
            operation.progress = { _ in }
            return operation
        }
        _ = becomes { results.withLock { $0.count } == count }
        return results.withLock { $0 }
    }

    /// State 6 without its lock, started by two threads at once.
    static func isStartedTwiceWithoutLock() throws -> Bool { try LockRace.isLost(.noLock) }

    /// The queue runs them, each second one after the one before; two threads ask for the state all the time,
    /// and others start and cancel.
    private static func meet<Made: Operation>(
        _ company: Company, _ make: () -> Made
    ) -> [Made] {
        let all = (0..<count).map { _ in make() }
        for second in stride(from: 1, to: count, by: 2) {
            all[second].addDependency(all[second - 1])
        }
        let (operations, isOver) = (all as [Operation], Locked(false))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        queue.addOperations(operations, waitUntilFinished: false)
        var threads = (0..<2).map { _ in
            RaceThread {
                while !isOver.withLock({ $0 }) {
                    for operation in operations {
                        _ = (operation.isReady, operation.isExecuting, operation.isFinished)
                    }
                }
            }
        }
        if company.contains(.starter) {
            threads.append(
                RaceThread {
                    for operation in operations where operation.isReady { operation.start() }
                })
        }
        if company.contains(.canceller) {
            threads.append(
                RaceThread {
                    for index in stride(from: 0, to: count, by: 3) { operations[index].cancel() }
                })
        }
        queue.waitUntilAllOperationsAreFinished()
        isOver.withLock { $0 = true }
        for thread in threads { _ = thread.ends() }
        return all
    }
}
