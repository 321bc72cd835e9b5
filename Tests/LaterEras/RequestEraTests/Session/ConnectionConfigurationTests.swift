import CurlConnection
import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("What a manager's connections are set up with", .timeLimit(.minutes(1)))
struct ConnectionConfigurationTests {
    private let world: TestWorld

    init() throws {
        world = TestWorld.requests(routes: .standard)
        world.server.add("/old") { _ in .redirect(to: "/form", status: 301) }
        world.server.add("/form") {
            .text($0.method + " " + String(decoding: $0.body, as: UTF8.self))
        }
    }

    private func send() async -> String? {
        await world.manager.request(world.address("/old"), method: .post, parameters: ["a": 1])
            .string().value
    }

    @Test func `a switch of the transport counts for requests that begin later`() async {
        #expect(world.manager.connectionConfiguration == nil)
        #expect(await send() == "GET ")
        var connection = URLConnectionConfiguration()
        connection.keepsMethodAfterRedirect = true
        world.manager.connectionConfiguration = connection
        #expect(await send() == "POST a=1")
        world.manager.connectionConfiguration = nil
        #expect(await send() == "GET ")
    }

    @Test func `a host has the address that is given for it`() async {
        world.server.add("/here") { _ in .text("here") }
        var connection = URLConnectionConfiguration()
        connection.hostAddresses = ["shop.test": ["127.0.0.1"]]
        world.manager.connectionConfiguration = connection
        let url = "http://shop.test:\(world.server.port)/here"
        #expect(await world.manager.request(url).string().value == "here")
    }
}
