/// The header fields of a request, in the order in which they were received.
public struct HeaderFields: Sendable, Equatable {
    /// One field as it was on the wire.
    public struct Field: Sendable, Equatable, Codable {
        /// The name as the client spelled it.
        public let name: String
        /// The value without the whitespace around it.
        public let value: String
    }

    /// Every field, in order, repeated ones included.
    public internal(set) var all: [Field] = []

    /// The value of the first field of that name, compared without case.
    public subscript(name: String) -> String? {
        all.first { $0.name.count == name.count && $0.name.lowercased() == name.lowercased() }?
            .value
    }

    /// The values of every field of that name in order, compared without case.
    public func values(_ name: String) -> [String] {
        all.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether a comma-separated field such as `Connection` contains the token.
    func contains(_ token: String, in name: String) -> Bool {
        values(name).contains { value in
            value.split(separator: ",").contains {
                $0.lowercased().filter { $0 != " " && $0 != "\t" } == token.lowercased()
            }
        }
    }
}
