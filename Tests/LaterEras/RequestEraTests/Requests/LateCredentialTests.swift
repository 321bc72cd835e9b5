import HTTPSemantics
import SessionTasks
import TestSupport

@testable import RequestEra

/// A server that is near asks before the caller of a request has called `authenticate`.
@Suite("Credentials that come after the challenge: AL-31", .timeLimit(.minutes(1)))
struct LateCredentialTests {
    private let clock = TurnableClock()

    private func world() throws -> TestWorld {
        let world = TestWorld.requests()
        world.manager.clock = clock.clock
        world.server.add("/login") {
            $0.headers["Authorization"] == nil
                ? .text("no", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
                : .text("in")
        }
        return world
    }

    /// A request that has been asked, and has no credential.
    private func asked(_ world: TestWorld) async -> DataRequest {
        let request = world.get("/login")
        while request.state.withLock({ $0.challenges.isEmpty }) { await Task.yield() }
        return request
    }

    @Test func `one that comes late answers the challenge`() async throws {
        let world = try world()
        let request = await asked(world).authenticate(user: "u", password: "p")
        #expect(await request.ended().response?.statusCode == 200)
        withExtendedLifetime(world) {}
    }

    @Test func `with a handler and without one the 401 is the answer, at once`() async throws {
        let world = try world()
        let request = await asked(world)
        #expect(await request.ended().response?.statusCode == 401)
        withExtendedLifetime(world) {}
    }

    @Test func `without a handler it is the answer a quarter of a second later`() async throws {
        let (world, posted) = (try world(), Signal())
        let observer = NotificationCenter.default.addObserver(
            forName: Notification.Name.Task.DidComplete, object: world.delegate, queue: nil
        ) { _ in posted.fire() }
        defer { NotificationCenter.default.removeObserver(observer) }
        let request = await asked(world)
        let isAwaited = await onNewThread { [clock] in clock.waits(for: 0.25) }
        #expect(isAwaited)
        clock.turn(by: 0.25)
        await posted.wait()
        #expect(request.response?.statusCode == 401)
    }

    @Test func `a cancel ends the wait`() async throws {
        let world = try world()
        let request = await asked(world)
        request.cancel()
        #expect(request.state.withLock { $0.challenges.isEmpty })
        let response = await request.ended()
        #expect(response.error?.code == URLError.Code.cancelled.rawValue)
        withExtendedLifetime(world) {}
    }
}
