import OperationNetworking
import SessionEra
import TestSupport

@Suite("Limits of two sessions for one host", .timeLimit(.minutes(2)))
struct LimitsOfSessionsTests {
    @Test func `a session's load does not wait behind those of a session with a lower limit`()
        async throws
    {
        let narrow = TestWorld.sessions { $0.httpMaximumConnectionsPerHost = 1 }
        let wide = URLSessionManager(sessionConfiguration: .ephemeral)
        defer { wide.invalidateSessionCancelingTasks(true, resetSession: false) }
        wide.responseSerializer = HTTPResponseSerializer()
        narrow.server.hold("door")
        let ends = Log<String>()
        for name in ["first", "second"] {
            narrow.manager.dataTask(with: narrow.request("/gate/door")) { _, _, _ in
                ends.add(name)
            }.resume()
        }
        #expect(await narrow.server.reaches("door"))

        wide.dataTask(with: narrow.request("/get")) { _, _, error in
            ends.add(error == nil ? "wide" : "\(error as Any)")
        }.resume()
        #expect(await ends.reaches(1))
        #expect(ends.all == ["wide"])

        narrow.server.release("door")
        #expect(await ends.reaches(3))
    }
}
