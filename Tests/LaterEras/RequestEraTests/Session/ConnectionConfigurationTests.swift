import CurlConnection
import TestSupport

@testable import RequestEra

@Suite("What a manager's connections are set up with", .timeLimit(.minutes(1)))
struct ConnectionConfigurationTests {
    private let room: EraRoom

    init() throws {
        room = try EraRoom(routes: .standard)
        room.server.add("/old") { _ in .redirect(to: "/form", status: 301) }
        room.server.add("/form") {
            .text($0.method + " " + String(decoding: $0.body, as: UTF8.self))
        }
    }

    private func send() async -> String? {
        await room.manager.request(room.url("/old"), method: .post, parameters: ["a": 1])
            .string().value
    }

    @Test func `a switch of the transport counts for requests that begin later`() async {
        #expect(room.manager.connectionConfiguration == nil)
        #expect(await send() == "GET ")
        var connection = URLConnectionConfiguration()
        connection.keepsMethodAfterRedirect = true
        room.manager.connectionConfiguration = connection
        #expect(await send() == "POST a=1")
        room.manager.connectionConfiguration = nil
        #expect(await send() == "GET ")
    }

    @Test func `a host has the address that is given for it`() async {
        room.server.add("/here") { _ in .text("here") }
        var connection = URLConnectionConfiguration()
        connection.hostAddresses = ["shop.test": ["127.0.0.1"]]
        room.manager.connectionConfiguration = connection
        let url = "http://shop.test:\(room.server.port)/here"
        #expect(await room.manager.request(url).string().value == "here")
    }
}
