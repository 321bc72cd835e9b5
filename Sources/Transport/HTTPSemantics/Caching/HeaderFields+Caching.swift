import Foundation

/// What of a head is stored, and what a newer head changes of it (RFC 9111 sections 3.1 and 3.2).
extension HeaderFields {
    /// Fields that belong to one connection or one proxy.
    private static let neverStored: Set<FoldedName> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Fields that describe the stored body, which was decoded and counted when it came.
    private static let neverUpdated: Set<FoldedName> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// Fields that describe how and when a response was sent.
    private static let ofOneSending: Set<FoldedName> = ["age", "date"]

    /// What may be stored: nothing that was meant for one connection.
    var storable: HeaderFields {
        var result = self
        result.remove(Self.neverStored, and: namesOfConnection)
        return result
    }

    /// A list of tokens, so no comma is quoted (RFC 9110 section 7.6.1).
    private var namesOfConnection: Set<FoldedName> {
        var names: Set<FoldedName> = []
        forEachValue(of: "Connection") { value in
            for member in value.split(separator: UInt8(ascii: ",")) {
                let name = member.drop(while: FieldValue.isBlank)
                guard let end = name.lastIndex(where: { !FieldValue.isBlank($0) }) else { continue }
                names.insert(FoldedName(name[...end]))
            }
        }
        return names
    }

    /// Replaces each field that a newer head has, but for those that the stored body depends on; nothing
    /// of the older sending stays.
    mutating func update(from newer: HeaderFields) {
        var fields = newer
        fields.remove(Self.neverStored, Self.neverUpdated, and: newer.namesOfConnection)
        remove(Self.ofOneSending, and: Set(fields.names))
        self += fields
    }

    /// Whether there is more than one answer may have: a stored head that many later ones add to does not
    /// grow without end.
    var isLongerThanAnyHead: Bool { count > 10_000 || byteCount > 307_200 }

    /// The moment that a field tells of; nil where its lines differ.
    func date(of name: String, now: Date) -> Date? {
        var first: ArraySlice<UInt8>?
        var isOne = true
        forEachValue(of: name) {
            isOne = isOne && (first == nil || first == $0)
            first = $0
        }
        guard let first, isOne else { return nil }
        return CacheDate.parse(Self.text(of: first), now: now)
    }
}
