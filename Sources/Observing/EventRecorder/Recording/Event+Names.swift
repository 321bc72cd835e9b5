extension Event.Kind {
    private static let names = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0, String(describing: $0)) })
    private static let kinds = Dictionary(uniqueKeysWithValues: names.map { ($1, $0) })

    /// The kind's name in exports: "lockHold".
    public var name: String { Self.names[self] ?? "" }

    /// The kind of that name.
    public init?(name: String) {
        guard let kind = Self.kinds[name] else { return nil }
        self = kind
    }
}

extension Event.Phase {
    private static let names = ["instant", "begin", "end"]

    /// The phase's name in exports: "begin".
    public var name: String { Self.names[Int(rawValue)] }

    /// The phase of that name.
    public init?(name: String) {
        guard let phase = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = phase
    }
}
