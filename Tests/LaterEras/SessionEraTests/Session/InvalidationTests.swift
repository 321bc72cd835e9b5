import SessionEra
import TestSupport

@Suite("Tasks that wait when their session is invalidated", .timeLimit(.minutes(2)))
struct InvalidationTests {
    @Test
    func `no task that waits for a connection is sent while all are cancelled, and each ends once`()
        async throws
    {
        for _ in 0..<30 {
            let world = TestWorld.sessions { $0.httpMaximumConnectionsPerHost = 1 }
            world.server.hold("door")
            let codes = Log<Int>()
            for _ in 0..<12 {
                world.manager.dataTask(with: world.request("/gate/door")) { _, _, error in
                    codes.add((error as? URLError)?.errorCode ?? 0)
                }.resume()
            }
            #expect(await world.server.reaches("door"))
            world.manager.invalidateSessionCancelingTasks(true, resetSession: false)
            #expect(await codes.reaches(12))
            #expect(codes.all == Array(repeating: -999, count: 12))
            #expect(world.server.statistics.requests == 1)
        }
    }
}
