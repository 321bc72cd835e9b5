package import Foundation

/// Parameters as the pairs of a query or of a form (QS-1 to QS-11).
package enum QueryString {
    /// The right side of the `=`.
    enum Value {
        /// No value: the field is written without `=`.
        case null
        /// Bytes: a multipart body sends them unchanged, a query writes them as `text`.
        case data(Data)
        case text(String)

        /// The value as a query has it; nil for a null.
        var text: String? {
            switch self {
            case .null: nil
            case .data(let data): ParameterText.hexadecimal(data)
            case .text(let text): text
            }
        }
    }

    /// One field and its value, both unescaped.
    struct Pair {
        /// The field's name, such as `user[name]`; empty for a value without a name.
        var field: String
        var value: Value
    }

    /// The parameters, flattened: the keys of dictionaries and the members of sets are sorted by
    /// their text, arrays keep their order.
    ///
    /// - Throws: `nestedTooDeeply`.
    static func pairs(of parameters: Any?) throws(RequestSerializationError) -> [Pair] {
        guard let parameters = parameters.flatMap(ParameterShape.unwrapped) else { return [] }
        var pairs: [Pair] = []
        try append(Parameter(parameters), named: nil, depth: 0, to: &pairs)
        return pairs
    }

    /// The parameters as one query, escaped in the bytes of `encoding`.
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

    /// `name` is nil only for an outermost value. The original prints it as `(null)` before the
    /// brackets of an array, and so does this (QS-10).
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
