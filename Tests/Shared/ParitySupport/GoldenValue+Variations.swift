package import Foundation
@_exported import RecordedTraces

extension GoldenValue {
    /// Values that differ from it in one place.
    package var variations: [GoldenValue] {
        switch self {
        case .null: ["x", 0, false, .absent]
        case .bool(let flag): [.bool(!flag), .int(flag ? 1 : 0), .null]
        case .int(let number): [.int(number &+ 1), .double(Double(number)), .null]
        case .double(let number): [.double(number + 1), .null]
        case .string(let text): [.string(text + "x"), .null]
        case .array(let elements):
            [.array(elements + [.null])]
                + (elements.isEmpty ? [] : [.array(Array(elements.dropLast()))])
        case .object(let members):
            [.object(members.merging(["another": 1]) { $1 })]
                + members.keys.sorted().flatMap { name in
                    [.object(members.filter { $0.key != name })]
                        + (members[name]?.variations ?? []).map { other in
                            .object(members.merging([name: other]) { $1 })
                        }
                }
        }
    }
}

extension GoldenValue {
    /// The bytes of a `$data`, else nil.
    package var data: Data? {
        self["$data"]?.string.flatMap { Data(base64Encoded: $0) }
    }

    /// The same with another text in place of one, in every text within.
    package func replacing(_ text: String, with other: String) -> GoldenValue {
        switch self {
        case .string(let whole): .string(whole.replacingOccurrences(of: text, with: other))
        case .array(let elements): .array(elements.map { $0.replacing(text, with: other) })
        case .object(let members): .object(members.mapValues { $0.replacing(text, with: other) })
        default: self
        }
    }
}

extension GoldenValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: GoldenValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, GoldenValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }

    /// An argument that was not there.
    package static let absent: GoldenValue = ["$nil": true]

    /// Bytes in the recorder's form.
    package init(_ data: Data) { self = ["$data": .string(data.base64EncodedString())] }
}
