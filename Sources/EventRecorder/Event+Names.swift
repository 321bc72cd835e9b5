extension Event.Kind {
    /// The kind in words, as exports show it: "lockHold".
    public var name: String { Self.names[self] ?? "" }

    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, String(describing: $0)) })

    /// The kind of that name.
    public init?(name: String) {
        guard let kind = Self.kinds[name] else { return nil }
        self = kind
    }

    private static let kinds = Dictionary(
        uniqueKeysWithValues: allCases.map { (String(describing: $0), $0) })
}

extension Event.Phase {
    /// The phase in words: "begin".
    public var name: String {
        switch self {
        case .instant: "instant"
        case .begin: "begin"
        case .end: "end"
        }
    }

    /// The phase of that name.
    public init?(name: String) {
        guard let phase = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = phase
    }
}
