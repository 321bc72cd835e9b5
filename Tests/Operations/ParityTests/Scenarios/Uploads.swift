import OperationNetworking
import TestSupport

extension Parity {
    /// Bodies: none, a stream without a length, and a form that is asked for twice.
    enum Uploads {
        static let scenarios = [empty, stream, multipart]

        private static let empty = Scenario("upload-empty-post") { stage in
            let operation = stage.operation("A", "/upload", method: "POST")
            stage.recordProgress(of: operation, "A")
            try await stage.runToEnd(operation)
        }

        private static let stream = Scenario("upload-inputStream") { stage in
            let operation = stage.operation("A", "/upload", method: "POST")
            operation.inputStream = InputStream(data: Data(count: 50_000))
            stage.recordProgress(of: operation, "A")
            try await stage.runToEnd(operation)
        }

        private static let multipart = Scenario("upload-multipart-auth") { stage in
            let operation = stage.operation("A", try stage.form(to: "/auth"))
            operation.credential = URLCredential(
                user: "user", password: "pass", persistence: .none)
            try await stage.runToEnd(operation)
            let bodies = stage.server.requests.map(\.body)
            #expect(bodies.count == 2)
            #expect(bodies.first == bodies.last)
            #expect(bodies.last?.count == 107)
        }
    }
}
