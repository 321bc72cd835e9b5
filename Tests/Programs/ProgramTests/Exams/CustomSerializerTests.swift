import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 27. A property list stands in for the image, whose serializer comes later.
    @Suite("C: custom and compound serializers", .timeLimit(.minutes(5)))
    struct CustomSerializerTests {
        @Test
        func `27. (a) An envelope is unwrapped, or becomes an error with its body`() async throws {
            try await Exam.run { exam in
                exam.allow { $0.domains = [EnvelopeSerializer.domain] }
                let manager = exam.manager()
                manager.responseSerializer = EnvelopeSerializer()
                let good = manager.get("x/envelope", success: exam.success, failure: exam.failure)
                #expect(try await exam.outcome(of: good).text("name") == "thing")

                let bad = manager.get(
                    "x/envelope?code=7", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: bad)
                #expect(error.domain == EnvelopeSerializer.domain && error.code == 7)
                #expect(error.localizedDescription == "refused")
                let body = error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data
                #expect(body != nil && body == bad?.responseData)

                // What the superclass finds wrong stays what it is.
                let missing = manager.get(
                    "x/json-404", success: exam.success, failure: exam.failure)
                let notFound = try await exam.error(of: missing)
                #expect(notFound.code == -1011)
            }
        }

        @Test
        func `27. (b) The first serializer with an object wins, without errors of earlier ones`()
            async throws
        {
            try await Exam.run { exam in
                exam.server?.add("/plist") { _ in
                    .text(
                        "<plist version=\"1.0\"><dict><key>k</key><string>v</string></dict></plist>",
                        contentType: "application/x-plist")
                }
                let manager = exam.manager()
                manager.responseSerializer = CompoundResponseSerializer(responseSerializers: [
                    JSONResponseSerializer(), PropertyListResponseSerializer(),
                    HTTPResponseSerializer(),
                ])
                let json = manager.get("json", success: exam.success, failure: exam.failure)
                let first = try await exam.outcome(of: json)
                #expect(first.text("slideshow", "title") != nil)
                let list = manager.get("plist", success: exam.success, failure: exam.failure)
                let second = try await exam.outcome(of: list)
                #expect(second.object as? [String: String] == ["k": "v"] && list?.error == nil)
                let page = manager.get("html", success: exam.success, failure: exam.failure)
                let third = try await exam.outcome(of: page)
                #expect(third.object as? Data == page?.responseData && page?.error == nil)
            }
        }

        @Test(arguments: ExamHost.all)
        func `27. (c) A request serializer signs GET, POST and multipart`(host: ExamHost)
            async throws
        {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                manager.requestSerializer = SigningSerializer()
                let get = manager.get(
                    "anything", parameters: ["a": "1"], success: exam.success,
                    failure: exam.failure)
                try await expectSignature(exam, get, "GET")
                let post = manager.post(
                    "anything", parameters: ["a": "1"], success: exam.success,
                    failure: exam.failure)
                let echo = try await expectSignature(exam, post, "POST")
                #expect(echo.value("form") as? [String: String] == ["a": "1"])
                let form = manager.post(
                    "anything", parameters: ["a": "1"],
                    constructingBody: { $0.appendPart(formData: Data("2".utf8), name: "b") },
                    success: exam.success, failure: exam.failure)
                let multipart = try await expectSignature(exam, form, "multipart")
                #expect(multipart.value("form") as? [String: String] == ["a": "1", "b": "2"])
            }
        }

        @discardableResult
        private func expectSignature(
            _ exam: Exam, _ operation: HTTPRequestOperation?, _ signature: String
        ) async throws -> ExamRecord.Outcome {
            let outcome = try await exam.outcome(of: operation)
            #expect(outcome.text("headers", "X-Signature") == signature)
            return outcome
        }
    }
}

/// Unwraps `{"code": 0, "message": …, "data": …}`; another code is an error.
private final class EnvelopeSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; it has no variables of its own.
    static let domain = "exam.envelope"

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        let inner = super.responseObject(for: response, data: data)
        guard inner.error == nil, let object = inner.object as? [String: Any] else { return inner }
        guard let code = object["code"] as? Int, code != 0 else {
            return SerializedResponse(object: object["data"], error: nil)
        }
        var info: [String: Any] = [NSLocalizedDescriptionKey: object["message"] ?? ""]
        info[NetworkingError.failingURLResponseDataKey] = data
        let error = NSError(domain: Self.domain, code: code, userInfo: info)
        return SerializedResponse(object: object, error: error)
    }
}

/// Signs with the method, or with "multipart".
private final class SigningSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; it has no variables of its own.
    override func request(method: String, urlString: String, parameters: Any?) throws
        -> URLRequest
    {
        var request = try super.request(
            method: method, urlString: urlString, parameters: parameters)
        request.setValue(method, forHTTPHeaderField: "X-Signature")
        return request
    }

    override func multipartFormRequest(
        method: String, urlString: String, parameters: [String: Any]?,
        constructingBody: ((any MultipartFormData) -> Void)?
    ) throws -> URLRequest {
        var request = try super.multipartFormRequest(
            method: method, urlString: urlString, parameters: parameters,
            constructingBody: constructingBody)
        request.setValue("multipart", forHTTPHeaderField: "X-Signature")
        return request
    }
}
