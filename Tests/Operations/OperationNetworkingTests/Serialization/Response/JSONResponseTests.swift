import TestSupport

@testable import OperationNetworking

/// RE-9 to RE-11.
@Suite("JSON of a response", .timeLimit(.minutes(5)))
struct JSONResponseTests {
    private func result(
        _ body: Data, _ type: String = "application/json", status: Int = 200,
        _ set: (JSONResponseSerializer) -> Void = { _ in }
    ) -> SerializedResponse {
        let serializer = JSONResponseSerializer()
        set(serializer)
        return serializer.responseObject(for: Responses.http(status, type), data: body)
    }

    private func result(
        _ body: String, _ set: (JSONResponseSerializer) -> Void = { _ in }
    ) -> SerializedResponse {
        result(Data(body.utf8), "application/json", set)
    }

    // MARK: Charsets (wound 35)

    @Test(
        arguments: [
            ("utf-8", String.Encoding.utf8), ("iso-8859-1", .isoLatin1), ("utf-16", .utf16),
            ("utf-16le", .utf16LittleEndian), ("\"utf-16be\"", .utf16BigEndian),
            ("utf-32", .utf32), ("x-bogus", .utf8),
        ])
    func `a declared charset is honoured`(name: String, encoding: String.Encoding) throws {
        let body = try #require("{\"a\":\"é\"}".data(using: encoding))
        let result = result(body, "application/json; charset=\(name)")
        #expect(result.error == nil)
        #expect(result.object as? [String: String] == ["a": "é"])
    }

    @Test(
        arguments: [
            ("gb2312", "日本", [0xC8, 0xD5, 0xB1, 0xBE]), ("gbk", "日本", [0xC8, 0xD5, 0xB1, 0xBE]),
            ("gb18030", "日本", [0xC8, 0xD5, 0xB1, 0xBE]), ("big5", "日本", [0xA4, 0xE9, 0xA5, 0xBB]),
            ("euc-kr", "한국", [0xC7, 0xD1, 0xB1, 0xB9]), ("euc-jp", "日本", [0xC6, 0xFC, 0xCB, 0xDC]),
            ("shift_jis", "日本", [0x93, 0xFA, 0x96, 0x7B]), ("koi8-r", "мир", [0xCD, 0xC9, 0xD2]),
            ("iso-2022-jp", "日本", [27, 36, 66, 70, 124, 75, 92, 27, 40, 66]),
            ("windows-1252", "€", [0x80]),
        ] as [(String, String, [UInt8])])
    func `charsets of many bytes and of one are read`(name: String, text: String, bytes: [UInt8]) {
        let body = Data(Array("[\"".utf8) + bytes + Array("\"]".utf8))
        #expect(result(body, "text/json;charset=\(name)").object as? [String] == [text])
    }

    @Test
    func `without a charset the serializer's own encoding holds`() {
        let body = Data(Array("[\"".utf8) + [0xE9] + Array("\"]".utf8))
        #expect(result(body) { $0.stringEncoding = .isoLatin1 }.object as? [String] == ["é"])
        let declared = result(body, "text/json; charset=utf-8") { $0.stringEncoding = .isoLatin1 }
        #expect(declared.object == nil && declared.error != nil)
    }

    @Test(
        arguments: [
            "application/json", "text/json; charset=utf-8", "text/json; charset=us-ascii",
            "text/json; charset=euc-jp",
        ])
    func `bytes that are no text in their charset are an error, never nothing`(type: String) throws
    {
        let body = Data(Array("[\"".utf8) + [0xE9] + Array("\"]".utf8))
        let result = result(body, type)
        let error = try #require(result.nsError)
        #expect(result.object == nil)
        #expect(error.domain == NetworkingError.responseSerializationDomain)
        #expect(error.code == NSURLErrorCannotDecodeContentData)
        #expect(error.localizedFailureReason != nil)
        #expect(error.userInfo[NetworkingError.failingURLResponseDataKey] as? Data == body)
    }

    @Test
    func `an error status says more than undecodable text`() {
        let result = result(Data([0xFF, 0xFE, 0xFF]), status: 500)
        #expect(result.object == nil)
        #expect(result.nsError?.code == -1011)
    }

    @Test
    func `a byte order mark is taken`() {
        #expect(result(Data([0xEF, 0xBB, 0xBF]) + Data("[1]".utf8)).object as? [Int] == [1])
    }

    @Test
    func `UTF-8 reaches the parser as the same bytes`() throws {
        let body = Data(String(repeating: "é", count: 1_000).utf8)
        let same = try #require(JSONBody.utf8(body, .utf8))
        body.withUnsafeBytes { left in
            same.withUnsafeBytes { right in #expect(left.baseAddress == right.baseAddress) }
        }
    }

    // MARK: Options

    @Test
    func `a value alone is taken only with the option`() {
        #expect(result("1").nsError?.code == 3840)
        #expect(result("1") { $0.readingOptions = .fragmentsAllowed }.object as? Int == 1)
    }

    @Test
    func `the outermost container is mutable with the option, and not without`() {
        func object(_ body: String) -> Any? {
            result(body) { $0.readingOptions = .mutableContainers }.object
        }
        #expect(object("{\"a\":[1]}") is NSMutableDictionary)
        #expect(object("[{\"a\":1}]") is NSMutableArray)
        #expect(!(result("{\"a\":1}").object is NSMutableDictionary))
    }

    @Test
    func `null members go at every depth, null elements stay unless asked`() throws {
        let body = "{\"a\":null,\"b\":[null,{\"c\":null,\"d\":[null,1]}],\"e\":{\"f\":null}}"
        let members = try #require(
            result(body) { $0.removesKeysWithNullValues = true }.object as? NSDictionary)
        let expected: NSDictionary = [
            "b": [NSNull(), ["d": [NSNull(), 1]]], "e": [String: Any](),
        ]
        #expect(members == expected)
        let elements = try #require(
            result(body) { $0.removesNullElements = true }.object as? NSDictionary)
        let others: NSDictionary = [
            "a": NSNull(), "b": [["c": NSNull(), "d": [1]]], "e": ["f": NSNull()],
        ]
        #expect(elements == others)
    }

    @Test
    func `nulls are left out of a mutable container too`() {
        let object = result("{\"a\":null,\"b\":1}") {
            $0.removesKeysWithNullValues = true
            $0.readingOptions = .mutableContainers
        }.object
        #expect(object as? NSMutableDictionary == ["b": 1])
    }

    @Test
    func `a null alone stays`() {
        let object = result("null") {
            $0.removesKeysWithNullValues = true
            $0.removesNullElements = true
            $0.readingOptions = .fragmentsAllowed
        }.object
        #expect(object is NSNull)
    }
}
