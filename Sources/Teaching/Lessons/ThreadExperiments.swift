import EventRecorder
import Foundation
import Locking
import LoopbackServer
import SmallPort1Thread

/// Lessons 1 and 2: what a thread does while it waits, and how many threads are needed.
enum ThreadExperiments {
    private static let count = 16

    /// Makes two requests, while the server delays the first response.
    static func inTurn() throws -> ExperimentResult {
        let (correct, mistaken) = (try twoRequests(nil), try twoRequests(.inTurn))
        return ExperimentResult(
            variants: ["correct", Mistake.inTurn.rawValue],
            facts: [
                .init(
                    Words(
                        "requests the server had while it held the first",
                        "服务器扣住第一个请求时，已收到的请求数"),
                    [correct.early, mistaken.early]),
                .init(
                    Words("requests that ended well after that", "放行之后成功结束的请求数"),
                    [correct.ended, mistaken.ended]),
            ],
            answer: mistaken.early == 2 ? 2 : mistaken.ended == 2 ? 1 : 3)
    }

    private static func twoRequests(_ mistake: Mistake?) throws -> (early: Int, ended: Int) {
        try withServer(mistake) { server in
            let ended = Locked(0)
            NetworkThread.fetch(
                [server.url("/held"), server.url("/pieces")], mistake: mistake
            ) { ending in
                EventRecorder.nameThread("network thread")
                Picture.block("ended") {
                    if ending.error == nil { ended.withLock { $0 += 1 } }
                }
            }
            guard server.reaches("held") else { return (0, 0) }
            _ = server.receives(2, within: Patience.forWhat(happens: mistake == nil))
            let early = server.requests.count
            server.release("held")
            // The second response is delayed as well, so that it can be seen beside the first.
            if mistake != nil, server.reaches("second") { usleep(100_000) }
            server.release("second")
            _ = Patience.until { ended.withLock { $0 } == 2 }
            return (early, ended.withLock { $0 })
        }
    }

    /// Makes many requests, which all wait at the same time.
    static func threads() throws -> ExperimentResult {
        let (one, many) = (try threads(nil), try threads(.threadEach))
        return ExperimentResult(
            variants: ["correct", Mistake.threadEach.rawValue],
            facts: [
                .init(
                    Words("requests that waited at the same time", "同时等待的请求数"),
                    [count, count]),
                .init(Words("threads that had them", "承载它们的线程数"), [one, many]),
            ],
            answer: one == count ? 1 : one == 1 ? 3 : 2)
    }

    private static func threads(_ mistake: Mistake?) throws -> Int {
        try withServer(mistake) { server in
            let (threads, ends) = (Locked<[UInt]>([]), Locked(0))
            let urls = (0..<count).map { _ in server.url("/held") }
            NetworkThread.fetch(urls, mistake: mistake) { ending in
                let number = ends.withLock { ends in
                    ends += 1
                    return ends
                }
                // Threads of one name would share a track.
                EventRecorder.nameThread(
                    mistake == nil ? "network thread" : "thread \(number)")
                Picture.block("ended") {
                    threads.withLock { $0.append(ending.thread) }
                }
            }
            // All wait, so no thread has ended, and no identifier was reused.
            guard server.reaches("held", count: count) else { return 0 }
            server.release("held")
            _ = Patience.until { threads.withLock { $0.count } == count }
            return Set(threads.withLock { $0 }).count
        }
    }
}
