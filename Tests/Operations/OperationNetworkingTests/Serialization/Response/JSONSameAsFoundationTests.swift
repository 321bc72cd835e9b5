import TestSupport

@testable import OperationNetworking

@Suite("JSON is read as Foundation reads it", .timeLimit(.minutes(5)))
struct JSONSameAsFoundationTests {
    /// Whether a document is read without Foundation.
    private func isReadHere(_ document: Data) -> Bool {
        JSONReaders.shared.object(document) != nil
    }

    @Test(
        arguments: [
            "0", "-0", "0.0", "-0.0", "0e0", "-0e-0", "0e999999999999", "1", "-1", "10", "1.0",
            "1.50", "-1.5", "0.1", "1e5", "1E5", "1e+5", "1E+5", "1e-5", "1e05", "1.5E-7",
            "4.9e-324", "2.5e-324", "2.4e-324", "1e-400", "-1e-400", "123456789e-400",
            "2.2250738585072011e-308", "1.7976931348623157e308", "9007199254740993",
            "9007199254740993.0", "999999999999999999", "9223372036854775807",
            "9223372036854775808", "18446744073709551615", "-999999999999999999",
            "-1000000000000000000", "-1000000000000000001", "-9223372036854775808",
            "0.123456789012345", "0.1234567890123456", "-0.123456789012345", "48.138999999999996",
            "-0.12345678901234567", "1.000000000000000000", "123456789012345.67",
            "1.2345678901234567e127", "1.2345678901234567e128", "1.2345678901234567e-128",
            "1.2345678901234567e-129", "1.2345678901234567E5", "1.2345678901e+0000000005",
            "1234567890123456789012345678901234567890.5", "0.00000000000000000000000000001",
            "0.00000000000000000", "-0.00000000000000000", "1234567890123456.50",
            "-1000000000000000000.0", "9999999999999999999.5", "999999999999999999.9",
            "0.00000001234567890123456789", "100000000000000000.0", "12345678.9012345678",
            "-1.500000000000000000000000000000000000", "1.23456789012345e-7",
        ])
    func `numbers are of the same types and values`(number: String) {
        for document in ["[\(number)]", "{\"a\":\(number) }", "[[],{}, \(number) \t\n\r\n\n,1]"] {
            JSONSameness.expect(Data(document.utf8))
            #expect(isReadHere(Data(document.utf8)))
        }
    }

    @Test(arguments: 1...45)
    func `long numbers are the same decimal numbers, wherever the point is`(count: Int) {
        for digits in ["1234567890", "9", "10", "05", "0000000000000000000000001", "0"] {
            let all = String(repeating: digits, count: 50).prefix(count)
            for point in 0..<count {
                let whole = all.prefix(point).drop { $0 == "0" }
                let number = "\(whole.isEmpty ? "0" : whole).\(all.dropFirst(point))"
                JSONSameness.expect(Data("[\(number),-\(number),{\"a\":\(number) }]".utf8))
            }
        }
        let many = String(repeating: "0", count: count * 5)
        JSONSameness.expect(Data("[0.\(many)1234567890123456789,-0.\(many)1]".utf8))
    }

    @Test(
        arguments: [
            "18446744073709551616", "-9223372036854775809", "1e400", "-1E400",
            "1.7976931348623159e308", "00", "01", "-01", ".5", "5.", "1.e5", "+1", "-", "1e", "1e+",
            "NaN", "Infinity", "-Infinity", "0x10", "1_000", "1 2", "1.2.3", "--1", "1e5.5",
        ])
    func `what is no number, and what no integer holds, is left to Foundation`(number: String) {
        for document in ["[\(number)]", "{\"a\":\(number)}", "[\(number)", "[[],\(number) ,1]"] {
            JSONSameness.expect(Data(document.utf8))
            #expect(!isReadHere(Data(document.utf8)))
        }
    }

    @Test(
        arguments: [
            "", "a", "fifteen letters", "sixteen letters!", "é", "e\u{301}", "\u{1F600}", "\u{7F}",
            "\u{FFFF}", "\u{10FFFF}", "\u{FEFE}", "\u{FEFD}ﬁ", #"\"\\\/\b\f\n\r\t"#, #"\u0000"#,
            #"\u00e9\u00E9"#, #"\uFEFF"#, #"a\uFEFFb"#, #"\uD83D\uDE00"#, #"\ud83d\ude00\u0041"#,
            #"\\uD83D"#, #"\\\\ud83d"#, #"\uD7FF\uE000\uFFFF"#, #"\\"#, #"\uDBFF\uDFFF"#,
            String(repeating: "long ", count: 50), String(repeating: #"\t"#, count: 70),
        ])
    func `texts are the same bytes`(text: String) {
        for document in ["[\"\(text)\"]", "{\"\(text)\":\"\(text)\",\"b\":[\"\(text)\",1.5]}"] {
            JSONSameness.expect(Data(document.utf8))
            #expect(isReadHere(Data(document.utf8)))
        }
    }

    @Test(
        arguments: [
            #"\uD83D"#, #"\uDE00"#, #"\uD83D\u0041"#, #"\uD83Dx"#, #"\uD83D\uD83D\uDE00"#,
            #"\uDE00\uD83D"#, #"\ud83d\n"#, #"\uD83D\\uDE00"#, #"\uDBFF\uE000"#, "\u{FEFF}",
            "\u{FEFF}a", "a\u{FEFF}", "\\n\u{FEFF}a", "\n", "\u{0}", "\u{1F}", #"\x"#, #"\u12"#,
            #"\u12G4"#, #"\uD8"#,
        ])
    func `halves of surrogates, marks, and what is no text are left to Foundation`(text: String) {
        for document in ["[\"\(text)\"]", "{\"\(text)\":1}", "[\"\(text)", "[1,\"a\(text)b\"]"] {
            JSONSameness.expect(Data(document.utf8))
            #expect(!isReadHere(Data(document.utf8)))
        }
    }

    @Test(
        arguments: [
            [0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0x80], [0xE2, 0x82], [0xF8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `bytes that are no UTF-8 are left to Foundation`(bytes: [UInt8]) {
        for (before, behind) in [("[\"", "\"]"), ("{\"", "\":1}"), ("[", "]"), ("[1]", "")] {
            let document = Data(before.utf8) + Data(bytes) + Data(behind.utf8)
            JSONSameness.expect(document)
            #expect(!isReadHere(document))
        }
    }

    @Test
    func `members of the same name leave the last one, in every spelling of it`() {
        for names in [["a", "a"], ["é", "e\u{301}"], ["e\u{301}", "é"], ["\\u0061", "a"]] {
            let document = "{\"\(names[0])\":[1],\"b\":2,\"\(names[1])\":{\"a\":3}}"
            JSONSameness.expect(Data(document.utf8))
            JSONSameness.expect(Data("[\(document),\(document),\(document)]".utf8))
            #expect(isReadHere(Data(document.utf8)))
        }
    }

    @Test(
        arguments: [
            "", " ", "[]", "{}", " [ ] ", "\n{\t}\r\n", "[[]]", "[[],[],{}]", "{\"a\":{},\"b\":[]}",
            "[true,false,null]", "{\"\":null}", "1", "\"a\"", "null", " true ", "[1,]",
            "{\"a\":1,}",
            "[,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{a:1}", "{1:1}", "['a']", "[", "]", "{", "}",
            "[}", "{]", "[1]]", "[1][2]", "[1]x", "[1]\u{0}", "[1]\u{C}", "\u{A0}[1]", "[1] //a",
            "[tru]", "[True]", "[truex]", "[nul]", "[nullx]", "[\"a]", "[\"a\\\"]",
            "{\"a\":1 \"b\":2}",
            "[[[[[[1]]]]],{\"a\":[{\"b\":[]},2]},3]",
            "{\"a\":{\"b\":{\"c\":[1,{\"d\":2.5}]}},\"e\":1.5}",
        ])
    func `documents of all forms are read alike`(document: String) {
        // Foundation ends the process for no bytes at all; nobody hands it any.
        if !document.isEmpty { JSONSameness.expect(Data(document.utf8)) }
        #expect(JSONReaders.shared.object(Data()) == nil)
    }

    @Test
    func `other encodings and byte order marks are read as before`() throws {
        let text = "{\"é\":[1,\"\u{1F600}\"]}"
        for encoding in [
            String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian,
            .utf32BigEndian,
        ] {
            JSONSameness.expect(try #require(text.data(using: encoding)))
        }
        for mark in [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF], [0xEF, 0xBB], [0xEF]] {
            JSONSameness.expect(Data(mark.map(UInt8.init)) + Data(text.utf8))
        }
    }

    @Test(
        arguments: [1, 100, 510, 511, 512, 513, 1_025])
    func `as many containers lie in each other as Foundation takes`(depth: Int) {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[1,{\"a\":", "},2]")] {
            let count = open.count > 6 ? depth / 2 : depth
            let document =
                String(repeating: open, count: count) + "[]"
                + String(repeating: close, count: count)
            JSONSameness.expect(Data(document.utf8))
        }
        let limit = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        JSONSameness.expect(Data(limit.utf8))
        #expect(isReadHere(Data(limit.utf8)) == (depth <= 512))
    }

    @Test
    func `options that change the result are Foundation's to follow`() throws {
        let document = Data("{\"a\":[\"b\",{}]}".utf8)
        for options in [JSONSerialization.ReadingOptions.mutableContainers, .mutableLeaves] {
            let seen = try JSONBody.object(document, options)
            let expected = try JSONSerialization.jsonObject(with: document, options: options)
            #expect(type(of: seen) == type(of: expected))
            let inner = (seen as? NSDictionary)?["a"], other = (expected as? NSDictionary)?["a"]
            #expect(type(of: inner) == type(of: other))
        }
        let fragment = try JSONBody.object(Data("1.5".utf8), .fragmentsAllowed)
        #expect(fragment as? Double == 1.5)
    }

    @Test
    func `every JSON body of the original's recorded answers is read alike`() throws {
        let file = PackageSources.root
            .appending(path: "Tests/Operations/ParityTests/Golden/response-serialization.json")
        let all = try Data(contentsOf: file)
        JSONSameness.expect(all)
        let cases = try #require(JSONSerialization.jsonObject(with: all) as? [[String: Any]])
        var count = 0
        for input in cases.compactMap({ $0["input"] as? [String: Any] }) {
            guard let wrapped = input["data"] as? [String: String],
                let body = wrapped["$data"].flatMap({ Data(base64Encoded: $0) }), !body.isEmpty
            else { continue }
            JSONSameness.expect(body)
            count += 1
        }
        #expect(count > 100)
    }
}
