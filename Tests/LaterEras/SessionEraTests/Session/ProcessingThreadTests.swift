import OperationNetworking
import SessionEra
import TestSupport

/// In processes of their own, whose threads are counted.
@Suite("Threads beside slow serializers", .timeLimit(.minutes(5)))
struct ProcessingThreadTests {
    /// Takes its time, and tells of the threads that there are meanwhile.
    private final class Slow: HTTPResponseSerializer, @unchecked Sendable {
        // @unchecked because the log guards itself.
        let most = Log<Int>()

        override func responseObject(
            for response: URLResponse?, data: Data?
        ) -> SerializedResponse {
            usleep(20_000)
            most.add(ProcessingThreadTests.threads)
            return SerializedResponse(object: nil, error: nil)
        }
    }

    private static var threads: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? .max
    }

    /// The most threads of so many ended loads.
    private static func most(
        _ count: Int, _ start: (Slow, @escaping @Sendable () -> Void) -> Void
    ) async -> Int {
        let (slow, ended) = (Slow(), Signal())
        for _ in 0..<count { start(slow) { ended.fire() } }
        await ended.wait(for: count, "all of them")
        return slow.most.all.max() ?? .max
    }

    @Test func `300 ended tasks take few`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.started()
            let manager = URLSessionManager(sessionConfiguration: .ephemeral)
            manager.completionQueue = DispatchQueue(label: "completion")
            let request = URLRequest(url: server.url("/ok"))
            let start = { (slow: Slow, end: @escaping @Sendable () -> Void) in
                manager.responseSerializer = slow
                manager.dataTask(with: request) { _, _, _ in end() }.resume()
            }
            let before = await ProcessingThreadTests.most(4, start)
            #expect(await ProcessingThreadTests.most(300, start) <= before + 16)
        }
    }

    @Test func `300 ended operations take few`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.started()
            let request = URLRequest(url: server.url("/ok"))
            let start = { (slow: Slow, end: @escaping @Sendable () -> Void) in
                let operation = HTTPRequestOperation(request: request)
                operation.responseSerializer = slow
                operation.completionQueue = DispatchQueue(label: "completion")
                operation.setCompletionBlock(
                    success: { _, _ in end() }, failure: { _, _ in end() })
                operation.start()
            }
            let before = await ProcessingThreadTests.most(4, start)
            #expect(await ProcessingThreadTests.most(300, start) <= before + 16)
        }
    }
}
