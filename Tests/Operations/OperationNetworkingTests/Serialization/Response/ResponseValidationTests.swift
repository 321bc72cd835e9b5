import TestSupport

@testable import OperationNetworking

/// Beside the recorded cases of response-serialization.json, which ParityTests play.
/// RE-1 to RE-7.
@Suite("Judging a response", .timeLimit(.minutes(5)))
struct ResponseValidationTests {
    private let body = Data("x".utf8)

    private func error(
        of serializer: HTTPResponseSerializer, _ response: HTTPURLResponse?, _ data: Data?
    ) -> NSError? {
        do {
            try serializer.validate(response, data: data)
            return nil
        } catch {
            return error as NSError
        }
    }

    @Test(
        arguments: [-1, 0, 199, 200, 299, 300, 999])
    func `200 to 299 is acceptable and nothing beside`(status: Int) {
        let code = error(of: HTTPResponseSerializer(), Responses.http(status, "a/b"), body)?.code
        #expect(code == ((200...299).contains(status) ? nil : NSURLErrorBadServerResponse))
    }

    @Test(
        arguments: [
            ("application/json", true), ("application/json; charset=utf-8", true),
            ("application/json;", true), (" application/json ; q=1", true),
            ("\tapplication/json", true),
            ("application/jsonp", false), ("application/vnd.api+json", false), ("text/html", false),
            ("", false), ("application/json, text/html", false),
        ])
    func `a type is compared without parameters and white space`(type: String, isAcceptable: Bool) {
        let found = error(of: JSONResponseSerializer(), Responses.http(200, type), body)
        #expect((found == nil) == isAcceptable)
        #expect(found == nil || found?.code == NSURLErrorCannotDecodeContentData)
    }

    @Test
    func `what is no HTTP response is valid`() throws {
        let url = try #require(URL(string: "file:///etc/hosts"))
        let response = URLResponse(
            url: url, mimeType: "text/plain", expectedContentLength: 1, textEncodingName: nil)
        let serializer = JSONResponseSerializer()
        #expect(serializer.responseObject(for: response, data: Data("[]".utf8)).error == nil)
        #expect(serializer.responseObject(for: nil, data: Data("[]".utf8)).error == nil)
        #expect(serializer.accepts(response, data: body))
    }

    // MARK: As NSError

    @Test
    func `a status in the words of this package's error, with the response itself`() throws {
        let response = try #require(Responses.http(404, "text/plain"))
        let result = HTTPResponseSerializer().responseObject(for: response, data: body)
        let known = try #require(result.nsError?.userInfo)
        #expect(known[NetworkingError.failingURLResponseKey] as? URLResponse === response)
        let own = try #require(result.error as? ResponseSerializationError)
        #expect(own.reason == .unacceptableStatusCode(404))
        #expect(own.localizedDescription == "Request failed: not found (404)")
    }

    @Test
    func `an acceptable status that is not accepted reads as on Apple's systems`() {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = [404]
        let error = serializer.responseObject(for: Responses.http(200, nil), data: nil).nsError
        #expect(error?.localizedDescription == "Request failed: no error (200)")
    }

    @Test
    func `a parser's error lies on top of the status's`() throws {
        let json = JSONResponseSerializer().responseObject(
            for: Responses.http(500, "application/json"), data: Data("{".utf8))
        #expect(json.nsError?.domain == NSCocoaErrorDomain)
        #expect(json.nsError?.code == 3840)
        #expect(json.nsError?.beneath?.code == -1011)
        let xml = XMLDocumentResponseSerializer().responseObject(
            for: Responses.http(500, "text/xml"), data: Data("<a>".utf8))
        #expect(xml.nsError?.domain == "NSXMLParserErrorDomain")
        #expect(xml.nsError?.beneath?.code == -1011)
    }
}
