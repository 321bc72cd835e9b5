import Foundation

/// Parameters as the pairs of a query or of a form (QS-1 to QS-11).
enum QueryString {
    /// What stands on the right of the `=`.
    enum Value {
        /// No value: the field stands alone, without `=`.
        case null
        /// Bytes: a multipart body sends them as they are, a query writes `text`.
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

    /// One field and its value, neither of them escaped.
    struct Pair {
        /// Such as `user[name]`; empty for a value that has no name.
        var field: String
        var value: Value
    }

    /// The parameters, flattened: the keys of dictionaries and the members of sets in order of
    /// their text, arrays as they are.
    ///
    /// - Throws: `nestedTooDeeply`.
    static func pairs(of parameters: Any?) throws(RequestSerializationError) -> [Pair] {
        guard let parameters = parameters.flatMap(ParameterShape.unwrapped) else { return [] }
        var pairs: [Pair] = []
        try append(Parameter(parameters), named: nil, depth: 0, to: &pairs)
        return pairs
    }

    /// The parameters as one query, with the bytes of `encoding` escaped.
    ///
    /// - Throws: `nestedTooDeeply`; `textNotEncodable`.
    static func text(
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

    /// `name` is nil only for what has no key around it; the original prints that as `(null)`
    /// before the brackets of an array, and so does this (QS-10).
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
