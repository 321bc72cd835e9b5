import Scheduling
import TestSupport

@testable import CurlConnection

@Suite("Calls of streams that may wait", .timeLimit(.minutes(5)))
struct StreamQueueTests {
    /// What a stream's first call is told.
    private func refusal(_ queue: StreamQueue) throws -> URLError? {
        let (answer, isCalled) = (Locked<URLError?>(nil), DispatchSemaphore(value: 0))
        queue.perform { refusal in
            answer.withLock { $0 = refusal }
            isCalled.signal()
        }
        try #require(isCalled.wait(timeout: .now() + 30) == .success)
        return answer.withLock { $0 }
    }

    @Test func `where the system has no thread the stream's error names it, and the next has one`()
        throws
    {
        let isShort = Locked(true)
        let streams = WorkerPool(
            .streams,
            startingBy: { body throws(ThreadUnavailable) in
                if isShort.withLock({ $0 }) { throw ThreadUnavailable(EAGAIN) }
                try SystemThread.start(body)
            })
        let error = try refusal(StreamQueue(streams: streams) { true })
        #expect(error?.code == .resourceUnavailable)
        #expect(error?.localizedDescription.contains("RLIMIT_NPROC") == true)
        isShort.withLock { $0 = false }
        let next = try refusal(StreamQueue(streams: streams) { true })
        #expect(next == nil)
    }

    @Test func `a stream more than may have threads is refused, until one of them is gone`() throws
    {
        let streams = WorkerPool(.streams)
        var lines = (0..<WorkerRule.streams.limit).map { _ in
            StreamQueue(streams: streams) { true }
        }
        for queue in lines {
            let error = try refusal(queue)
            #expect(error == nil)
        }
        let error = try refusal(StreamQueue(streams: streams) { true })
        #expect(error?.code == .cannotOpenFile)
        #expect(error?.localizedDescription.contains("64 streams") == true)
        lines.removeLast()
        // Its thread gives its slot back once it has let go of the last call.
        let end = Date() + 20
        while streams.working == WorkerRule.streams.limit, Date() < end { sched_yield() }
        let next = try refusal(StreamQueue(streams: streams) { true })
        #expect(next == nil)
    }
}
