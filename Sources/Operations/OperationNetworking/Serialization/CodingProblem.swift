import HTTPSemantics

/// What a decoder or an encoder objected to, and where.
///
/// It names types, and the keys on the way, which may be a peer's; it quotes no value.
package enum CodingProblem {
    /// A clause; nil for an error that is neither a decoder's nor an encoder's.
    package static func words(_ error: any Error) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no value at \(path(context.codingPath + [key]))"
        case DecodingError.valueNotFound(let type, let context):
            "no \(type) but null at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "no \(type) at \(path(context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is not valid" : "the value at \(path(context.codingPath)) is not valid"
        case EncodingError.invalidValue(_, let context):
            "the value at \(path(context.codingPath)) cannot be written"
        default: nil
        }
    }

    /// As Swift writes it: `friends[2].name`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys.prefix(maximumDepth) {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                let name = key.stringValue
                path += path.isEmpty ? "" : "."
                path += name.prefix(maximumLength).description.printable
                if name.utf8.count > maximumLength { path += "…" }
            }
        }
        if keys.count > maximumDepth { path += "…" }
        return path.isEmpty ? "the top" : "'\(path)'"
    }

    /// Longer ones are cut: a peer may have chosen them.
    private static let maximumLength = 64
    private static let maximumDepth = 32
}
