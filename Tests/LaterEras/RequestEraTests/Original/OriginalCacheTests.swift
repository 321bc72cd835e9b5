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
    private func room() async throws -> EraRoom {
        let room = try EraRoom {
            $0.urlCache = URLCache(
                memoryCapacity: 50 << 20, diskCapacity: 50 << 20, diskPath: nil)
            $0.httpAdditionalHeaders = SessionManager.defaultHTTPHeaders
        }
        room.server.add("/control") { request in
            .text("x", headers: [("Cache-Control", request.query["value"] ?? "")])
        }
        for control in Self.controls {
            #expect(await answer(room, control, .useProtocolCachePolicy).error == nil)
        }
        #expect(room.server.requests.count == Self.controls.count)
        room.server.resetLog()
        return room
    }

    private func answer(
        _ room: EraRoom, _ control: String, _ policy: URLRequest.CachePolicy
    ) async -> DefaultDataResponse {
        var components = URLComponents(string: room.url("/control")) ?? URLComponents()
        components.queryItems = [URLQueryItem(name: "value", value: control)]
        guard let url = components.url else { return await room.request("/none").ended() }
        return await room.manager.request(
            URLRequest(url: url, cachePolicy: policy, timeoutInterval: 30)
        ).ended()
    }

    /// Which values are answered without the server.
    private func cached(
        _ room: EraRoom, _ policy: URLRequest.CachePolicy
    ) async -> Set<String> {
        var cached: Set<String> = []
        for control in Self.controls {
            let before = room.server.requests.count
            let response = await answer(room, control, policy)
            if response.error == nil, room.server.requests.count == before {
                cached.insert(control)
            }
        }
        return cached
    }

    private static let stored = Set(controls).subtracting(["no-store"])

    @Test func `URLCacheContainsCachedResponsesForAllRequests`() async throws {
        let room = try await room()
        #expect(await cached(room, .returnCacheDataDontLoad) == Self.stored)
    }

    @Test func `DefaultCachePolicy`() async throws {
        let room = try await room()
        #expect(await cached(room, .useProtocolCachePolicy) == ["max-age=3600"])
    }

    @Test func `IgnoreLocalCacheDataPolicy`() async throws {
        let room = try await room()
        #expect(await cached(room, .reloadIgnoringLocalCacheData) == [])
    }

    @Test func `UseLocalCacheDataIfExistsOtherwiseLoadFromNetworkPolicy`() async throws {
        let room = try await room()
        #expect(await cached(room, .returnCacheDataElseLoad) == Self.stored)
        #expect(room.server.requests.map { $0.query["value"] } == ["no-store"])
    }

    @Test func `UseLocalCacheDataAndDontLoadFromNetworkPolicy`() async throws {
        let room = try await room()
        for control in Self.controls {
            let response = await answer(room, control, .returnCacheDataDontLoad)
            let isStored = control != "no-store"
            #expect((response.response?.statusCode == 200) == isStored, "\(control)")
            #expect((response.error == nil) == isStored, "\(control)")
        }
        #expect(room.server.requests.isEmpty)
    }
}
