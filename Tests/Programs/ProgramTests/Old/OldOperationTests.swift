import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: operations", .timeLimit(.minutes(5)))
struct OldOperationTests {

    @Test
    func `credentials work as a header, as a credential and from a block`() async throws {
        let world = TestWorld(programs: .standard)
        #expect(await answer { authorizedByHeader(world.address("/basic"), $0) })
        #expect(world.server.requests.count == 1)
        #expect(await answer { authorizedByCredential(world.server.url("/basic"), $0) })
        #expect(await answer { authorizedByBlock(world.server.url("/basic"), $0) })
        #expect(world.server.requests.count == 5)
    }

    @Test
    func `a dependent request leaves after the one it waits for`() async throws {
        let world = TestWorld(programs: .standard)
        await done { chain(world.server.url("/ok?1"), world.server.url("/ok?2"), $0) }
        #expect(world.server.requests.map(\.target) == ["/ok?1", "/ok?2"])
    }

    @Test
    func `a redirect is followed or refused by a block`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/from") { _ in .redirect(to: "/ok") }
        let from = world.server.url("/from")
        let (end, status): (URL?, Int) = await answer { finish in
            finalURL(from, followsRedirects: true) { finish(($0, $1)) }
        }
        #expect(end?.path == "/ok")
        #expect(status == 200)
        let (stay, refused): (URL?, Int) = await answer { finish in
            finalURL(from, followsRedirects: false) { finish(($0, $1)) }
        }
        #expect(stay?.path == "/from")
        #expect(refused == 302)
    }

    @available(*, deprecated)
    @Test
    @MainActor
    func `a log hears of every operation's start and finish`() async throws {
        let world = TestWorld(programs: .standard)
        let logger = ActivityLogger()
        logger.start()
        let path = "/status/204"
        await done { finish in
            AFHTTPRequestOperationManager().get(
                world.address(path), parameters: nil, success: { _, _ in finish() },
                failure: { _, _ in finish() })
        }
        // The finish is posted on main before the block is called there, so both are in.
        await MainActor.run {}
        logger.stop()
        let lines = logger.lines.filter { $0.hasSuffix(path) }
        #expect(lines == ["start " + path, "finish 204 " + path])
    }

    @available(*, deprecated)
    @Test
    func `a block that is nil, and typed as of old, takes the one before away`() async throws {
        let world = TestWorld(programs: .standard)
        let operation = AFHTTPRequestOperation(request: URLRequest(url: world.server.url("/json")))
        operation.setDownloadProgressBlock { _, _, _ in Issue.record("progress was told") }
        operation.setRedirectResponseBlock { _, _, _ in
            Issue.record("a redirect was asked about")
            return nil
        }
        takeBlocksAway(operation)
        await done { finish in
            operation.completionBlock = { finish() }
            operation.start()
        }
        #expect(operation.response?.statusCode == 200)
    }
}
