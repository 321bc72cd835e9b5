import TestSupport

@testable import HTTPSemantics

@Suite("Reading Cache-Control, lists and dates", .timeLimit(.minutes(1)))
struct CacheParsingTests {
    @Test
    func `5.2: directives have a value, a quoted one, or none`() {
        let control = CacheControl([
            "public, MAX-AGE=1 ,private=\"x, no-store\"", " no-cache=,=f, public = 2",
        ])
        #expect(
            control.directives == [
                "public": [nil, " 2"], "max-age": ["1"], "private": ["x, no-store"],
                "no-cache": [""],
            ])
        #expect(!control.has("no-store") && !control.has("x"))
    }

    @Test
    func `of a directive two values that differ are kept, of an unknown one none`() {
        let many = (0..<1_000).map { "max-age=\($0 / 2), a\($0)=1" }
        let control = CacheControl(["max-age=0, max-age=0"] + many)
        #expect(control.directives == ["max-age": ["0", "1"]])
        #expect(control.seconds("max-age") == .invalid)
        #expect(CacheControl(["max-age=5, max-age=5"]).seconds("max-age") == .value(5))
    }

    @Test
    func `a quotation mark that is not closed hides nothing`() {
        let control = CacheControl(["a=\"b, no-store, max-age=5"])
        #expect(control.has("no-store") && control.seconds("max-age") == .value(5))
        #expect(CacheControl(["a=\"b\\\", no-store"]).has("no-store"))
        #expect(!CacheControl(["a=\"b\\\", no-store\""]).has("no-store"))
    }

    @Test
    func `a combining mark after a comma does not swallow it`() {
        #expect(FieldValue.members(of: "a,\u{301}b, c") == ["a", "\u{301}b", "c"])
    }

    @Test
    func `whatever the bytes, reading ends, and splitting gives back what joining made`() {
        var generator = SeededNumbers(seed: 0x5eed_0004)
        let pieces = [
            "max-age", "no-store", "=", ",", "\"", "\\", " ", "\t", "5", "-", "é", "\u{301}", "\0",
            "99999999999999999999", "'", ";", "\r", "public", "no-cache",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<12, using: &generator)
            let text = (0..<count).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
            let members = FieldValue.members(of: text)
            #expect(members.allSatisfy { !$0.isEmpty })
            let control = CacheControl([text])
            for name in control.directives.keys {
                if case .value(let seconds) = control.seconds(name) {
                    #expect((0...(1 << 31)).contains(seconds))
                }
            }
            if !text.contains("\""), !text.contains("\\") {
                let isListed = text.utf8.split(separator: UInt8(ascii: ",")).contains {
                    FieldValue.trimmed($0).utf8.elementsEqual("no-store".utf8)
                }
                #expect(!isListed || control.has("no-store"), "\(text)")
                #expect(FieldValue.members(of: members.joined(separator: ", ")) == members)
            }
        }
    }

    // MARK: Dates

    private let now = CacheFixture.start

    @Test(
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "sun, 06 NOV 1994 08:49:37 gmt",
            " Sun, 06 Nov 1994 08:49:37 GMT ", "SUN NOV  6 08:49:37 1994",
        ])
    func `the three forms of a date mean the same moment, in any case of letters`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: 784_111_777))
    }

    @Test
    func `a year with two digits lies at most fifty years ahead`() {
        func year(_ digits: String) -> String? {
            HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: now).map {
                String(HTTPDate.text($0).dropFirst(12).prefix(4))
            }
        }
        let years = ["00", "23", "73", "74", "99"].map(year)
        #expect(years == ["2000", "2023", "2073", "1974", "1999"])
    }

    @Test(
        arguments: [
            "", "0", "GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Son, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 8:49:370 GMT",
            "Sun, 30 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994  08:49:37 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT x",
            "Sunday, 06-Nov-1994 08:49:37 GMT", "Sunday, 06-Nov 08:49:37 GMT",
            "Sun Nov 6 08:49:37 1994", "Sun Nov  06 08:49:37 1994", "Sun Nov  6 08:49:37 94",
        ])
    func `what is not exactly a date is none`(text: String) {
        #expect(HTTPDate.parse(text, now: now) == nil)
    }

    @Test
    func `a date is written as it is read`() {
        #expect(HTTPDate.text(CacheFixture.start) == CacheFixture.date)
        for day in stride(from: -30_000.0, to: 900_000, by: 211) {
            let date = Date(timeIntervalSince1970: day * 86_400 + 43_210)
            #expect(HTTPDate.parse(HTTPDate.text(date), now: now) == date)
        }
    }
}
