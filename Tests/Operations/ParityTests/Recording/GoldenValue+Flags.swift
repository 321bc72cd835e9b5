import ParitySupport

// As the recordings of scenarios write them.
extension GoldenValue {
    /// Yes and no are 1 and 0.
    init(_ flag: Bool) { self = .int(flag ? 1 : 0) }

    /// A text, or null.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}
