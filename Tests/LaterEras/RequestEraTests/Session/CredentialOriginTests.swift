import CurlConnection
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("Whom a request's credential answers: AL-31", .timeLimit(.minutes(1)))
struct CredentialOriginTests {
    private static let basic = "Basic " + Data("u:p".utf8).base64EncodedString()

    private func world() throws -> TestWorld {
        let world = TestWorld.requests()
        world.server.add("/login") { request in
            request.headers["Authorization"] == Self.basic
                ? .text("in")
                : .text("no", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        return world
    }

    @Test func `its own origin gets it, and no other that a redirect leads to`() async throws {
        let world = try world()
        let port = world.server.port
        let own = await world.get("/login").authenticate(user: "u", password: "p").ended()
        #expect(own.response?.statusCode == 200)
        for host in ["127.0.0.1", "localhost"] {
            world.server.add("/to/\(host)") { _ in .redirect(to: "http://\(host):\(port)/login") }
            let response = await world.get("/to/\(host)")
                .authenticate(user: "u", password: "p").ended()
            #expect(response.response?.statusCode == (host == "localhost" ? 401 : 200), "\(host)")
        }
        let reported = world.server.requests.filter { $0.headers["Authorization"] != nil }
            .map { $0.headers["Host"] }
        #expect(Set(reported) == ["127.0.0.1:\(port)"])
    }

    @Test func `a proxy on the way does not get it, and a closure about challenges may answer one`()
        async throws
    {
        let world = try world()
        world.server.add("/far") { request in
            request.headers["Proxy-Authorization"] == Self.basic
                ? .text("in")
                : .text("no", status: 407, headers: [("Proxy-Authenticate", "Basic realm=\"r\"")])
        }
        var configuration = URLConnectionConfiguration()
        configuration.proxy = .fixed(
            try Proxy(.http, host: "127.0.0.1", port: Int(world.server.port)))
        world.manager.connectionConfiguration = configuration
        func status() async -> Int? {
            await world.manager.request("http://far.invalid/far")
                .authenticate(user: "u", password: "p").ended().response?.statusCode
        }
        #expect(await status() == 407)
        #expect(world.server.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
        world.delegate.taskDidReceiveChallenge = { _, _, challenge in
            (
                challenge.protectionSpace.isProxy() ? .useCredential : .performDefaultHandling,
                URLCredential(user: "u", password: "p", persistence: .none)
            )
        }
        #expect(await status() == 200)
    }
}
