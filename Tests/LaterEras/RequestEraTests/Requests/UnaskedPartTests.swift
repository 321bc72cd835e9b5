import RequestEra
import SessionTasks
import TestSupport

@Suite("Parts that nobody asked for, requests", .timeLimit(.minutes(2)))
struct UnaskedPartTests {
    private func world() throws -> TestWorld {
        let world = TestWorld.requests()
        world.server.add("/part") { _ in
            .data(Data("hello".utf8), status: 206, headers: [("Content-Range", "bytes 0-4/11")])
        }
        return world
    }

    @Test func `a part is no success of a request without a Range`() async throws {
        let world = try world()
        let response = await world.get("/part").data()
        #expect((response.error as? URLError)?.code == .badServerResponse)
        let upload = world.manager.upload(Data(count: 11), to: world.address("/part"))
        #expect((await upload.ended().error as? URLError)?.code == .badServerResponse)
        let asked = world.get("/part", headers: ["Range": "bytes=0-4"])
        #expect(await asked.string().value == "hello")
    }

    @Test func `nor of a download, which makes no file`() async throws {
        let world = try world()
        let scratch = TemporaryFolder()
        let place = scratch.file("f")
        let request = world.manager.download(world.address("/part")) { _, _ in (place, []) }
        #expect((await request.ended().error as? URLError)?.code == .badServerResponse)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
