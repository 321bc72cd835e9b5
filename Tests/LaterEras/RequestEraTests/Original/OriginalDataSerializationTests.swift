import ParitySupport
import RequestEra
import TestSupport

/// `ResponseSerializationTests` of 4.9.1: bodies.
@Suite("ResponseSerializationTests: data", .timeLimit(.minutes(1)))
struct OriginalDataResponseSerializationTests {
    private func response(_ status: Int = 200, _ type: String? = nil) throws -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: type.map { ["Content-Type": $0] })
        return try #require(response)
    }

    /// What a serializer makes of a body.
    private func result<Value>(
        _ serializer: DataResponseSerializer<Value>, _ data: Data?, _ status: Int? = nil,
        type: String? = nil, error: (any Error)? = nil
    ) throws -> Result<Value> {
        let hasResponse = status != nil || type != nil
        let response = hasResponse ? try response(status ?? 200, type) : nil
        return serializer.serializeResponse(nil, response, data, error)
    }

    /// Whether a result is the failure of serialization with this reason.
    private func isFailure<Value>(_ result: Result<Value>, _ reason: String) -> Bool {
        SeenValue.error(result.error)["AFError"]?.string == "responseSerializationFailed." + reason
    }

    // MARK: Data

    @Test func `DataResponseSerializerSucceedsWhenDataIsNotNil`() throws {
        let result = try result(DataRequest.dataResponseSerializer(), Data("data".utf8))
        #expect(result.value == Data("data".utf8) && result.error == nil)
    }

    @Test func `DataResponseSerializerFailsWhenDataIsNil`() throws {
        #expect(isFailure(try result(DataRequest.dataResponseSerializer(), nil), "inputDataNil"))
    }

    @Test func `DataResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DataRequest.dataResponseSerializer(), nil, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `DataResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`() throws {
        #expect(
            isFailure(try result(DataRequest.dataResponseSerializer(), nil, 200), "inputDataNil"))
    }

    @Test func `DataResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(try result(DataRequest.dataResponseSerializer(), nil, 204).value == Data())
    }

    // MARK: Texts

    @Test func `StringResponseSerializerFailsWhenDataIsNil`() throws {
        #expect(isFailure(try result(DataRequest.stringResponseSerializer(), nil), "inputDataNil"))
    }

    @Test func `StringResponseSerializerSucceedsWhenDataIsEmpty`() throws {
        #expect(try result(DataRequest.stringResponseSerializer(), Data()).value == "")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataAndNoProvidedEncoding`() throws {
        #expect(
            try result(DataRequest.stringResponseSerializer(), Data("data".utf8)).value == "data")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataAndUTF8ProvidedEncoding`() throws {
        let serializer = DataRequest.stringResponseSerializer(encoding: .utf8)
        #expect(try result(serializer, Data("é".utf8)).value == "é")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataUsingResponseTextEncodingName`() throws
    {
        let type = "text/plain; charset=utf-8"
        #expect(
            try result(DataRequest.stringResponseSerializer(), Data("é".utf8), type: type).value
                == "é")
    }

    @Test func `StringResponseSerializerFailsWithUTF32DataAndUTF8ProvidedEncoding`() throws {
        let data = try #require("random data".data(using: .utf32))
        let result = try result(DataRequest.stringResponseSerializer(encoding: .utf8), data)
        #expect(isFailure(result, "stringSerializationFailed"))
        #expect((result.error as? AFError)?.failedStringEncoding == .utf8)
    }

    @Test func `StringResponseSerializerFailsWithUTF32DataAndUTF8ResponseEncoding`() throws {
        let data = try #require("random data".data(using: .utf32))
        let result = try result(
            DataRequest.stringResponseSerializer(), data, type: "image/jpeg; charset=utf-8")
        #expect(isFailure(result, "stringSerializationFailed"))
        #expect((result.error as? AFError)?.failedStringEncoding == .utf8)
    }

    @Test func `StringResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DataRequest.stringResponseSerializer(), nil, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `StringResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`() throws {
        #expect(
            isFailure(try result(DataRequest.stringResponseSerializer(), nil, 200), "inputDataNil"))
    }

    @Test func `StringResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(try result(DataRequest.stringResponseSerializer(), nil, 205).value == "")
    }

    // MARK: JSON

    @Test func `JSONResponseSerializerFailsWhenDataIsNil`() throws {
        let result = try result(DataRequest.jsonResponseSerializer(), nil)
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `JSONResponseSerializerFailsWhenDataIsEmpty`() throws {
        let result = try result(DataRequest.jsonResponseSerializer(), Data())
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `JSONResponseSerializerSucceedsWhenDataIsValidJSON`() throws {
        let data = Data(#"{"json": true}"#.utf8)
        let object = try result(DataRequest.jsonResponseSerializer(), data).value as? [String: Any]
        #expect(object?["json"] as? Bool == true)
    }

    @Test func `JSONResponseSerializerFailsWhenDataIsInvalidJSON`() throws {
        let result = try result(
            DataRequest.jsonResponseSerializer(), Data("definitely not valid json".utf8))
        #expect(isFailure(result, "jsonSerializationFailed"))
        #expect((result.error as? AFError)?.underlyingError != nil)
    }

    @Test func `JSONResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DataRequest.jsonResponseSerializer(), nil, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `JSONResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`() throws {
        let result = try result(DataRequest.jsonResponseSerializer(), nil, 200)
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `JSONResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(try result(DataRequest.jsonResponseSerializer(), nil, 204).value is NSNull)
    }

    // MARK: Property lists

    @Test func `PropertyListResponseSerializerFailsWhenDataIsNil`() throws {
        let result = try result(DataRequest.propertyListResponseSerializer(), nil)
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `PropertyListResponseSerializerFailsWhenDataIsEmpty`() throws {
        let result = try result(DataRequest.propertyListResponseSerializer(), Data())
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `PropertyListResponseSerializerSucceedsWhenDataIsValidPropertyListData`() throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["foo": "bar"], format: .xml, options: 0)
        let object =
            try result(DataRequest.propertyListResponseSerializer(), data).value as? [String: Any]
        #expect(object?["foo"] as? String == "bar")
    }

    @Test func `PropertyListResponseSerializerFailsWhenDataIsInvalidPropertyListData`() throws {
        let result = try result(
            DataRequest.propertyListResponseSerializer(), Data("<plist>definitely not valid".utf8))
        #expect(isFailure(result, "propertyListSerializationFailed"))
        #expect((result.error as? AFError)?.underlyingError != nil)
    }

    @Test func `PropertyListResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DataRequest.propertyListResponseSerializer(), nil, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `PropertyListResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`()
        throws
    {
        let result = try result(DataRequest.propertyListResponseSerializer(), nil, 200)
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `PropertyListResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`()
        throws
    {
        #expect(try result(DataRequest.propertyListResponseSerializer(), nil, 204).value is NSNull)
    }
}
