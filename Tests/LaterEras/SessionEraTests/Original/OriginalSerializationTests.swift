import OperationNetworking
import TestSupport

/// Tests of AFNetworking 4.0.1's serializers under their own names, where no other test says as
/// much.
@Suite("Originals: serializers", .timeLimit(.minutes(1)))
struct OriginalSerializationTests {
    private let url = "http://example.com/"

    private func response(_ status: Int, _ type: String?) throws -> HTTPURLResponse {
        let url = try #require(URL(string: url))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: type.map { ["Content-Type": $0] }))
    }

    private func body(
        _ serializer: HTTPRequestSerializer, _ parameters: Any
    ) throws -> String {
        let request = try serializer.request(method: "POST", urlString: url, parameters: parameters)
        return String(decoding: try #require(request.httpBody), as: UTF8.self)
    }

    // MARK: Requests

    @Test func queryStringFromParameters() throws {
        let request = try HTTPRequestSerializer().request(
            method: "GET", urlString: url, parameters: ["key": "value", "key1": "value&"])
        #expect(request.url?.query == "key=value&key1=value%26")
    }

    @Test func jsonRequestSerializationHandlesParametersDictionary() throws {
        #expect(try body(JSONRequestSerializer(), ["key": "value"]) == #"{"key":"value"}"#)
    }

    @Test func jsonRequestSerializationHandlesParametersArray() throws {
        #expect(try body(JSONRequestSerializer(), [["key": "value"]]) == #"[{"key":"value"}]"#)
    }

    @Test func jsonRequestSerializationErrorsWithInvalidJSON() {
        let error = #expect(throws: RequestSerializationError.self) {
            try body(JSONRequestSerializer(), ["key": ["value"] as Set])
        }
        #expect((error as NSError?)?.domain == NetworkingError.requestSerializationDomain)
        #expect(error?.reason == .unsupportedValue)
    }

    @Test func propertyListRequestSerializerHandlesInvalidPlist() {
        #expect(throws: RequestSerializationError.self) {
            try body(PropertyListRequestSerializer(), [42: "value"])
        }
    }

    // MARK: Responses

    @Test func afhttpResponseSerializationHandlesAll2XXCodes() throws {
        for status in 200...299 {
            let result = HTTPResponseSerializer().responseObject(
                for: try response(status, "text/html"), data: Data("text".utf8))
            #expect(result.error == nil, "\(status)")
        }
    }

    @Test func afhttpResponseSerializationFailsAll4XX5XXStatusCodes() throws {
        for status in 400...599 {
            let result = HTTPResponseSerializer().responseObject(
                for: try response(status, "text/html"), data: Data("text".utf8))
            #expect((result.error as NSError?)?.code == NSURLErrorBadServerResponse, "\(status)")
        }
    }

    @Test
    func afhttpResponseSerializationSucceedsWith205WithNoResponseContentTypeAndNoResponseData()
        throws
    {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableContentTypes = ["text/html"]
        let result = serializer.responseObject(for: try response(205, nil), data: nil)
        #expect(result.error == nil)
    }

    @Test
    func afhttpResponseSerializationFailsWith205WithNoResponseContentTypeAndResponseData()
        throws
    {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableContentTypes = ["text/html"]
        let result = serializer.responseObject(
            for: try response(205, nil), data: Data("test".utf8))
        #expect((result.error as NSError?)?.code == NSURLErrorCannotDecodeContentData)
    }

    @Test func jsonRemovesKeysWithNullValues() throws {
        let serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        serializer.removesNullElements = true
        let text = #"{"key":"value","nullkey":null,"array":[{"sub":null}],"arrayWithNulls":[null]}"#
        let result = serializer.responseObject(
            for: try response(200, "text/json"), data: Data(text.utf8))
        let expected: NSDictionary = [
            "key": "value", "array": [[String: Any]()], "arrayWithNulls": [Any](),
        ]
        #expect(result.error == nil)
        #expect(result.object as? NSDictionary == expected)
    }

    @Test func propertyListResponseSerializerHandlesInvalidPlistData() throws {
        let result = PropertyListResponseSerializer().responseObject(
            for: try response(200, "application/x-plist"), data: Data(#"{"foo":"bar"}"#.utf8))
        #expect(result.object == nil)
        #expect(result.error != nil)
    }
}
