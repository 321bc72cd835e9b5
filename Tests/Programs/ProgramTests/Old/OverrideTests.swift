import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old calls end in the method that a subclass overrides", .timeLimit(.minutes(5)))
struct OverrideTests {
    /// Calls with old blocks through the base type; tells how often the override was asked, and what
    /// the server saw of it.
    private func marks(_ make: (URL) -> (HTTPRequestOperationManager, () -> Int)) async throws
        -> [String?]
    {
        let world = TestWorld(programs: .standard)
        let (manager, calls) = make(world.baseURL)
        let url = world.server.url("/json")
        await done { callByBlocks(manager, url, $0) }
        let byBlocks = calls()
        let silent = operationWithoutFailure(manager, url)
        let bySuccess = calls() - byBlocks
        await done { callByVerb(manager, $0) }
        let byVerb = calls() - byBlocks - bySuccess
        let seen = world.server.requests.map { $0.headers["X-Mark"] }
        return ["\(byBlocks) \(bySuccess) \(byVerb)"] + seen
            + [silent.request.value(forHTTPHeaderField: "X-Mark")]
    }

    private static let wanted = ["1 1 1", "mark", "mark", "mark"]

    @Test
    func `an override in the old spelling is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = OldSpelling(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override in the new spelling is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = NewSpelling(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override that wraps the blocks is asked once a call`() async throws {
        let marks = try await marks { base in
            let client = Wrapping(baseURL: base)
            return (client, { client.calls })
        }
        #expect(marks == Self.wanted)
    }

    @Test
    func `an override that leaves the failure out is asked once a call`() async throws {
        let world = TestWorld(programs: .standard)
        let client = WithoutFailure(baseURL: world.baseURL)
        await done { callByVerb(client, $0) }
        #expect(client.calls == 1)
        #expect(world.server.requests.map { $0.headers["X-Mark"] } == ["mark"])
    }

    @Test
    func `an override whose helper calls super comes to an end`() async throws {
        let world = TestWorld(programs: .standard)
        let client = WithHelper(baseURL: world.baseURL)
        await done { callByVerb(client, $0) }
        #expect(world.server.requests.map { $0.headers["X-Mark"] } == ["mark"])
    }
}
