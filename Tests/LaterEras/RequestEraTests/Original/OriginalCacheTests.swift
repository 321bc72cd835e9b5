import SessionTasks
import TestSupport

@testable import RequestEra

/// `CacheTests` of 4.9.1, each under the original's name without `test`. Whether an answer comes from
/// the cache is told by what the server saw, not by seconds.
@Suite("CacheTests", .timeLimit(.minutes(2)))
struct OriginalCacheTests {
    private static let controls = [
        "public", "private", "max-age=3600", "max-age=0", "no-cache", "no-store",
    ]

    /// A room whose cache has an answer for each value, but for what must not be stored.
    private func world() async throws -> TestWorld {
        let world = TestWorld.requests {
            $0.urlCache = URLCache(
                memoryCapacity: 50 << 20, diskCapacity: 50 << 20, diskPath: nil)
            $0.httpAdditionalHeaders = SessionManager.defaultHTTPHeaders
        }
        world.server.add("/control") { request in
            .text("x", headers: [("Cache-Control", request.query["value"] ?? "")])
        }
        for control in Self.controls {
            #expect(await answer(world, control, .useProtocolCachePolicy).error == nil)
        }
        #expect(world.server.requests.count == Self.controls.count)
        world.server.resetLog()
        return world
    }

    private func answer(
        _ world: TestWorld, _ control: String, _ policy: URLRequest.CachePolicy
    ) async -> DefaultDataResponse {
        var components = URLComponents(string: world.address("/control")) ?? URLComponents()
        components.queryItems = [URLQueryItem(name: "value", value: control)]
        guard let url = components.url else { return await world.get("/none").ended() }
        return await world.manager.request(
            URLRequest(url: url, cachePolicy: policy, timeoutInterval: 30)
        ).ended()
    }

    /// Which values are answered without the server.
    private func cached(
        _ world: TestWorld, _ policy: URLRequest.CachePolicy
    ) async -> Set<String> {
        var cached: Set<String> = []
        for control in Self.controls {
            let before = world.server.requests.count
            let response = await answer(world, control, policy)
            if response.error == nil, world.server.requests.count == before {
                cached.insert(control)
            }
        }
        return cached
    }

    private static let stored = Set(controls).subtracting(["no-store"])

    @Test func `URLCacheContainsCachedResponsesForAllRequests`() async throws {
        let world = try await world()
        #expect(await cached(world, .returnCacheDataDontLoad) == Self.stored)
    }

    @Test func `DefaultCachePolicy`() async throws {
        let world = try await world()
        #expect(await cached(world, .useProtocolCachePolicy) == ["max-age=3600"])
    }

    @Test func `IgnoreLocalCacheDataPolicy`() async throws {
        let world = try await world()
        #expect(await cached(world, .reloadIgnoringLocalCacheData) == [])
    }

    @Test func `UseLocalCacheDataIfExistsOtherwiseLoadFromNetworkPolicy`() async throws {
        let world = try await world()
        #expect(await cached(world, .returnCacheDataElseLoad) == Self.stored)
        #expect(world.server.requests.map { $0.query["value"] } == ["no-store"])
    }

    @Test func `UseLocalCacheDataAndDontLoadFromNetworkPolicy`() async throws {
        let world = try await world()
        for control in Self.controls {
            let response = await answer(world, control, .returnCacheDataDontLoad)
            let isStored = control != "no-store"
            #expect((response.response?.statusCode == 200) == isStored, "\(control)")
            #expect((response.error == nil) == isStored, "\(control)")
        }
        #expect(world.server.requests.isEmpty)
    }
}
