import TestSupport

@testable import RequestEra

@Suite("Truth values and numbers", .timeLimit(.minutes(1)))
struct TruthValueTests {
    /// A value and how its kind is written with `BoolEncoding.literal`.
    private static let table: [(any Sendable, String)] = [
        (1, "1"), (0, "0"), (1.0, "1"), (0.0, "0"), (true, "true"), (false, "false"),
        (Int8(1), "1"), (UInt64(1), "1"), (Float(1), "1"), (CGFloat(10), "10"), (Decimal(1), "1"),
        (NSNumber(value: 1.0), "1"), (NSNumber(value: Float(0)), "0"), (Float16(3), "3"),
        (1_600_000_000_000.0, "1600000000000"), (-0.25, "-0.25"), (0.1, "0.1"),
        (NSDecimalNumber(string: "12345678901234567890.5"), "12345678901234567890.5"),
        (NSNumber(value: true), "true"), (NSNumber(value: false), "false"),
        (NSNumber(value: 1), "1"), (NSNumber(value: 0), "0"), (NSNumber(value: Int8(1)), "1"),
        (NSNumber(value: UInt8(0)), "0"), (NSDecimalNumber(value: 1), "1"), ("true", "true"),
        ("1", "1"),
    ]

    @Test(arguments: table.indices)
    func `only what was made from a truth value is one`(_ index: Int) {
        let (value, text) = Self.table[index]
        let components = URLEncoding(boolEncoding: .literal)
            .queryComponents(fromKey: "k", value: value)
        #expect(components.map(\.1) == [text])
    }

    @Test
    func `a number of Foundation's JSON reader is what it was in the text`() throws {
        let json = try JSONSerialization.jsonObject(with: Data("[true, 1, false, 0]".utf8))
        let components = URLEncoding(boolEncoding: .literal)
            .queryComponents(fromKey: "k", value: json)
        #expect(components.map(\.1) == ["true", "1", "false", "0"])
    }

    @Test
    func `a Boolean in a dictionary of Booleans is one`() {
        let components = URLEncoding(boolEncoding: .literal)
            .queryComponents(fromKey: "k", value: ["a": true, "b": false])
        #expect(components.map(\.1) == ["true", "false"])
    }
}
