import Foundation

/// Which fields are stored, and which a newer response replaces (RFC 9111 sections 3.1 and 3.2).
extension HeaderFields {
    /// Fields that belong to one connection or one proxy.
    private static let neverStored: Set<FoldedName> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Fields that describe the stored body, which was decoded and counted when it was received.
    private static let neverUpdated: Set<FoldedName> = [
        "content-encoding", "content-length", "content-range",
    ]

    /// Fields that describe how and when a response was sent.
    private static let ofOneSending: Set<FoldedName> = ["age", "date"]

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

    /// Replaces each field that a newer response has, except those that the stored body depends on.
    /// The older Age and Date are removed.
    mutating func update(from newer: HeaderFields) {
        var fields = newer
        fields.remove(Self.neverStored, Self.neverUpdated, and: newer.namesOfConnection)
        remove(Self.ofOneSending, and: Set(fields.names))
        self += fields
    }

    /// Whether there is more than one response may have: many updates must not make a stored header
    /// grow without end.
    var isLongerThanAnyHead: Bool { count > 10_000 || byteCount > 307_200 }

    /// The date in a field; nil where its lines differ.
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
