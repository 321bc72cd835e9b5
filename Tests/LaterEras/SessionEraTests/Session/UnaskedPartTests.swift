import SessionEra
import TestSupport

@Suite("Parts that nobody asked for, sessions", .timeLimit(.minutes(2)))
struct UnaskedPartTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
        bench.server.add("/part") { _ in
            .data(Data("hello".utf8), status: 206, headers: [("Content-Range", "bytes 0-4/11")])
        }
    }

    @Test func `a part is no success of a data task without a Range`() async {
        let outcome = await bench.data("/part")
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
        var asking = bench.request("/part")
        asking.setValue("bytes=0-4", forHTTPHeaderField: "Range")
        #expect(await bench.data(asking).text == "hello")
    }

    @Test func `nor of an upload`() async {
        let outcome = await bench.outcome {
            self.bench.manager.uploadTask(
                with: self.bench.request("/part", method: "POST"), from: Data(count: 3),
                completionHandler: $0)
        }
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
    }

    @Test func `nor of a download, which makes no file`() async {
        let place = Bench.freshPlace()
        let outcome = await bench.download("/part", to: place)
        #expect((outcome.error as? URLError)?.code == .badServerResponse)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }
}
