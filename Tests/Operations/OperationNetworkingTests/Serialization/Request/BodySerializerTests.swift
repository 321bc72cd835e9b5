import TestSupport

@testable import OperationNetworking

/// RQ-10 and RQ-11.
@Suite("JSON and property lists as bodies", .timeLimit(.minutes(5)))
struct BodySerializerTests {
    private let json = JSONRequestSerializer()

    private func body(_ serializer: HTTPRequestSerializer, _ parameters: Any?) throws -> Data? {
        try serializer.request(method: "POST", urlString: "http://h/p", parameters: parameters)
            .httpBody
    }

    private func text(_ parameters: Any?) throws -> String {
        String(decoding: try #require(try body(json, parameters)), as: UTF8.self)
    }

    @Test
    func `Swift's values are written as JSON, members in order of their names`() throws {
        let none: Int? = nil
        let parameters: [String: Any] = [
            "b": true, "a": [1, 2.5, "x", none as Any, NSNull()] as [Any], "o": Optional(5) as Any,
            "s": "sub/".dropFirst(), "c": Character("é"), "g": CGFloat(0.5), "n": false as NSNumber,
        ]
        let expected =
            #"{"a":[1,2.5,"x",null,null],"b":true,"c":"é","g":0.5,"n":false,"o":5,"s":"ub\/"}"#
        #expect(try text(parameters) == expected)
        for _ in 0..<10 { #expect(try text(parameters) == expected) }
        let hashable: [AnyHashable: AnyHashable] = ["a": true, "b": [1, 2]]
        #expect(try text(hashable) == #"{"a":true,"b":[1,2]}"#)
    }

    @Test
    func `what JSON cannot hold is an error that names the place, and no request`() throws {
        struct Custom {}
        let cases: [(Any, String)] = [
            (["a": ["b": Date()]], "a.b"), (["a": [0, Double.nan]], "a.1"),
            (["a": -Double.infinity], "a"), (["a": Float.nan], "a"), (["a": Data()], "a"),
            (["a": Set([1])], "a"), (["a": Custom()], "a"), (["a": NSObject()], "a"),
            ([1: "x"], "the top"), (["a": [1: "x"]], "a"), ("text", "the top"), (5, "the top"),
            (NSNull(), "the top"), (["a": NSDecimalNumber.notANumber], "a"),
        ]
        for (parameters, place) in cases {
            let error = #expect(throws: RequestSerializationError.self) {
                try body(json, parameters)
            }
            #expect(error?.reason == .unsupportedValue, "\(parameters)")
            #expect(error?.explanation.contains(place) == true, "\(error?.explanation ?? "")")
        }
    }

    @Test
    func `nesting beyond the limit, and a container in itself, are errors`() throws {
        func nested(_ depth: Int) -> Any {
            (0..<depth).reduce([] as Any) { inner, _ in [inner] }
        }
        let cycle = NSMutableDictionary()
        cycle["k"] = cycle
        defer { cycle.removeAllObjects() }
        #expect(try text(nested(400)).count == 802)
        for serializer in [json, PropertyListRequestSerializer()] {
            for parameters in [nested(10_000), cycle, [cycle]] {
                let error = #expect(throws: RequestSerializationError.self) {
                    try body(serializer, parameters)
                }
                #expect(error?.reason == .nestedTooDeeply)
            }
        }
    }

    @Test
    func `options reach the writer; fragments are taken when they are allowed`() throws {
        json.writingOptions = [.prettyPrinted, .withoutEscapingSlashes]
        #expect(try text(["a": "/"]) == "{\n  \"a\" : \"/\"\n}")
        let fragments = JSONRequestSerializer(writingOptions: .fragmentsAllowed)
        #expect(try body(fragments, "x") == Data("\"x\"".utf8))
    }

    @Test(
        arguments: ["POST", "PUT", "PATCH"])
    func `without parameters there is no body and no type, also when the nil is wrapped`(
        method: String
    ) throws {
        let none: [String: Any]? = nil
        for serializer in [json, PropertyListRequestSerializer()] {
            for parameters in [nil, none as Any] as [Any?] {
                let request = try serializer.request(
                    method: method, urlString: "http://h/p", parameters: parameters)
                #expect(request.httpBody == nil)
                #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
                #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
            }
        }
    }

    @Test
    func `a property list comes back as it was, in both formats`() throws {
        let parameters: [String: Any] = [
            "d": Date(timeIntervalSince1970: 9), "b": Data([1]), "n": [1, 2.5, true] as [Any],
            "s": "é<&", "sub": "xy".dropFirst(),
        ]
        let expected = NSDictionary(dictionary: parameters.merging(["sub": "y"]) { $1 })
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try #require(
                try body(PropertyListRequestSerializer(format: format), parameters))
            var seen = PropertyListSerialization.PropertyListFormat.openStep
            let object = try PropertyListSerialization.propertyList(from: data, format: &seen)
            #expect(seen == format && expected.isEqual(object))
        }
    }

    @Test
    func `what a property list cannot hold, or be, is an error and no request`() throws {
        let url = try #require(URL(string: "http://h"))
        for parameters in [["a": NSNull()], ["a": url], ["a": [nil] as [Int?]]] as [[String: Any]] {
            let error = #expect(throws: RequestSerializationError.self) {
                try body(PropertyListRequestSerializer(), parameters)
            }
            #expect(error?.reason == .unsupportedValue)
        }
        let error = #expect(throws: RequestSerializationError.self) {
            try body(PropertyListRequestSerializer(format: .openStep), ["a": 1])
        }
        #expect(error?.reason == .encodingFailed)
    }
}
