import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Suspended data requests", .timeLimit(.minutes(1)))
struct SuspendedBodyTests {
    /// Foundation on Linux asks a second time, and its first half is not part of the second response.
    @Test func `a body is whole and no byte stands twice`() async throws {
        let world = TestWorld.requests()
        world.server.add("/half") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "200000")])),
                .generated(seed: 2, range: 0..<100_000), .wait(gate: "half"),
                .generated(seed: 2, range: 100_000..<200_000),
            ])
        }
        world.server.hold("half")
        let come = Signal()
        world.manager.startRequestsImmediately = false
        let request = world.get("/half").downloadProgress { progress in
            if progress.completedUnitCount >= 100_000 { come.fire() }
        }
        request.resume()
        await come.wait(for: 1, "the first half")
        request.suspend()
        world.server.release("half")
        request.resume()
        let data = await request.data()
        #expect(data.error == nil)
        #expect(data.value == GeneratedBytes.bytes(seed: 2, range: 0..<200_000))
    }
}
