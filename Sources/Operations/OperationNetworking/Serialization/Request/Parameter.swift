import Foundation

/// One value of the parameters of a query.
enum Parameter {
    case dictionary([(key: String, value: Any)])
    case array([Any])
    /// The members, already sorted.
    case set([Any])
    case leaf(QueryString.Value)

    /// How deep containers may be nested; `JSONSerialization` reads no deeper either.
    static let deepest = 512

    static var tooDeep: RequestSerializationError {
        RequestSerializationError(
            .nestedTooDeeply,
            "the parameters are nested more than \(deepest) deep, or contain themselves")
    }

    init(_ value: Any) {
        switch ParameterShape(value) {
        case .dictionary(let members): self = .dictionary(Self.sorted(members))
        case .array(let elements): self = .array(elements)
        case .orderedSet(let elements): self = .set(elements)
        case .set(let elements):
            self = .set(Self.sorted(elements.map { (key: $0, value: $0) }).map(\.value))
        case .leaf(is NSNull): self = .leaf(.null)
        case .leaf(let data as Data): self = .leaf(.data(data))
        case .leaf(let value): self = .leaf(.text(ParameterText.text(of: value)))
        }
    }

    /// Sorts as `compare:` does on the texts (QS-1, QS-3). Canonically equal texts are sorted by
    /// their code points, and equal texts by their types, so that the order is always the same.
    private static func sorted(
        _ members: [(key: Any, value: Any)]
    ) -> [(key: String, value: Any)] {
        let named = members.map { key, value in
            (key: ParameterText.text(of: key), original: key, value: value)
        }
        let ordered = named.sorted { one, other in
            switch order(one.key, other.key) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame:
                "\(type(of: one.original))" < "\(type(of: other.original))"
            }
        }
        return ordered.map { (key: $0.key, value: $0.value) }
    }

    private static func order(_ one: String, _ other: String) -> ComparisonResult {
        if !one.utf8.allSatisfy({ $0 < 0x80 }) || !other.utf8.allSatisfy({ $0 < 0x80 }) {
            let order = (one as NSString).compare(other)
            if order != .orderedSame { return order }
        }
        if one.utf8.elementsEqual(other.utf8) { return .orderedSame }
        return one.utf8.lexicographicallyPrecedes(other.utf8)
            ? .orderedAscending : .orderedDescending
    }
}
