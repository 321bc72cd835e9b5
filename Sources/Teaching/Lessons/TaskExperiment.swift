import Foundation
import Locking
import LoopbackServer
import SmallPort8Completion

/// Lesson 17: tasks that await, and tasks that block.
enum TaskExperiment {
    /// More than this machine has threads for tasks.
    private static let count = 4 * ProcessInfo.processInfo.activeProcessorCount + 16

    static func run() throws -> ExperimentResult {
        let (awaiting, blocking) = (try look(blocks: false), try look(blocks: true))
        return ExperimentResult(
            variants: ["correct", "tasksBlock"],
            facts: [
                .init(
                    Words("tasks, of which each makes a request", "各发一个请求的任务数"), [count, count],
                    varies: true),
                .init(
                    Words("requests the server had while it held all", "服务器扣住全部响应时收到的请求数"),
                    [awaiting, blocking], varies: true),
                .init(
                    Words("all tasks made their request", "所有任务都发出了请求"),
                    [awaiting == count, blocking == count]),
            ],
            answer: blocking == count ? 1 : 2)
    }

    private static func look(blocks: Bool) throws -> Int {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(of: blocks ? "tasksBlock" : "correct") { server in
            let (url, open) = (server.url("/held"), Locked(count))
            for _ in 0..<count {
                Task.detached {
                    if blocks { block(url, thread) } else { await wait(url, thread) }
                    open.withLock { $0 -= 1 }
                }
            }
            _ = server.receives(count, within: Patience.forWhat(happens: !blocks))
            let requests = server.requests.count
            server.release("held")
            _ = Patience.until { open.withLock { $0 } == 0 }
            return requests
        }
    }

    /// Suspends the task until the request has ended, which releases the thread.
    private static func wait(_ url: URL, _ thread: NetworkThread) async {
        await withCheckedContinuation { continuation in
            URLOperation(url, on: thread) { _ in continuation.resume() }.start()
        }
    }

    /// Blocks the thread, which all tasks share.
    private static func block(_ url: URL, _ thread: NetworkThread) {
        let end = Moment()
        URLOperation(url, on: thread) { _ in end.signal() }.start()
        _ = end.wait(within: 4 * Patience.long)
    }
}
