import TestSupport

@testable import OperationNetworking

@Suite("Generated JSON is read as Foundation reads it", .timeLimit(.minutes(5)))
struct JSONGeneratedTests {
    @Test(arguments: 0..<8)
    func `documents of every form`(seed: UInt64) {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<250 { JSONSameness.expect(Data(maker.document().utf8)) }
    }

    @Test(arguments: 8..<16)
    func `documents with a byte changed, lost or doubled`(seed: UInt64) {
        var maker = DocumentMaker(seed: seed)
        for _ in 0..<500 { JSONSameness.expect(maker.damaged(Data(maker.document().utf8))) }
    }

    @Test
    func `documents cut at every byte`() {
        let document = Data(
            "{\"é\\n\":[1,-2.5e3,true,null,\"\\ud83d\\ude00\"],\"b\":{\"c\":[]}} ".utf8)
        for count in 1...document.count { JSONSameness.expect(document.prefix(count)) }
        for count in 1..<document.count { JSONSameness.expect(document.dropFirst(count)) }
    }

    @Test
    func `texts that end at every place of simdjson's blocks`() {
        for count in 0..<200 {
            let text = String(repeating: "x", count: count)
            for document in ["[\"\(text)\"]", "[\"\(text)é\",1]", "[\"\(text)\\n\\\"\",{}]"] {
                JSONSameness.expect(Data(document.utf8))
                #expect(JSONReaders.shared.object(Data(document.utf8)) != nil)
            }
        }
    }

    @Test
    func `large documents, and small ones behind them`() {
        var maker = DocumentMaker(seed: 16, isPlain: true)
        for count in [10, 1_000, 10, 6_000, 1] {
            let document = Data(maker.list(count).utf8)
            JSONSameness.expect(document)
            #expect(JSONReaders.shared.object(document) != nil)
        }
    }

    @Test
    func `many threads read at once, each its own documents`() async {
        let readers = JSONReaders()
        let areSame = await withTaskGroup(of: Bool.self) { group in
            for seed in 100..<116 {
                group.addTask {
                    var maker = DocumentMaker(seed: UInt64(seed), isPlain: true)
                    return (0..<20).allSatisfy { _ in
                        let document = Data(maker.list(20).utf8)
                        guard let seen = readers.object(document),
                            let expected = try? JSONSerialization.jsonObject(with: document)
                        else { return false }
                        return JSONSameness.difference(seen, expected) == nil
                    }
                }
            }
            return await group.allSatisfy { $0 }
        }
        #expect(areSame)
    }
}

/// Makes JSON by chance, the same for the same seed.
private struct DocumentMaker {
    private var state: UInt64
    /// Nothing that Foundation alone can read, or nobody.
    private let isPlain: Bool

    init(seed: UInt64, isPlain: Bool = false) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        self.isPlain = isPlain
    }

    /// A number below the bound.
    private mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: state >> 33) % bound
    }

    private mutating func one<Value>(of values: [Value]) -> Value { values[next(values.count)] }

    mutating func document() -> String { space() + container(depth: 5) + space() }

    mutating func list(_ count: Int) -> String {
        "[" + (0..<count).map { _ in record() }.joined(separator: ",") + "]"
    }

    /// What a service might send: many with the same names, some with others.
    private mutating func record() -> String {
        let extra = next(4) == 0 ? ",\(text()):\(value(depth: 1))" : ""
        return "{\"id\":\(next(1_000_000)),\"name\":\(text()),\"price\":\(number()),\"tags\":"
            + "[\(text()),\(text())],\"place\":{\"lat\":\(number()),\"on\":true}\(extra)}"
    }

    mutating func damaged(_ document: Data) -> Data {
        var bytes = [UInt8](document)
        let index = next(bytes.count)
        switch next(4) {
        case 0: bytes[index] = UInt8(next(256))
        case 1: bytes[index] = one(of: Array("{}[],:\"\\0-.eEu \n".utf8))
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes.insert(bytes[index], at: index)
        }
        return Data(bytes)
    }

    private mutating func container(depth: Int) -> String {
        let isObject = next(2) == 0
        let parts = (0..<next(6)).map { _ in
            let name = isObject ? text() + space() + ":" : ""
            return space() + name + space() + value(depth: depth - 1) + space()
        }
        let inside = parts.isEmpty ? space() : parts.joined(separator: ",")
        return isObject ? "{\(inside)}" : "[\(inside)]"
    }

    private mutating func value(depth: Int) -> String {
        switch next(depth > 0 ? 9 : 6) {
        case 0: one(of: ["true", "false", "null"])
        case 1, 2, 3: number()
        case 4, 5: text()
        default: container(depth: depth)
        }
    }

    private mutating func space() -> String {
        next(4) == 0 ? one(of: [" ", "\n", "\t", "\r\n", "  ", " \n\t "]) : ""
    }

    private mutating func digits(_ most: Int) -> String {
        (0...next(most)).map { _ in String(next(10)) }.joined()
    }

    private mutating func number() -> String {
        let sign = one(of: ["", "", "-"])
        let most = !isPlain && next(3) == 0 ? 20 : 4
        let whole = next(3) == 0 ? "0" : one(of: ["1", "5", "9"]) + digits(most)
        let fraction = next(2) == 0 ? "." + digits(next(2) == 0 ? 22 : 3) : ""
        let exponent =
            next(4) == 0 ? one(of: ["e", "E", "e-", "E+", "e+0"]) + digits(isPlain ? 1 : 3) : ""
        return sign + whole + fraction + exponent
    }

    private mutating func text() -> String {
        let pieces = [
            "a", "name", "é", "e\u{301}", "\u{1F600}", "日本", "，", "\\n", "\\\"", "\\\\", "\\/",
            "\\u0041", "\\u00e9", "\\uD83D\\uDE00", "\\uFEFF", " ", "{", "]", ",", ":",
            "lorem ipsum",
            "\\ud800", "\u{FEFF}",
        ]
        // The last two are what Foundation alone reads.
        let count = !isPlain && next(30) == 0 ? pieces.count : pieces.count - 2
        return "\"" + (0..<next(6)).map { _ in pieces[next(count)] }.joined() + "\""
    }
}
