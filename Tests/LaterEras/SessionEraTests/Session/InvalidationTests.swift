import SessionEra
import TestSupport

@Suite("Tasks that wait when their session is invalidated", .timeLimit(.minutes(2)))
struct InvalidationTests {
    @Test
    func `no task that waits for a connection is sent while all are cancelled, and each ends once`()
        async throws
    {
        for _ in 0..<30 {
            let bench = try Bench { $0.httpMaximumConnectionsPerHost = 1 }
            bench.server.hold("door")
            let codes = Log<Int>()
            for _ in 0..<12 {
                bench.manager.dataTask(with: bench.request("/gate/door")) { _, _, error in
                    codes.add((error as? URLError)?.errorCode ?? 0)
                }.resume()
            }
            #expect(await bench.server.reaches("door"))
            bench.manager.invalidateSessionCancelingTasks(true, resetSession: false)
            #expect(await codes.reaches(12))
            #expect(codes.all == Array(repeating: -999, count: 12))
            #expect(bench.server.statistics.requests == 1)
        }
    }
}
