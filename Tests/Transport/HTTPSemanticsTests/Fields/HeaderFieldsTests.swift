import TestSupport

@testable import HTTPSemantics

@Suite("Header fields", .timeLimit(.minutes(1)))
struct HeaderFieldsTests {
    private let fields: HeaderFields = [
        "Set-Cookie": "a=1", "ETag": "\"x\"", "set-cookie": "b=2",
    ]

    @Test
    func `lines keep their order and spelling; names are found in either case`() {
        #expect(fields.map(\.name) == ["Set-Cookie", "ETag", "set-cookie"])
        #expect(fields.map(\.value) == ["a=1", "\"x\"", "b=2"])
        #expect(fields.values(of: "SET-COOKIE") == ["a=1", "b=2"])
        #expect(fields["etag"] == "\"x\"")
        #expect(fields["Age"] == nil)
        #expect(fields.count == 3)
    }

    @Test
    func `setting replaces all lines of a name, removing leaves the others`() {
        var fields = fields
        fields.set("SET-Cookie", to: "c=3")
        #expect(fields.map(\.name) == ["ETag", "SET-Cookie"])
        fields.remove("etag")
        #expect(fields == ["SET-Cookie": "c=3"])
        fields.remove("Age")
        #expect(fields.count == 1)
    }

    @Test
    func `lists that hold the same lines are equal, however they came about`() {
        var other: HeaderFields = ["Age": "7", "Set-Cookie": "a=1"]
        other.remove("Age")
        other.append("ETag", "\"x\"")
        other.append("set-cookie", "b=2")
        #expect(other == fields)
        #expect(other.hashValue == fields.hashValue)
        #expect(other != ["Set-Cookie": "a=1"])
        // The same bytes cut in another place.
        #expect(HeaderFields([("ab", "c")]) != HeaderFields([("a", "bc")]))
    }

    @Test
    func `bytes that are no UTF-8 are read as ISO 8859-1, and none is lost`() {
        var fields = HeaderFields()
        Array("X".utf8).withUnsafeBytes { name in
            [UInt8]([0x67, 0xFC, 0x6E]).withUnsafeBytes { fields.append(name: name, value: $0) }
        }
        #expect(fields["x"] == "gün")
        var values: [[UInt8]] = []
        fields.forEachValue(of: "x") { values.append(Array($0)) }
        Array("é".utf8).withUnsafeBytes { fields.appendToLast($0) }
        fields.forEachValue(of: "x") { values.append(Array($0)) }
        #expect(values == [[0x67, 0xFC, 0x6E], [0x67, 0xFC, 0x6E, 0x20, 0xC3, 0xA9]])
    }

    @Test
    func `a line that goes on belongs to the last one, if there is one`() {
        var none = HeaderFields()
        Array("x".utf8).withUnsafeBytes { none.appendToLast($0) }
        #expect(none == [:])
        var fields: HeaderFields = ["A": "1", "B": "2"]
        Array("3".utf8).withUnsafeBytes { fields.appendToLast($0) }
        #expect(fields == ["A": "1", "B": "2 3"])
    }

    @Test
    func `a list is made of the members of all its lines, in lower case`() {
        let fields: HeaderFields = [
            "Connection": "Close, X-A", "connection": "\"a,b\", ,keep-alive",
        ]
        #expect(fields.list(of: "CONNECTION") == ["close", "x-a", "\"a,b\"", "keep-alive"])
    }

    @Test
    func `coded and decoded, a list is the same; the form is that of caches on disk`() throws {
        let data = try JSONEncoder().encode(fields)
        #expect(try JSONDecoder().decode(HeaderFields.self, from: data) == fields)
        let old = Data(#"{"all":[{"name":"Age","value":"7"}]}"#.utf8)
        #expect(try JSONDecoder().decode(HeaderFields.self, from: old) == ["Age": "7"])
    }
}
