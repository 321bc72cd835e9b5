import SessionTasks
import TestSupport

@testable import RequestEra

/// `AuthenticationTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("AuthenticationTests", .timeLimit(.minutes(2)))
struct OriginalAuthenticationTests {
    private func answer(
        _ path: String, password: String
    ) async throws -> DefaultDataResponse {
        let world = TestWorld.requests()
        return await world.get(path).authenticate(user: "user", password: password).ended()
    }

    @Test func `HiddenHTTPBasicAuthentication`() async throws {
        let world = TestWorld.requests()
        let header = try #require(Request.authorizationHeader(user: "user", password: "password"))
        let response = await world.get(
            "/hidden-basic-auth/user/password", headers: [header.key: header.value]
        ).ended()
        #expect(response.response?.statusCode == 200 && response.error == nil)
    }

    @Test func `HTTPDigestAuthenticationWithInvalidCredentials`() async throws {
        let response = try await answer("/digest-auth/auth/user/password", password: "wrong")
        #expect(response.response?.statusCode == 401 && response.error == nil)
    }

    @Test func `HTTPDigestAuthenticationWithValidCredentials`() async throws {
        let response = try await answer("/digest-auth/auth/user/password", password: "password")
        #expect(response.response?.statusCode == 200 && response.error == nil)
    }

    @Test(arguments: ["basic-auth", "digest-auth/auth"])
    func `a login costs two requests`(path: String) async throws {
        let world = TestWorld.requests()
        let request = world.get("/\(path)/user/password")
        let response = await request.authenticate(user: "user", password: "password").ended()
        #expect(response.response?.statusCode == 200 && response.error == nil)
        #expect(world.server.requests.count == 2)
    }
}
