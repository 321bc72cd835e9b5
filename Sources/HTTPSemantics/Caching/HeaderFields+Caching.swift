import Foundation

/// What of a head is stored, and what a newer head changes of it (RFC 9111 sections 3.1 and 3.2).
extension HeaderFields {
    /// Fields that belong to one connection or one proxy.
    private static let neverStored = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Fields that describe the stored body, which was decoded and counted when it came.
    private static let neverUpdated = ["content-encoding", "content-length", "content-range"]

    /// What may be stored: nothing that was meant for one connection.
    var storable: HeaderFields {
        let named = Set(list(of: "Connection").filter { !Self.neverStored.contains($0) })
        var result = self
        result.removeAll { name in
            Self.neverStored.contains(where: name.isSameField)
                || !named.isEmpty && named.contains(name.lowercased())
        }
        return result
    }

    /// Replaces each field that a newer head has, but for those that the stored body depends on.
    mutating func update(from newer: HeaderFields) {
        var fields = newer.storable
        fields.removeAll { Self.neverUpdated.contains(where: $0.isSameField) }
        let names = Set(fields.map { $0.name.lowercased() })
        removeAll { names.contains($0.lowercased()) }
        self += fields
    }

    /// The moment that a field tells of; nil where its lines differ.
    func date(of name: String, now: Date) -> Date? {
        let lines = values(of: name)
        guard let first = lines.first, lines.allSatisfy({ $0 == first }) else { return nil }
        return CacheDate.parse(first, now: now)
    }
}
