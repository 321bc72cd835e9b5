import CurlConnection
import OperationNetworking
import SessionEra
import TestSupport

@Suite("Tasks with file: and data: addresses", .timeLimit(.minutes(1)))
struct LocalAddressTests {
    private func allow(_ bench: Bench) {
        var connection = URLConnectionConfiguration()
        connection.loadsLocalAddresses = true
        bench.manager.connectionConfiguration = connection
    }

    private func request(_ text: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test func `a task has the bytes where the manager allows it, and -1002 where not`()
        async throws
    {
        let bench = try Bench()
        let file = Bench.freshPlace()
        try Data("local".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let texts = [file.absoluteString, "data:,local"]
        for text in texts { #expect(await bench.data(try request(text)).code == -1002) }
        allow(bench)
        for text in texts {
            let outcome = await bench.data(try request(text))
            #expect(outcome.text == "local" && outcome.error == nil, "\(text)")
            #expect(outcome.response == nil, "It is no HTTP response.")
        }
        let missing = await bench.data(try request(file.absoluteString + ".none"))
        #expect(missing.code == -1100)
    }

    @Test func `a download has it as a file, and a redirect leads to none`() async throws {
        let bench = try Bench()
        allow(bench)
        let place = Bench.freshPlace()
        defer { try? FileManager.default.removeItem(at: place) }
        let request = try request("data:;base64,bG9jYWw=")
        let outcome = await bench.download { handler in
            bench.manager.downloadTask(
                with: request, destination: { _, _ in place }, completionHandler: handler)
        }
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == Data("local".utf8))
        bench.server.add("/away") { _ in .redirect(to: "data:,local") }
        let away = await bench.data("/away")
        #expect(away.code == -1002 && away.data?.isEmpty != false)
    }
}
