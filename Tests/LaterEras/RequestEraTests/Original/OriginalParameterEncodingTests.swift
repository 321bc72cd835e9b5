import Foundation
import FoundationNetworking
import RequestEra
import Testing

/// `ParameterEncodingTests` of 4.9.1.
@Suite("ParameterEncodingTests: URLs", .timeLimit(.minutes(1)))
struct OriginalURLParameterEncodingTests {
    private static let page = "https://example.com/"

    /// The query that parameters make.
    private func query(
        _ parameters: Parameters?, of url: String = page, by encoding: URLEncoding = .default
    ) throws -> String? {
        let request = URLRequest(url: try url.asURL())
        return try encoding.encode(request, with: parameters).url?.query
    }

    @Test func `URLParameterEncodeNilParameters`() throws {
        #expect(try query(nil) == nil)
    }

    @Test func `URLParameterEncodeEmptyDictionaryParameter`() throws {
        #expect(try query([:]) == nil)
    }

    @Test func `URLParameterEncodeOneStringKeyStringValueParameter`() throws {
        #expect(try query(["foo": "bar"]) == "foo=bar")
    }

    @Test func `URLParameterEncodeOneStringKeyStringValueParameterAppendedToQuery`() throws {
        #expect(try query(["foo": "bar"], of: Self.page + "?baz=qux") == "baz=qux&foo=bar")
    }

    @Test func `URLParameterEncodeTwoStringKeyStringValueParameters`() throws {
        #expect(try query(["foo": "bar", "baz": "qux"]) == "baz=qux&foo=bar")
    }

    @Test func `URLParameterEncodeStringKeyNSNumberIntegerValueParameter`() throws {
        #expect(try query(["foo": NSNumber(value: 25)]) == "foo=25")
    }

    /// CoreFoundation tells Boolean numbers from others, as in the original; see `TruthValueTests`.
    @Test func `URLParameterEncodeStringKeyNSNumberBoolValueParameter`() throws {
        #expect(try query(["foo": NSNumber(value: false)]) == "foo=0")
    }

    @Test func `URLParameterEncodeStringKeyIntegerValueParameter`() throws {
        #expect(try query(["foo": 1]) == "foo=1")
    }

    @Test func `URLParameterEncodeStringKeyDoubleValueParameter`() throws {
        #expect(try query(["foo": 1.1]) == "foo=1.1")
    }

    @Test func `URLParameterEncodeStringKeyBoolValueParameter`() throws {
        #expect(try query(["foo": true]) == "foo=1")
    }

    @Test func `URLParameterEncodeStringKeyArrayValueParameter`() throws {
        #expect(
            try query(["foo": ["a", 1, true] as [Any]]) == "foo%5B%5D=a&foo%5B%5D=1&foo%5B%5D=1")
    }

    @Test func `URLParameterEncodeStringKeyArrayValueParameterWithoutBrackets`() throws {
        let encoding = URLEncoding(arrayEncoding: .noBrackets)
        let parameters = ["foo": ["a", 1, true] as [Any]]
        #expect(try query(parameters, by: encoding) == "foo=a&foo=1&foo=1")
    }

    @Test func `URLParameterEncodeStringKeyDictionaryValueParameter`() throws {
        #expect(try query(["foo": ["bar": 1]]) == "foo%5Bbar%5D=1")
    }

    @Test func `URLParameterEncodeStringKeyNestedDictionaryValueParameter`() throws {
        #expect(try query(["foo": ["bar": ["baz": 1]]]) == "foo%5Bbar%5D%5Bbaz%5D=1")
    }

    @Test func `URLParameterEncodeStringKeyNestedDictionaryArrayValueParameter`() throws {
        let parameters = ["foo": ["bar": ["baz": ["a", 1, true] as [Any]]]]
        let key = "foo%5Bbar%5D%5Bbaz%5D%5B%5D"
        #expect(try query(parameters) == "\(key)=a&\(key)=1&\(key)=1")
    }

    @Test func `URLParameterEncodeStringKeyNestedDictionaryArrayValueParameterWithoutBrackets`()
        throws
    {
        let encoding = URLEncoding(arrayEncoding: .noBrackets)
        let parameters = ["foo": ["bar": ["baz": ["a", 1, true] as [Any]]]]
        let key = "foo%5Bbar%5D%5Bbaz%5D"
        #expect(try query(parameters, by: encoding) == "\(key)=a&\(key)=1&\(key)=1")
    }

    /// As for the `NSNumber` above.
    @Test func `URLParameterLiteralBoolEncodingWorksAndDoesNotAffectNumbers`() throws {
        let encoding = URLEncoding(boolEncoding: .literal)
        let numbers: Parameters = [
            "a": 1, "b": 0, "c": 1.0, "d": 0.0, "e": NSNumber(value: 1), "f": NSNumber(value: 0),
            "g": NSNumber(value: 1.0), "h": NSNumber(value: 0.0),
        ]
        #expect(try query(numbers, by: encoding) == "a=1&b=0&c=1&d=0&e=1&f=0&g=1&h=0")
        let truths: Parameters = [
            "i": true, "j": false, "k": NSNumber(value: true), "l": NSNumber(value: false),
        ]
        #expect(try query(truths, by: encoding) == "i=true&j=false&k=true&l=false")
    }

    // MARK: Characters

    @Test func `ReservedCharactersArePercentEscapedMinusQuestionMarkAndForwardSlash`() throws {
        let escaped = "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"
        #expect(try query(["reserved": ":#[]@!$&'()*+,;="]) == "reserved=" + escaped)
    }

    @Test func `ReservedCharactersQuestionMarkAndForwardSlashAreNotPercentEscaped`() throws {
        #expect(try query(["reserved": "?/"]) == "reserved=?/")
    }

    @Test func `UnreservedNumericCharactersAreNotPercentEscaped`() throws {
        #expect(try query(["numbers": "0123456789"]) == "numbers=0123456789")
    }

    @Test func `UnreservedLowercaseCharactersAreNotPercentEscaped`() throws {
        let letters = "abcdefghijklmnopqrstuvwxyz"
        #expect(try query(["lowercase": letters]) == "lowercase=" + letters)
    }

    @Test func `UnreservedUppercaseCharactersAreNotPercentEscaped`() throws {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        #expect(try query(["uppercase": letters]) == "uppercase=" + letters)
    }

    @Test func `IllegalASCIICharactersArePercentEscaped`() throws {
        #expect(
            try query(["illegal": " \"#%<>[]\\^`{}|"])
                == "illegal=%20%22%23%25%3C%3E%5B%5D%5C%5E%60%7B%7D%7C")
    }

    @Test func `URLParameterEncodeStringWithAmpersandKeyStringWithAmpersandValueParameter`() throws
    {
        let parameters = ["foo&bar": "baz&qux", "foobar": "bazqux"]
        #expect(try query(parameters) == "foo%26bar=baz%26qux&foobar=bazqux")
    }

    @Test func `URLParameterEncodeStringWithQuestionMarkKeyStringWithQuestionMarkValueParameter`()
        throws
    {
        #expect(try query(["?foo?": "?bar?"]) == "?foo?=?bar?")
    }

    @Test func `URLParameterEncodeStringWithSlashKeyStringWithQuestionMarkValueParameter`() throws {
        #expect(try query(["foo": "/bar/baz/qux"]) == "foo=/bar/baz/qux")
    }

    @Test func `URLParameterEncodeStringWithSpaceKeyStringWithSpaceValueParameter`() throws {
        #expect(try query([" foo ": " bar "]) == "%20foo%20=%20bar%20")
    }

    @Test func `URLParameterEncodeStringWithPlusKeyStringWithPlusValueParameter`() throws {
        #expect(try query(["+foo+": "+bar+"]) == "%2Bfoo%2B=%2Bbar%2B")
    }

    @Test func `URLParameterEncodeStringKeyPercentEncodedStringValueParameter`() throws {
        #expect(try query(["percent": "%25"]) == "percent=%2525")
    }

    @Test func `URLParameterEncodeStringKeyNonLatinStringValueParameter`() throws {
        let parameters = [
            "french": "français", "japanese": "日本語", "arabic": "العربية", "emoji": "😃",
        ]
        let expected = [
            "arabic=%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9", "emoji=%F0%9F%98%83",
            "french=fran%C3%A7ais", "japanese=%E6%97%A5%E6%9C%AC%E8%AA%9E",
        ]
        #expect(try query(parameters) == expected.joined(separator: "&"))
    }

    @Test func `URLParameterEncodeStringForRequestWithPrecomposedQuery`() throws {
        let url = Self.page + "movies?hd=[1]"
        #expect(try query(["page": "0"], of: url) == "hd=%5B1%5D&page=0")
    }

    @Test
    func
        `URLParameterEncodeStringWithPlusKeyStringWithPlusValueParameterForRequestWithPrecomposedQuery`()
        throws
    {
        let url = Self.page + "movie?hd=[1]"
        #expect(try query(["+foo+": "+bar+"], of: url) == "hd=%5B1%5D&%2Bfoo%2B=%2Bbar%2B")
    }

    @Test func `URLParameterEncodeStringWithThousandsOfChineseCharacters`() throws {
        let text = String(repeating: "一二三四五六七八九十", count: 2_000)
        let escaped = text.utf8.map { String(format: "%%%02X", $0) }.joined()
        #expect(try query(["chinese": text]) == "chinese=" + escaped)
    }

    // MARK: Methods

    @Test func `URLParameterEncodingEncodesGETParametersInURL`() throws {
        let request = try URLEncoding.default.encode(
            try URLRequest(url: Self.page, method: .get), with: ["foo": 1, "bar": 2])
        #expect(request.url?.query == "bar=2&foo=1")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(request.httpBody == nil)
    }

    @Test func `URLParameterEncodingEncodesPOSTParametersInHTTPBody`() throws {
        let request = try URLEncoding.default.encode(
            try URLRequest(url: Self.page, method: .post), with: ["foo": 1, "bar": 2])
        #expect(request.url?.query == nil)
        #expect(
            request.value(forHTTPHeaderField: "Content-Type")
                == "application/x-www-form-urlencoded; charset=utf-8")
        #expect(request.httpBody == Data("bar=2&foo=1".utf8))
    }

    @Test func `URLEncodedInURLParameterEncodingEncodesPOSTParametersInURL`() throws {
        let request = try URLEncoding.queryString.encode(
            try URLRequest(url: Self.page, method: .post), with: ["foo": 1, "bar": 2])
        #expect(request.url?.query == "bar=2&foo=1")
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(request.httpBody == nil)
    }
}

@Suite("ParameterEncodingTests: bodies", .timeLimit(.minutes(1)))
struct OriginalBodyParameterEncodingTests {
    private func request() throws -> URLRequest {
        URLRequest(url: try "https://example.com/".asURL())
    }

    private func object(_ request: URLRequest) throws -> NSObject? {
        let body = try #require(request.httpBody)
        return try JSONSerialization.jsonObject(with: body) as? NSObject
    }

    private func list(_ request: URLRequest) throws -> NSDictionary? {
        let body = try #require(request.httpBody)
        return try PropertyListSerialization.propertyList(from: body, format: nil) as? NSDictionary
    }

    @Test func `JSONParameterEncodeNilParameters`() throws {
        let request = try JSONEncoding.default.encode(try request(), with: nil)
        #expect(request.url?.query == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(request.httpBody == nil)
    }

    @Test func `JSONParameterEncodeComplexParameters`() throws {
        let parameters: Parameters = [
            "foo": "bar", "baz": ["a", 1, true] as [Any],
            "qux": ["a": 1, "b": [2, 2], "c": [3, 3, 3]] as [String: Any],
        ]
        let request = try JSONEncoding.default.encode(try request(), with: parameters)
        #expect(request.url?.query == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(try object(request) == parameters as NSDictionary)
    }

    @Test func `JSONParameterEncodeArray`() throws {
        let array = ["foo", "bar"]
        let request = try JSONEncoding.default.encode(try request(), withJSONObject: array)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(try object(request) == array as NSArray)
    }

    @Test func `JSONParameterEncodeParametersRetainsCustomContentType`() throws {
        var given = try request()
        given.setValue("application/custom-json-type+json", forHTTPHeaderField: "Content-Type")
        let request = try JSONEncoding.default.encode(given, with: ["foo": "bar"])
        #expect(
            request.value(forHTTPHeaderField: "Content-Type") == "application/custom-json-type+json"
        )
    }

    @Test func `PropertyListParameterEncodeNilParameters`() throws {
        let request = try PropertyListEncoding.default.encode(try request(), with: nil)
        #expect(request.url?.query == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(request.httpBody == nil)
    }

    @Test func `PropertyListParameterEncodeComplexParameters`() throws {
        let parameters: Parameters = [
            "foo": "bar", "baz": ["a", 1, true] as [Any],
            "qux": ["a": 1, "b": [2, 2], "c": [3, 3, 3]] as [String: Any],
        ]
        let request = try PropertyListEncoding.default.encode(try request(), with: parameters)
        #expect(request.url?.query == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        #expect(try list(request) == parameters as NSDictionary)
    }

    @Test func `PropertyListParameterEncodeDateAndDataParameters`() throws {
        let parameters: Parameters = [
            "date": Date(timeIntervalSince1970: 100), "data": Data("data".utf8),
        ]
        let request = try PropertyListEncoding.default.encode(try request(), with: parameters)
        let list = try list(request)
        #expect(list?["date"] as? Date == Date(timeIntervalSince1970: 100))
        #expect(list?["data"] as? Data == Data("data".utf8))
    }

    @Test func `PropertyListParameterEncodeParametersRetainsCustomContentType`() throws {
        var given = try request()
        given.setValue("application/custom-plist-type+plist", forHTTPHeaderField: "Content-Type")
        let request = try PropertyListEncoding.default.encode(given, with: ["foo": "bar"])
        #expect(
            request.value(forHTTPHeaderField: "Content-Type")
                == "application/custom-plist-type+plist")
    }
}
