package import Foundation

/// Parameters as the names and values of a query or a form.
package enum QueryString {
    enum Value {
        /// No value: the name is written without `=`.
        case null
        /// Bytes: unchanged in a multipart body, as `text` in a query.
        case data(Data)
        case text(String)

        /// The value in a query; nil for a null.
        var text: String? {
            switch self {
            case .null: nil
            case .data(let data): ParameterText.hexadecimal(data)
            case .text(let text): text
            }
        }
    }

    /// A name and its value, both unescaped.
    struct Pair {
        /// The name, such as `user[name]`; empty for a value without one.
        var field: String
        var value: Value
    }

    /// The flattened parameters: keys of dictionaries and members of sets are sorted by their text, arrays keep their
    /// order.
    ///
    /// - Throws: `nestedTooDeeply`.
    static func pairs(of parameters: Any?) throws(RequestSerializationError) -> [Pair] {
        guard let parameters = parameters.flatMap(ParameterShape.unwrapped) else { return [] }
        var pairs: [Pair] = []
        try append(Parameter(parameters), named: nil, depth: 0, to: &pairs)
        return pairs
    }

    /// The parameters as a query, percent-encoded in `encoding`.
    ///
    /// - Throws: `nestedTooDeeply`; `textNotEncodable`.
    package static func text(
        of parameters: Any?, encoding: String.Encoding = .utf8
    ) throws(RequestSerializationError) -> String {
        var text = ""
        for (index, pair) in try pairs(of: parameters).enumerated() {
            if index > 0 { text += "&" }
            text += try PercentEscape.escaped(pair.field, encoding)
            if let value = pair.value.text {
                text += "="
                text += try PercentEscape.escaped(value, encoding)
            }
        }
        return text
    }

    /// `name` is nil for an outermost value, and for the members of an outermost set. Before the brackets of an array
    /// it is then `(null)`, as in AFNetworking.
    private static func append(
        _ parameter: Parameter, named name: String?, depth: Int, to pairs: inout [Pair]
    ) throws(RequestSerializationError) {
        guard depth <= Parameter.deepest else { throw Parameter.tooDeep }
        switch parameter {
        case .dictionary(let members):
            for (key, value) in members {
                let inner = name.map { "\($0)[\(key)]" } ?? key
                try append(Parameter(value), named: inner, depth: depth + 1, to: &pairs)
            }
        case .array(let elements):
            let inner = (name ?? "(null)") + "[]"
            for element in elements {
                try append(Parameter(element), named: inner, depth: depth + 1, to: &pairs)
            }
        case .set(let elements):
            for element in elements {
                try append(Parameter(element), named: name, depth: depth + 1, to: &pairs)
            }
        case .leaf(let value):
            pairs.append(Pair(field: name ?? "", value: value))
        }
    }
}

/// Percent-encoding of the names and values of a query.
package enum PercentEscape {
    /// Everything but letters, digits and `-._~/?` becomes `%` and two upper-case digits.
    ///
    /// The bytes are those of `encoding`, but UTF-8 for UTF-16 and UTF-32, which no server reads in a query. In UTF-8 a
    /// lone surrogate becomes U+FFFD.
    ///
    /// - Throws: `textNotEncodable`.
    static func escaped(
        _ text: String, _ encoding: String.Encoding
    ) throws(RequestSerializationError) -> String {
        if encoding == .utf8 || widths.contains(encoding) { return escaped(text.utf8) }
        return escaped(try TextEncoding.encoded(text, encoding))
    }

    /// Percent-encodes in UTF-8.
    package static func escaped(_ text: String) -> String { escaped(text.utf8) }

    private static func escaped(_ bytes: some Collection<UInt8>) -> String {
        let count = bytes.reduce(0) { $0 + (isPlain($1) ? 1 : 3) }
        return String(unsafeUninitializedCapacity: count) { buffer in
            var next = 0
            func put(_ byte: UInt8) {
                buffer[next] = byte
                next += 1
            }
            for byte in bytes {
                if isPlain(byte) {
                    put(byte)
                } else {
                    put(UInt8(ascii: "%"))
                    put(digit(byte >> 4))
                    put(digit(byte & 15))
                }
            }
            return next
        }
    }

    /// Whether a byte is not escaped. AFNetworking's set; signatures of requests depend on it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private static let widths: Set<String.Encoding> = [
        .utf16, .utf16BigEndian, .utf16LittleEndian,
        .utf32, .utf32BigEndian, .utf32LittleEndian,
    ]
}
