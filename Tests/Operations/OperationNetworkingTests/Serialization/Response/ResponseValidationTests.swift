import TestSupport

@testable import OperationNetworking

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

    @Test
    func `no status is an error when nil accepts all, every one when none is acceptable`() {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = nil
        #expect(error(of: serializer, Responses.http(500, nil), body) == nil)
        serializer.acceptableStatusCodes = []
        #expect(error(of: serializer, Responses.http(200, nil), body)?.code == -1011)
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

    @Test(arguments: [nil, Data()])
    func `a wrong type with an empty body is invalid without an error`(data: Data?) {
        let serializer = JSONResponseSerializer()
        let response = Responses.http(200, "text/html")
        #expect(error(of: serializer, response, data) == nil)
        #expect(!serializer.accepts(response, data: data))
        let result = serializer.responseObject(for: response, data: data)
        #expect(result.object == nil && result.error == nil)
    }

    @Test
    func `without a URL neither status nor type is an error, and nothing crashes`() throws {
        let serializer = JSONResponseSerializer()
        let response = try #require(ResponseWithoutURL(status: 404))
        let result = serializer.responseObject(for: response, data: Data("[1]".utf8))
        #expect(result.error == nil)
        #expect(result.object as? [Int] == [1])
    }

    // MARK: As NSError

    @Test
    func `a status as NSError: domain, code, description and what is known`() throws {
        let response = try #require(Responses.http(404, "text/plain"))
        let result = HTTPResponseSerializer().responseObject(for: response, data: body)
        let error = try #require(result.nsError)
        #expect(result.text == "x")
        #expect(error.domain == NetworkingError.responseSerializationDomain)
        #expect(error.code == -1011)
        #expect(error.localizedDescription == "Request failed: not found (404)")
        #expect(error.userInfo["NSErrorFailingURLKey"] as? URL == response.url)
        #expect(error.userInfo[NetworkingError.failingURLResponseKey] as? URLResponse === response)
        #expect(error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data == body)
        #expect(error.userInfo.count == 4)
        let own = try #require(result.error as? ResponseSerializationError)
        #expect(own.reason == .unacceptableStatusCode(404))
        #expect(own.localizedDescription == "Request failed: not found (404)")
    }

    @Test
    func `without a body there is no key for it`() throws {
        let response = Responses.http(503, nil)
        let error = HTTPResponseSerializer().responseObject(for: response, data: nil).nsError
        let keys = try #require(error?.userInfo.keys)
        #expect(!keys.contains(NetworkingError.failingURLResponseDataKey))
        #expect(keys.count == 3)
    }

    @Test
    func `an acceptable status that is not accepted reads as on Apple's systems`() {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = [404]
        let error = serializer.responseObject(for: Responses.http(200, nil), data: nil).nsError
        #expect(error?.localizedDescription == "Request failed: no error (200)")
    }

    @Test
    func `a wrong type lies beneath a wrong status, and nothing is decoded`() throws {
        let serializer = JSONResponseSerializer()
        let response = Responses.http(404, "text/html")
        let result = serializer.responseObject(for: response, data: Data("[]".utf8))
        #expect(result.object == nil)
        #expect(result.nsError?.code == -1011)
        let beneath = try #require(result.nsError?.beneath)
        #expect(beneath.code == -1016)
        #expect(
            beneath.localizedDescription == "Request failed: unacceptable content-type: text/html")
    }

    @Test
    func `a missing type is named as nothing`() {
        let result = JSONResponseSerializer().responseObject(
            for: Responses.http(200, nil), data: body)
        #expect(
            result.nsError?.localizedDescription
                == "Request failed: unacceptable content-type: (null)")
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

    @Test
    func `who leaves no place for an error gets no object of an invalid response`() {
        let data = Data("[]".utf8)
        let json = JSONResponseSerializer()
        #expect(json.objectWithoutError(for: Responses.http(404, "text/json"), data: data) == nil)
        #expect(json.objectWithoutError(for: Responses.http(200, "text/json"), data: data) != nil)
        let plain = HTTPResponseSerializer()
        #expect(plain.objectWithoutError(for: Responses.http(404, nil), data: data) != nil)
    }
}
