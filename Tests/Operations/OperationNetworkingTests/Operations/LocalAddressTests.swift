import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("Operations with file: and data: addresses", .timeLimit(.minutes(1)))
struct LocalAddressTests {
    private let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:9/"))

    private let folder = TemporaryFolder()
    private var file: URL { folder.file("local.json") }

    @Test func `a manager loads one where it is allowed, and its response is nil`() async throws {
        try Data("[1,2]".utf8).write(to: file)
        for text in [file.absoluteString, "data:application/json,[1,2]"] {
            manager.configuration.loadsLocalAddresses = false
            let error = await #expect(throws: URLError.self) { _ = try await manager.get(text) }
            #expect(error?.code == .unsupportedURL)
            manager.configuration.loadsLocalAddresses = true
            let object = try await manager.get(text) as? [Int]
            #expect(object == [1, 2])
        }
        let operation = HTTPRequestOperation(request: URLRequest(url: file))
        operation.configuration.loadsLocalAddresses = true
        let data = try await operation.result() as? Data
        #expect(data == Data("[1,2]".utf8))
        // As the original's typed property would have had to be (wound 71).
        #expect(operation.response == nil && operation.totalBytesRead == 5)
    }

    @Test func `a missing file is -1100, a folder -1101`() async throws {
        manager.configuration.loadsLocalAddresses = true
        for (text, code) in [(file.absoluteString, -1100), ("file:///tmp", -1101)] {
            let error = await #expect(throws: URLError.self) { _ = try await manager.get(text) }
            #expect(error?.code.rawValue == code)
        }
    }
}
