import TestSupport

@testable import CurlConnection

/// Each in a process of its own: the number of such threads is the process's.
@Suite("Threads of streams that may wait", .timeLimit(.minutes(5)))
struct StreamThreadTests {
    @Test func `where the system has no thread the stream's error names it, and the next has one`()
        async
    {
        await #expect(processExitsWith: .success) {
            for _ in 0..<(2 * StreamThread.limit) {
                let error = try #require(throws: URLError.self) {
                    _ = try StreamThread(startingBy: { _ throws(ThreadUnavailable) in
                        throw ThreadUnavailable(EAGAIN)
                    })
                }
                try #require(error.code == .resourceUnavailable)
                try #require(error.localizedDescription.contains("RLIMIT_NPROC"))
            }
            // None of them took a place
            let isDone = DispatchSemaphore(value: 0)
            let threads = try (0..<StreamThread.limit).map { _ in try StreamThread() }
            for thread in threads { thread.perform { isDone.signal() } }
            for _ in threads {
                try #require(isDone.wait(timeout: .now() + 30) == .success)
            }
        }
    }

    @Test func `calls that nobody waits for any more keep no other stream from a thread`() async {
        await #expect(processExitsWith: .success) {
            let gate = DispatchSemaphore(value: 0)
            var threads = try (0..<StreamThread.limit).map { _ in try StreamThread() }
            for thread in threads { thread.perform { gate.wait() } }
            // While somebody waits for them
            _ = try #require(throws: URLError.self) { _ = try StreamThread() }
            threads.forEach { $0.leave() }
            // Released, they are still inside
            threads = try (0..<StreamThread.limit).map { _ in try StreamThread() }
            _ = try #require(throws: URLError.self) { _ = try StreamThread() }
            // And those that may be left are bounded
            var count = StreamThread.limit
            while count <= StreamThread.limit + StreamThread.leftLimit {
                for thread in threads {
                    thread.perform { gate.wait() }
                    thread.leave()
                }
                count += threads.count
                threads = (0..<StreamThread.limit).compactMap { _ in try? StreamThread() }
                if threads.isEmpty { break }
            }
            try #require(count <= StreamThread.limit + StreamThread.leftLimit)
        }
    }
}
