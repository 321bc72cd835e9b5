import TestSupport

@testable import OperationNetworking

/// Beside the recorded cases of query-strings.json, which ParityTests play.
/// QS-1 to QS-11.
@Suite("Parameters as a query", .timeLimit(.minutes(5)))
struct QueryStringTests {
    private func query(_ parameters: Any?) throws -> String {
        try QueryString.text(of: parameters)
    }

    private func plain(_ parameters: Any?) throws -> String {
        try query(parameters).removingPercentEncoding ?? ""
    }

    @Test
    func `Swift's collections and Foundation's give the same query`() throws {
        let expected = "a[]=1&a[]=x&d[k]=v&s=p&s=q"
        let swift: [String: Any] = [
            "a": [1, "x"] as [Any], "d": ["k": "v"], "s": ["q", "p"] as Set<String>,
        ]
        let foundation = NSMutableDictionary(dictionary: [
            "a": NSMutableArray(array: [1, "x"]), "d": NSDictionary(dictionary: ["k": "v"]),
            "s": NSMutableSet(array: ["q", "p"]),
        ])
        #expect(try plain(swift) == expected)
        #expect(try plain(foundation) == expected)
        #expect(try plain(["a": [1, 2, 3][1...]]) == "a[]=2&a[]=3")
        #expect(try plain(["a": ContiguousArray(["x"])]) == "a[]=x")
        #expect(
            try plain(["a": true, "b": ["x": 2.0]] as [AnyHashable: AnyHashable]) == "a=1&b[x]=2")
        #expect(try plain(["s": NSOrderedSet(array: ["q", "p"])]) == "s=q&s=p")
    }

    @Test(
        arguments: [
            (true, "1"), (false, "0"), (7, "7"), (Int8(-3), "-3"), (UInt64.max, "\(UInt64.max)"),
            (Int64.min, "\(Int64.min)"), (2.5, "2.5"), (3.0, "3"), (Float(1.1), "1.1"),
            (CGFloat(0.5), "0.5"), (CGFloat(10), "10"), (Float(1), "1"), (Float16(2), "2"),
            (NSNumber(value: 1.0), "1"), (NSNumber(value: Float(3)), "3"), (1e-7, "1e-07"),
            (1e21, "1e+21"), (Double.infinity, "inf"),
            (NSNumber(value: true), "1"), (NSNumber(value: 0.1), "0.1"),
            (NSDecimalNumber(string: "1.25"), "1.25"), ("s", "s"), ("sub".dropFirst(), "ub"),
            (Character("é"), "é"),
            (Date(timeIntervalSince1970: 0), "1970-01-01 00:00:00 +0000"),
            (Data([1, 2, 3, 4, 255]), "<01020304 ff>"),
        ] as [(any Sendable, String)])
    func `a leaf is written as its description`(value: any Sendable, text: String) throws {
        #expect(try plain(["k": value]) == "k=\(text)")
    }

    @Test
    func `URLs and UUIDs are their text`() throws {
        let url = try #require(URL(string: "http://h/p"))
        let uuid = UUID()
        #expect(try plain(["k": url]) == "k=http://h/p")
        #expect(try plain(["k": uuid]) == "k=\(uuid.uuidString)")
        #expect(try plain(["k": NSMutableString(string: "m")]) == "k=m")
    }

    @Test
    func `a value that is nil stands without '=', however often it is wrapped`() throws {
        let none: Int? = nil
        let twice: Int?? = .some(.none)
        let some: String?? = "x"
        #expect(try query(["a": none as Any]) == "a")
        #expect(try query(["a": twice as Any, "b": some as Any]) == "a&b=x")
        #expect(try query(["a": NSNull(), "b": ""] as [String: Any]) == "a&b=")
        #expect(try plain(["a": [nil, "x"] as [String?]]) == "a[]&a[]=x")
        #expect(try query(["a": nil, "b": 1] as [String: Int?]) == "a&b=1")
        #expect(try query(none as Any) == "")
        #expect(try query(nil) == "")
    }

    @Test
    func `keys of any type are their text, in its order`() throws {
        #expect(try query([10: "a", 9: "b", 1: "c"]) == "1=c&10=a&9=b")
        #expect(try query([5: "n", "a": "t"] as [AnyHashable: String]) == "5=n&a=t")
        #expect(try query(["B": 1, "a": 2, "b": 3, "A": 4]) == "A=4&B=1&a=2&b=3")
    }

    @Test
    func `members that look alike, and members that are containers, have one order`() throws {
        let keys = ["5": "text", 5: "number"] as [AnyHashable: String]
        #expect(try query(["k": keys]) == "k%5B5%5D=number&k%5B5%5D=text")
        let members = NSSet(array: [["b"], ["k": 1], ["a", "c"], ["a"], "z", 1, NSSet(array: [0])])
        #expect(try plain(["s": members]) == "s[]=a&s[]=a&s[]=c&s[]=b&s=1&s=z&s[k]=1&s=0")
        let letters = "abcdefghij".map(String.init)
        let dictionary = Dictionary(uniqueKeysWithValues: letters.map { ($0, 1) })
        let lines = letters.map { "    \($0) = 1;\n" }.joined()
        #expect(ParameterText.text(of: dictionary) == "{\n\(lines)}")
        let set = letters.joined(separator: ",\n    ")
        #expect(ParameterText.text(of: Set(letters)) == "{(\n    \(set)\n)}")
    }

    @Test
    func `a key without text leaves the '=', and the brackets of an array`() throws {
        #expect(try query(["": "v"]) == "=v")
        #expect(try plain(["": ["v"]]) == "[]=v")
    }

    @Test
    func `empty containers vanish`() throws {
        let parameters: [String: Any] = [
            "a": [String: Int](), "b": [Int](), "c": NSSet(), "d": [[Int]()],
        ]
        #expect(try query(parameters) == "")
    }

    @Test
    func `a pair keeps the raw value: bytes stay bytes`() throws {
        let pairs = try QueryString.pairs(of: ["a": ["b": Data([1])], "n": NSNull(), "t": 1.5])
        #expect(pairs.map(\.field) == ["a[b]", "n", "t"])
        guard case .data(let data) = pairs[0].value, case .null = pairs[1].value,
            case .text(let text) = pairs[2].value
        else {
            Issue.record("\(pairs)")
            return
        }
        #expect(data == Data([1]) && text == "1.5")
    }

    @Test
    func `nesting beyond the limit, and a container in itself, are errors`() throws {
        func nested(_ depth: Int) -> Any {
            (0..<depth).reduce(1 as Any) { inner, _ in [inner] }
        }
        #expect(try query(["k": nested(500)]).hasSuffix("=1"))
        let cycle = NSMutableArray()
        cycle.add(cycle)
        cycle.add(cycle)
        defer { cycle.removeAllObjects() }
        for parameters in [nested(10_000), ["k": cycle]] {
            let error = #expect(throws: RequestSerializationError.self) { try query(parameters) }
            #expect(error?.reason == .nestedTooDeeply)
        }
    }
}
