import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import Testing

extension Parity {
    /// Bodies: none, a stream without a length, and a stream that can be read once.
    @Suite struct Uploads {
        static let scenarios = [empty, stream, oneShot]

        private static let empty = Scenario("upload-empty-post") { stage in
            let operation = stage.operation("A", "/upload", method: "POST")
            stage.recordProgress(of: operation, "A")
            stage.queue.addOperation(operation)
            try await stage.end(of: "A")
        }

        private static let stream = Scenario("upload-inputStream") { stage in
            let operation = stage.operation("A", "/upload", method: "POST")
            operation.inputStream = InputStream(data: Data(count: 50_000))
            stage.recordProgress(of: operation, "A")
            stage.queue.addOperation(operation)
            try await stage.end(of: "A")
        }

        /// The recorded body was a multipart stream, which can be read once as well; its header
        /// fields and making wait for issue 3.
        private static let oneShot = Scenario("upload-multipart-auth") { stage in
            var request = URLRequest(url: stage.server.url("/auth"))
            request.httpMethod = "POST"
            request.setValue("107", forHTTPHeaderField: "Content-Length")
            request.httpBodyStream = OneShotStream(Data(repeating: 0x61, count: 107))
            let operation = stage.operation("A", request)
            operation.credential = URLCredential(
                user: "user", password: "pass", persistence: .none)
            stage.queue.addOperation(operation)
            try await stage.end(of: "A")
        }

        @Test("A body goes out as the original's did", arguments: scenarios)
        func upload(scenario: Scenario) async throws {
            try await scenario.run()
        }
    }
}
