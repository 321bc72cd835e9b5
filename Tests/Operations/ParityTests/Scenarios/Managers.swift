import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// The manager's verbs and a form, and what they do with what cannot be sent.
    enum Managers {
        static let scenarios = [head, serializationError, badURL, formToFile]

        private static let head = Scenario("manager-head") { stage in
            let manager = stage.manager()
            let recorder = stage.recorder
            let operation = manager.head(
                "json",
                success: { operation in
                    let status = operation.response.map { GoldenValue.int($0.statusCode) } ?? .null
                    recorder.record(nil, Event.marker("success", ["status": status]))
                }, failure: { _, error in recorder.record(nil, "failure \(error)") })
            // Its events are told on main, which is held here.
            stage.listen(to: try #require(operation), "?")
            try await stage.until("?", "finish notification")
            try await stage.until(nil, "success")
        }

        private static let serializationError = Scenario("manager-serialization-error") { stage in
            let manager = stage.manager()
            manager.requestSerializer.setQueryStringSerialization({ _, _ in
                throw NSError(domain: "oracle", code: 42)
            })
            try await stage.refuse(manager, "ok", parameters: ["a": "b"])
        }

        private static let badURL = Scenario("manager-bad-url") { stage in
            try await stage.refuse(stage.manager(), "http://a b/", parameters: nil)
        }

        private static let formToFile = Scenario("multipart-to-file") { stage in
            let file = stage.temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            let form = try stage.form(to: "/upload")
            let recorder = stage.recorder
            let request = HTTPRequestSerializer().request(
                withMultipartFormRequest: form, writingStreamContentsToFile: file
            ) { error in
                let text = ErrorRecord.text(of: error) ?? "-"
                recorder.record(nil, Event.marker("handler", ["error": .string(text)]))
            }
            let type = request.value(forHTTPHeaderField: "Content-Type")
            stage.called(
                "returned",
                [
                    "bodyStreamNil": GoldenValue(request.httpBodyStream == nil),
                    "contentLength": GoldenValue(
                        request.value(forHTTPHeaderField: "Content-Length")),
                    "contentType": GoldenValue(type.map(FinalState.withFixedBoundary)),
                ])
            try await stage.until(nil, "handler")
            stage.extra["fileLength"] = .int(try Data(contentsOf: file).count)
        }
    }
}

extension Stage {
    /// A manager for this server, with the recorder's language.
    fileprivate func manager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
        manager.requestSerializer.setValue("en;q=1", forHTTPHeaderField: "Accept-Language")
        return manager
    }

    /// Gets what no request can be built for.
    fileprivate func refuse(
        _ manager: HTTPRequestOperationManager, _ path: String, parameters: Any?
    ) async throws {
        let recorder = recorder
        let operation = manager.get(
            path, parameters: parameters,
            success: { _, _ in recorder.record(nil, "success") },
            failure: { operation, error in
                recorder.record(
                    nil,
                    Event.marker(
                        "failure",
                        [
                            "error": GoldenValue(ErrorRecord.text(of: error)),
                            "operationNil": GoldenValue(operation == nil),
                        ]))
            })
        #expect(operation == nil)
        #expect(manager.operations.isEmpty)
        try await until(nil, "failure")
    }

    /// A form of one field, 107 bytes, with the recorder's language.
    func form(to path: String) throws -> URLRequest {
        let serializer = HTTPRequestSerializer()
        serializer.setValue("en;q=1", forHTTPHeaderField: "Accept-Language")
        return try serializer.multipartFormRequest(
            method: "POST", urlString: server.url(path).absoluteString, parameters: ["a": "1"],
            constructingBody: nil)
    }
}
