import OperationNetworking
import TestSupport

@testable import RequestEra

@Suite("Encodings", .timeLimit(.minutes(1)))
struct EncodingTests {
    private func request(_ method: HTTPMethod = .post) throws -> URLRequest {
        try URLRequest(url: "https://example.com/p", method: method)
    }

    @Test(arguments: [
        ("http://h/ü%20x", "http://h/%C3%BC%20x"), ("http://h/a b%2Fc", "http://h/a%20b%2Fc"),
        ("http://h/?q[a]=b%20c", "http://h/?q%5Ba%5D=b%20c"),
        ("http://h/a\r\n%20", "http://h/a%0D%0A%20"),
    ])
    func `escapes of a text stay as they are in its URL`(text: String, url: String) throws {
        #expect(try text.asURL().absoluteString == url)
    }

    @Test
    func `keys are sorted at every level`() throws {
        let parameters: Parameters = [
            "b": ["d": ["f": 1, "e": 2], "c": 3] as [String: Any], "a": 4,
        ]
        let query = try URLEncoding.queryString.encode(request(), with: parameters).url?.query
        #expect(query == "a=4&b%5Bc%5D=3&b%5Bd%5D%5Be%5D=2&b%5Bd%5D%5Bf%5D=1")
    }

    @Test
    func `empty parameters leave a URL alone, but make a body empty and set its type`() throws {
        #expect(try URLEncoding.default.encode(request(.get), with: [:]).url?.query == nil)
        var given = try request()
        given.httpBody = Data("old".utf8)
        let encoded = try URLEncoding.default.encode(given, with: [:])
        #expect(encoded.httpBody == Data())
        #expect(encoded.value(forHTTPHeaderField: "Content-Type") != nil)
    }

    @Test(
        arguments: ["a top-level text", Double.nan, Date(), [1, Double.infinity]] as [any Sendable])
    func `an object that is no JSON is an error, never the end of the process`(
        _ object: any Sendable
    ) throws {
        let error = try #require(throws: AFError.self) {
            try JSONEncoding.default.encode(request(), withJSONObject: object)
        }
        guard case .parameterEncodingFailed(.jsonEncodingFailed(let cause)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect((cause as? RequestSerializationError)?.reason == .unsupportedValue)
    }

    @Test
    func `a fragment is written if it was asked for`() throws {
        let encoding = JSONEncoding(options: .fragmentsAllowed)
        #expect(
            try encoding.encode(request(), withJSONObject: "text").httpBody
                == Data("\"text\"".utf8))
    }

    @Test
    func `containers that contain themselves are an error`() throws {
        let array = NSMutableArray()
        array.add(array)
        defer { array.removeAllObjects() }
        #expect(throws: AFError.self) {
            try JSONEncoding.default.encode(request(), withJSONObject: array)
        }
    }

    @Test
    func `a request without a URL is an error with every encoding, unless there are no parameters`()
        throws
    {
        var bare = try request()
        bare.url = nil
        let encodings: [any ParameterEncoding] = [
            URLEncoding.default, URLEncoding.httpBody, JSONEncoding.default,
            PropertyListEncoding.default,
        ]
        for encoding in encodings {
            #expect(try encoding.encode(bare, with: nil).url == nil)
            let error = try #require(throws: AFError.self) {
                try encoding.encode(bare, with: ["a": 1])
            }
            guard case .parameterEncodingFailed(.missingURL) = error else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test
    func `a router of one's own is asked for its request, and its error comes through`() {
        struct Router: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw PlainError(tag: "router") }
        }
        #expect(Router().urlRequest == nil)
        #expect(throws: PlainError.self) {
            try URLEncoding.default.encode(Router(), with: ["a": 1])
        }
    }

    @Test
    func `a date and data stand in a property list as they are`() throws {
        let date = Date(timeIntervalSince1970: 100)
        let parameters: Parameters = ["date": date, "data": Data("data".utf8)]
        let encoded = try PropertyListEncoding.default.encode(request(), with: parameters)
        let body = try #require(encoded.httpBody)
        let list =
            try PropertyListSerialization.propertyList(from: body, format: nil) as? NSDictionary
        #expect(list?["date"] as? Date == date)
        #expect(list?["data"] as? Data == Data("data".utf8))
    }
}
