import CurlConnection
import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier A: programs 1 to 6.
    @Suite("A: the first hour", .timeLimit(.minutes(5)))
    struct FirstHourTests {
        // MARK: 1

        @Test(arguments: ExamHost.all)
        func `1. Hello JSON`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let parser = CountingJSONSerializer()
                let manager = exam.manager()
                manager.responseSerializer = parser
                // Held, so that "in the queue already" is no matter of luck.
                manager.operationQueue.isSuspended = true
                let operation = try #require(
                    manager.get(
                        "get", parameters: ["foo": "bar"], success: exam.success,
                        failure: exam.failure))
                #expect(manager.operationQueue.operations == [operation])
                manager.operationQueue.isSuspended = false

                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.text("args", "foo") == "bar")
                #expect(operation.response?.statusCode == 200)
                let again = operation.responseObject as? [String: Any]
                #expect((again?["args"] as? [String: String]) == ["foo": "bar"])
                let raw = try #require(operation.responseString)
                #expect(raw == operation.responseData.map { String(decoding: $0, as: UTF8.self) })
                #expect(raw.contains("\"foo\"") && raw.hasPrefix("{"))
                _ = operation.responseObject
                #expect(parser.count == 1)
                #expect(operation.request.url == exam.url("get?foo=bar"))
                #expect(exam.server?.requests.map(\.target) ?? ["/get?foo=bar"] == ["/get?foo=bar"])
            }
        }

        // MARK: 2

        @Test(arguments: ExamHost.all)
        func `2. Form, then JSON`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let parameters = ["z": "last", "k": "a value", "b": "1"]
                let form = manager.post(
                    "delay/0.3", parameters: parameters, success: exam.success,
                    failure: exam.failure)
                manager.requestSerializer = JSONRequestSerializer()
                let json = manager.post(
                    "post", parameters: parameters, success: exam.success, failure: exam.failure)

                let first = try await exam.outcome(of: form)
                #expect(first.value("form") as? [String: String] == parameters)
                let type = "application/x-www-form-urlencoded"
                #expect(first.text("headers", "Content-Type") == type)
                #expect(body(form) == "b=1&k=a%20value&z=last")
                let second = try await exam.outcome(of: json)
                #expect(second.value("json") as? [String: String] == parameters)
                #expect(second.text("headers", "Content-Type") == "application/json")

                let emptyJSON = manager.post("post", success: exam.success, failure: exam.failure)
                let third = try await exam.outcome(of: emptyJSON)
                #expect(third.text("headers", "Content-Type") == nil)
                #expect(third.text("data") == "" && third.value("json") is NSNull)
                manager.requestSerializer = HTTPRequestSerializer()
                let emptyForm = manager.post("post", success: exam.success, failure: exam.failure)
                let fourth = try await exam.outcome(of: emptyForm)
                #expect(fourth.text("headers", "Content-Type") == type)
                #expect((fourth.value("form") as? [String: Any])?.isEmpty == true)
                if let server = exam.server {
                    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
                    #expect(bodies.contains("b=1&k=a%20value&z=last"))
                    #expect(bodies.count { $0.isEmpty } == 2)
                }
            }
        }

        private func body(_ operation: HTTPRequestOperation?) -> String? {
            operation?.request.httpBody.map { String(decoding: $0, as: UTF8.self) }
        }

        // MARK: 3

        @Test(arguments: ExamHost.all)
        func `3. Token header`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let serializer = manager.requestSerializer
                serializer.setValue("Token t-1", forHTTPHeaderField: "Authorization")
                let snapshot = serializer.httpRequestHeaders
                for _ in 0..<3 {
                    let seen = try await headers(exam, manager)
                    #expect(seen["Authorization"] == "Token t-1")
                    #expect(seen["Accept-Language"]?.isEmpty == false)
                    #expect(seen["User-Agent"]?.contains("/") == true)
                }
                serializer.setValue(nil, forHTTPHeaderField: "Authorization")
                let seen = try await headers(exam, manager)
                #expect(seen["Authorization"] == nil && seen["User-Agent"] != nil)
                #expect(snapshot["Authorization"] == "Token t-1")
                #expect(serializer.httpRequestHeaders["Authorization"] == nil)

                serializer.setValue("Token t-2", forHTTPHeaderField: "Authorization")
                var own = exam.request("headers")
                own.setValue("Token mine", forHTTPHeaderField: "Authorization")
                let request = try serializer.request(bySerializing: own, with: nil)
                let operation = manager.httpRequestOperation(
                    with: request, success: exam.success, failure: exam.failure)
                manager.enqueue(operation)
                let outcome = try await exam.outcome(of: operation)
                #expect(outcome.text("headers", "Authorization") == "Token mine")
            }
        }

        private func headers(
            _ exam: Exam, _ manager: HTTPRequestOperationManager
        ) async throws -> [String: String] {
            let operation = manager.get("headers", success: exam.success, failure: exam.failure)
            return try await exam.outcome(of: operation).value("headers") as? [String: String]
                ?? [:]
        }

        // MARK: 5

        @Test(arguments: ExamHost.all)
        func `5. Unacceptable content type, and its cure`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let page = manager.get("html", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: page)
                #expect(error.domain == "com.alamofire.error.serialization.response")
                #expect(error.code == -1016)
                let sentence = "Request failed: unacceptable content-type: text/html"
                #expect(error.localizedDescription == sentence)
                let data =
                    error.userInfo["com.alamofire.serialization.response.error.data"] as? Data
                #expect(data != nil && data == page?.responseData)
                let response =
                    error.userInfo["com.alamofire.serialization.response.error.response"]
                    as? HTTPURLResponse
                #expect(response?.statusCode == 200 && response?.url == exam.url("html"))

                guard exam.server != nil else { return }
                manager.responseSerializer.acceptableContentTypes?.insert("text/html")
                let json = manager.get(
                    "x/json-as-html", success: exam.success, failure: exam.failure)
                #expect(try await exam.outcome(of: json).value("a") as? Int == 1)
                manager.responseSerializer.acceptableContentTypes = nil
                let any = manager.get(
                    "x/json-as-html", success: exam.success, failure: exam.failure)
                #expect(try await exam.outcome(of: any).value("a") as? Int == 1)
            }
        }

        // MARK: 6

        @Test(arguments: ExamHost.all)
        func `6. The body of a 404`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = exam.manager().get(
                    "status/404", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: operation)
                expectNotFound(error)
                #expect(operation?.response?.statusCode == 404)
                #expect(operation?.responseString == "")
                #expect(
                    error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data == Data())
            }
        }

        @Test
        func `6. The JSON and the page of a 404`() async throws {
            try await Exam.run { exam in
                let json = exam.manager().get(
                    "x/json-404", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: json)
                expectNotFound(error)
                #expect(error.userInfo[NSUnderlyingErrorKey] == nil)
                let object = json?.responseObject as? [String: String]
                #expect(object == ["error": "no such thing"])
                let data = error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data
                #expect(data == json?.responseData)
                #expect(json?.responseString == #"{"error":"no such thing"}"#)

                let page = exam.manager().get(
                    "x/html-404", success: exam.success, failure: exam.failure)
                let outer = try await exam.error(of: page)
                expectNotFound(outer)
                let inner = outer.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(inner?.domain == NetworkingError.responseSerializationDomain)
                #expect(inner?.code == -1016)
                #expect(page?.responseString == "<p>no such thing</p>")
            }
        }

        private func expectNotFound(_ error: NSError) {
            #expect(error.domain == NetworkingError.responseSerializationDomain)
            #expect(error.code == -1011)
            #expect(error.localizedDescription.hasPrefix("Request failed: "))
            #expect(error.localizedDescription.hasSuffix("(404)"))
        }
    }
}

/// Counts how often it is asked for an object.
private final class CountingJSONSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; the counter has a lock of its own.
    private let calls = Watched(0)

    var count: Int { calls.now }

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        calls.change { $0 += 1 }
        return super.responseObject(for: response, data: data)
    }
}
