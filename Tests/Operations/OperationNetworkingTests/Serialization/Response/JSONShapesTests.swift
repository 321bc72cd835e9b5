import TestSupport

@testable import OperationNetworking

@Suite("Objects with the same keys are read as Foundation reads them", .timeLimit(.minutes(5)))
struct JSONShapesTests {
    private func expectSame(_ members: [String], sourceLocation: SourceLocation = #_sourceLocation)
    {
        let document = Data("[\(members.map { "{\($0)}" }.joined(separator: ","))]".utf8)
        JSONSameness.expect(document)
        #expect(JSONReaders.shared.object(document) != nil, sourceLocation: sourceLocation)
    }

    @Test(arguments: 0...40)
    func `four in a row, each with its own values`(count: Int) {
        let objects = (0..<4).map { turn in
            (0..<count).map { "\"key\($0)\":[\(turn),{\"a\":\($0)}]" }.joined(separator: ",")
        }
        expectSame(objects)
    }

    @Test
    func `the same keys in another order, and others of the same number, in turn`() {
        let forms = ["\"a\":1,\"b\":2", "\"b\":3,\"a\":4", "\"a\":5,\"c\":6", "\"a\":7,\"b\":null"]
        for first in forms {
            for second in forms {
                expectSame([first, first, first, second, first, second, second])
            }
        }
    }

    @Test
    func `a key twice, and keys that Swift takes for the same text`() {
        let twice = "\"a\":1,\"a\":2"
        // The second letter is composed, and then of two characters.
        let alike = "\"\u{E9}\":1,\"e\u{301}\":2"
        for form in [twice, alike] { expectSame([form, form, form, form]) }
        let composed = "\"\u{E9}\":1,\"x\":2"
        let decomposed = "\"e\u{301}\":1,\"x\":2"
        expectSame([composed, composed, composed, decomposed, decomposed, decomposed])
    }

    @Test
    func `objects within objects of the same keys`() {
        func nested(_ depth: Int) -> String {
            "\"a\":\(depth),\"b\":" + (depth == 0 ? "null" : "{\(nested(depth - 1))}")
        }
        expectSame([nested(5), nested(3), nested(5), nested(0)])
    }

    @Test
    func `objects within objects with as many other keys`() {
        let (plain, other) = ("\"a\":1,\"b\":2", "\"c\":5,\"d\":6")
        expectSame([plain, "\"a\":1,\"b\":{\(other)}", other, plain, other])
        var random = SeededNumbers(seed: 24)
        let sets = [["a", "b"], ["c", "d"], ["a", "c"]]
        func object(_ depth: Int) -> String {
            let keys = sets.randomElement(using: &random) ?? []
            return keys.map { key in
                let isNested = depth > 0 && Bool.random(using: &random)
                return "\"\(key)\":"
                    + (isNested
                        ? "{\(object(depth - 1))}" : "\(Int.random(in: 0...9, using: &random))")
            }.joined(separator: ",")
        }
        for _ in 0..<500 { expectSame((0..<6).map { _ in object(3) }) }
    }

    @Test
    func `integers from -300 to 300, as one object or not`() {
        expectSame((-300...300).map { "\"n\":\($0)" })
    }

    @Test
    func `who changes one of them changes no other`() throws {
        let document = Data(
            "[{\"a\":1,\"b\":2},{\"a\":3,\"b\":4},{\"a\":5,\"b\":6},{\"a\":7,\"b\":8}]".utf8)
        var list = try #require(JSONReaders.shared.object(document) as? [[String: Any]])
        list[2]["a"] = "changed"
        list[3]["c"] = "new"
        #expect(list.map { $0["a"] as? Int } == [1, 3, nil, 7])
        #expect(list.map(\.count) == [2, 2, 2, 3])
    }
}
