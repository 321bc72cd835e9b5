import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Tasks with file: and data: addresses", .timeLimit(.minutes(1)))
struct LocalAddressTests {
    private func allow(_ world: TestWorld) {
        var connection = URLConnectionConfiguration()
        connection.loadsLocalAddresses = true
        world.manager.connectionConfiguration = connection
    }

    private func request(_ text: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test func `a task has the bytes where the manager allows it, and -1002 where not`()
        async throws
    {
        let world = TestWorld.sessions()
        let file = TestWorld.freshPlace()
        try Data("local".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let texts = [file.absoluteString, "data:,local"]
        for text in texts { #expect(await world.data(try request(text)).code == -1002) }
        allow(world)
        for text in texts {
            let outcome = await world.data(try request(text))
            #expect(outcome.text == "local" && outcome.error == nil, "\(text)")
            #expect(outcome.response == nil, "It is no HTTP response.")
        }
        let missing = await world.data(try request(file.absoluteString + ".none"))
        #expect(missing.code == -1100)
    }

    @Test func `a download has it as a file, and a redirect leads to none`() async throws {
        let world = TestWorld.sessions()
        allow(world)
        let place = world.file("place")
        let request = try request("data:;base64,bG9jYWw=")
        let outcome = await world.download { handler in
            world.manager.downloadTask(
                with: request, destination: { _, _ in place }, completionHandler: handler)
        }
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == Data("local".utf8))
        world.server.add("/away") { _ in .redirect(to: "data:,local") }
        let away = await world.data("/away")
        #expect(away.code == -1002 && away.data?.isEmpty != false)
    }
}
