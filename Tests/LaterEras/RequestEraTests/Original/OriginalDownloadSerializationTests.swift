import ParitySupport
import RequestEra
import TestSupport

/// `ResponseSerializationTests` of 4.9.1: downloaded files.
@Suite("ResponseSerializationTests: downloads", .timeLimit(.minutes(1)))
struct OriginalDownloadResponseSerializationTests {
    private let folder = FormFolder()

    private func response(_ status: Int = 200, _ type: String? = nil) throws -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: type.map { ["Content-Type": $0] })
        return try #require(response)
    }

    private enum File {
        case holding(Data)
        case missing
        case none
    }

    /// What a serializer makes of a file.
    private func result<Value>(
        _ serializer: DownloadResponseSerializer<Value>, _ file: File, _ status: Int? = nil,
        type: String? = nil, error: (any Error)? = nil
    ) throws -> Result<Value> {
        let hasResponse = status != nil || type != nil
        let response = hasResponse ? try response(status ?? 200, type) : nil
        let url: URL? =
            switch file {
            case .holding(let data): try folder.file("download", data)
            case .missing: folder.url.appendingPathComponent("not_found")
            case .none: nil
            }
        return serializer.serializeResponse(nil, response, url, error)
    }

    /// Whether a result is the failure of serialization with this reason.
    private func isFailure<Value>(_ result: Result<Value>, _ reason: String) -> Bool {
        SeenValue.error(result.error)["AFError"]?.string == "responseSerializationFailed." + reason
    }

    // MARK: Data

    @Test func `DataResponseSerializerSucceedsWhenFileDataIsNotNil`() throws {
        let result = try result(
            DownloadRequest.dataResponseSerializer(), .holding(Data("data".utf8)))
        #expect(result.value == Data("data".utf8) && result.error == nil)
    }

    @Test func `DataResponseSerializerSucceedsWhenFileDataIsNil`() throws {
        #expect(
            try result(DownloadRequest.dataResponseSerializer(), .holding(Data())).value == Data())
    }

    @Test func `DataResponseSerializerFailsWhenFileURLIsNil`() throws {
        #expect(
            isFailure(try result(DownloadRequest.dataResponseSerializer(), .none), "inputFileNil"))
    }

    @Test func `DataResponseSerializerFailsWhenFileURLIsInvalid`() throws {
        #expect(
            isFailure(
                try result(DownloadRequest.dataResponseSerializer(), .missing),
                "inputFileReadFailed"))
    }

    @Test func `DataResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DownloadRequest.dataResponseSerializer(), .none, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `DataResponseSerializerFailsWhenFileURLIsNilWithNonEmptyResponseStatusCode`() throws
    {
        #expect(
            isFailure(
                try result(DownloadRequest.dataResponseSerializer(), .none, 200), "inputFileNil"))
    }

    @Test func `DataResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(
            try result(DownloadRequest.dataResponseSerializer(), .holding(Data()), 205).value
                == Data())
    }

    // MARK: Texts

    @Test func `StringResponseSerializerFailsWhenFileURLIsNil`() throws {
        #expect(
            isFailure(try result(DownloadRequest.stringResponseSerializer(), .none), "inputFileNil")
        )
    }

    @Test func `StringResponseSerializerFailsWhenFileURLIsInvalid`() throws {
        let result = try result(DownloadRequest.stringResponseSerializer(), .missing)
        #expect(isFailure(result, "inputFileReadFailed"))
    }

    @Test func `StringResponseSerializerSucceedsWhenFileDataIsEmpty`() throws {
        #expect(
            try result(DownloadRequest.stringResponseSerializer(), .holding(Data())).value == "")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataAndNoProvidedEncoding`() throws {
        let result = try result(
            DownloadRequest.stringResponseSerializer(), .holding(Data("data".utf8)))
        #expect(result.value == "data")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataAndUTF8ProvidedEncoding`() throws {
        let serializer = DownloadRequest.stringResponseSerializer(encoding: .utf8)
        #expect(try result(serializer, .holding(Data("é".utf8))).value == "é")
    }

    @Test func `StringResponseSerializerSucceedsWithUTF8DataUsingResponseTextEncodingName`() throws
    {
        let type = "text/plain; charset=utf-8"
        let result = try result(
            DownloadRequest.stringResponseSerializer(), .holding(Data("é".utf8)), type: type)
        #expect(result.value == "é")
    }

    @Test func `StringResponseSerializerFailsWithUTF32DataAndUTF8ProvidedEncoding`() throws {
        let data = try #require("random data".data(using: .utf32))
        let serializer = DownloadRequest.stringResponseSerializer(encoding: .utf8)
        let result = try result(serializer, .holding(data))
        #expect(isFailure(result, "stringSerializationFailed"))
        #expect((result.error as? AFError)?.failedStringEncoding == .utf8)
    }

    @Test func `StringResponseSerializerFailsWithUTF32DataAndUTF8ResponseEncoding`() throws {
        let data = try #require("random data".data(using: .utf32))
        let serializer = DownloadRequest.stringResponseSerializer()
        let type = "image/jpeg; charset=utf-8"
        let result = try result(serializer, .holding(data), type: type)
        #expect(isFailure(result, "stringSerializationFailed"))
        #expect((result.error as? AFError)?.failedStringEncoding == .utf8)
    }

    @Test func `StringResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DownloadRequest.stringResponseSerializer(), .none, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `StringResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`()
        throws
    {
        #expect(
            isFailure(
                try result(DownloadRequest.stringResponseSerializer(), .none, 200), "inputFileNil"))
    }

    @Test func `StringResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(
            try result(DownloadRequest.stringResponseSerializer(), .holding(Data()), 204).value
                == "")
    }

    // MARK: JSON

    @Test func `JSONResponseSerializerFailsWhenFileURLIsNil`() throws {
        #expect(
            isFailure(try result(DownloadRequest.jsonResponseSerializer(), .none), "inputFileNil"))
    }

    @Test func `JSONResponseSerializerFailsWhenFileURLIsInvalid`() throws {
        let result = try result(DownloadRequest.jsonResponseSerializer(), .missing)
        #expect(isFailure(result, "inputFileReadFailed"))
    }

    @Test func `JSONResponseSerializerFailsWhenFileDataIsEmpty`() throws {
        let result = try result(DownloadRequest.jsonResponseSerializer(), .holding(Data()))
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `JSONResponseSerializerSucceedsWhenDataIsValidJSON`() throws {
        let data = Data(#"{"json": true}"#.utf8)
        let object =
            try result(DownloadRequest.jsonResponseSerializer(), .holding(data)).value
            as? [String: Any]
        #expect(object?["json"] as? Bool == true)
    }

    @Test func `JSONResponseSerializerFailsWhenDataIsInvalidJSON`() throws {
        let data = Data("definitely not valid json".utf8)
        let result = try result(DownloadRequest.jsonResponseSerializer(), .holding(data))
        #expect(isFailure(result, "jsonSerializationFailed"))
        #expect((result.error as? AFError)?.underlyingError != nil)
    }

    @Test func `JSONResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DownloadRequest.jsonResponseSerializer(), .none, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `JSONResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`() throws {
        #expect(
            isFailure(
                try result(DownloadRequest.jsonResponseSerializer(), .none, 200), "inputFileNil"))
    }

    @Test func `JSONResponseSerializerSucceedsWhenDataIsNilWithEmptyResponseStatusCode`() throws {
        #expect(
            try result(DownloadRequest.jsonResponseSerializer(), .holding(Data()), 205).value
                is NSNull)
    }

    // MARK: Property lists

    @Test func `PropertyListResponseSerializerFailsWhenFileURLIsNil`() throws {
        #expect(
            isFailure(
                try result(DownloadRequest.propertyListResponseSerializer(), .none), "inputFileNil")
        )
    }

    @Test func `PropertyListResponseSerializerFailsWhenFileURLIsInvalid`() throws {
        let result = try result(DownloadRequest.propertyListResponseSerializer(), .missing)
        #expect(isFailure(result, "inputFileReadFailed"))
    }

    @Test func `PropertyListResponseSerializerFailsWhenFileDataIsEmpty`() throws {
        let result = try result(DownloadRequest.propertyListResponseSerializer(), .holding(Data()))
        #expect(isFailure(result, "inputDataNilOrZeroLength"))
    }

    @Test func `PropertyListResponseSerializerSucceedsWhenFileDataIsValidPropertyListData`() throws
    {
        let data = try PropertyListSerialization.data(
            fromPropertyList: ["foo": "bar"], format: .xml, options: 0)
        let object =
            try result(DownloadRequest.propertyListResponseSerializer(), .holding(data)).value
            as? [String: Any]
        #expect(object?["foo"] as? String == "bar")
    }

    @Test func `PropertyListResponseSerializerFailsWhenDataIsInvalidPropertyListData`() throws {
        let data = Data("<plist>definitely not valid".utf8)
        let result = try result(DownloadRequest.propertyListResponseSerializer(), .holding(data))
        #expect(isFailure(result, "propertyListSerializationFailed"))
        #expect((result.error as? AFError)?.underlyingError != nil)
    }

    @Test func `PropertyListResponseSerializerFailsWhenErrorIsNotNil`() throws {
        let result = try result(
            DownloadRequest.propertyListResponseSerializer(), .none, error: PlainError(tag: "e"))
        #expect(result.error is PlainError)
    }

    @Test func `PropertyListResponseSerializerFailsWhenDataIsNilWithNonEmptyResponseStatusCode`()
        throws
    {
        #expect(
            isFailure(
                try result(DownloadRequest.propertyListResponseSerializer(), .none, 200),
                "inputFileNil"))
    }

    @Test func `PropertyListResponseSerializerSucceedsWhenDataIsNilWith204ResponseStatusCode`()
        throws
    {
        #expect(
            try result(DownloadRequest.propertyListResponseSerializer(), .holding(Data()), 204)
                .value is NSNull)
    }
}
