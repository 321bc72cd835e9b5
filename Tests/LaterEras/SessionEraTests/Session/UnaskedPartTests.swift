import SessionEra
import TestSupport

@Suite("Parts that nobody asked for, sessions", .timeLimit(.minutes(2)))
struct UnaskedPartTests {
    private let world = TestWorld.sessions()

    init() {
        world.server.add("/part") { _ in
            .data(Data("hello".utf8), status: 206, headers: [("Content-Range", "bytes 0-4/11")])
        }
    }

    @Test func `a part is no success of a data task without a Range`() async {
        let outcome = await world.data("/part")
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
        var asking = world.request("/part")
        asking.setValue("bytes=0-4", forHTTPHeaderField: "Range")
        #expect(await world.data(asking).text == "hello")
    }

    @Test func `nor of an upload`() async {
        let outcome = await world.outcome {
            self.world.manager.uploadTask(
                with: self.world.request("/part", "POST"), from: Data(count: 3),
                completionHandler: $0)
        }
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
    }

    @Test func `nor of a download, which makes no file`() async {
        let place = TestWorld.freshPlace()
        let outcome = await world.download("/part", to: place)
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
