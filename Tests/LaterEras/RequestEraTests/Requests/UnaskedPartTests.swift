import RequestEra
import TestSupport

@Suite("Parts that nobody asked for, requests", .timeLimit(.minutes(2)))
struct UnaskedPartTests {
    private func room() throws -> EraRoom {
        let room = try EraRoom()
        room.server.add("/part") { _ in
            .data(Data("hello".utf8), status: 206, headers: [("Content-Range", "bytes 0-4/11")])
        }
        return room
    }

    @Test func `a part is no success of a request without a Range`() async throws {
        let room = try room()
        let response = await room.request("/part").data()
        #expect((response.error as? URLError)?.code == .badServerResponse)
        let upload = room.manager.upload(Data(count: 11), to: room.url("/part"))
        #expect((await upload.ended().error as? URLError)?.code == .badServerResponse)
        let asked = room.request("/part", headers: ["Range": "bytes=0-4"])
        #expect(await asked.string().value == "hello")
    }

    @Test func `nor of a download, which makes no file`() async throws {
        let room = try room()
        let scratch = try Scratch()
        let place = scratch.file("f")
        let request = room.manager.download(room.url("/part")) { _, _ in (place, []) }
        #expect((await request.ended().error as? URLError)?.code == .badServerResponse)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
