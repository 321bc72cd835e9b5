import Foundation

/// What a private cache may store (RFC 9111 section 3).
enum StorageRule {
    /// Statuses whose responses may be stored although nothing in them gives a lifetime.
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Statuses whose caching rules are implemented here; a partial response and a 304 are never
    /// stored.
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 200...205, 300...303, 307, 308, 400...417, 421, 422, 426, 500...505: true
        default: false
        }
    }

    /// Why a response must not be stored; nil when it may be.
    static func objection(
        to request: CacheRequest, status: Int, fields: HeaderFields
    ) -> CacheReason? {
        if let bypass = request.bypass { return bypass }
        guard !request.isHead else { return .method(request.method) }
        guard !request.control.has("no-store") else { return .requestSaysNoStore }
        return objection(to: status, fields)
    }

    /// The objections that the response itself gives.
    static func objection(to status: Int, _ fields: HeaderFields) -> CacheReason? {
        // A 401 or 407 is a challenge, a step of authentication and not the final response.
        guard (200...).contains(status), ![206, 304, 401, 407].contains(status) else {
            return .status(status)
        }
        for name in ["Connection", "Cache-Control"] where fields.isListTooLong(name) {
            return .tooLarge(limit: HeaderFields.longestList)
        }
        guard !fields.isListTooLong("Vary") else { return .variesOnTooMany }
        let control = CacheControl(fields.values(of: "Cache-Control"))
        if control.has("must-understand") {
            guard isUnderstood(status) else { return .status(status) }
        } else if control.has("no-store") {
            return .answerSaysNoStore
        }
        let names = Set(fields.list(of: "Vary"))
        guard !names.contains("*") else { return .variesAlways }
        guard names.count <= VaryKey.mostNames else { return .variesOnTooMany }
        let isAllowed =
            isHeuristicallyCacheable(status) || fields["Expires"] != nil
            || ["public", "private", "max-age"].contains { control.has($0) }
        return isAllowed ? nil : .nothingAllowsStoring(status)
    }
}

/// Whether a newer header without a body belongs to a stored response (RFC 9111 sections 4.3.4,
/// 4.3.5).
enum Revalidation {
    enum Match {
        /// It belongs to another response.
        case none
        /// The content is the same, but the stored header must not be updated.
        case content
        case whole
    }

    /// What a 304 says about the stored response that was revalidated.
    static func match(_ newer: HeaderFields, with stored: StoredHead) -> Match {
        let modified = newer["Last-Modified"]
        let isSameMoment = modified == nil || modified == stored.fields["Last-Modified"]
        guard let tag = newer["ETag"] else {
            if isSameMoment { return .whole }
            return stored.entityTag == nil ? .none : .content
        }
        guard let storedTag = stored.entityTag else { return isSameMoment ? .content : .none }
        if tag == storedTag { return .whole }
        guard opaque(tag) == opaque(storedTag) else { return .none }
        // A strong tag identifies only a response that was stored with the same strong tag.
        return isWeak(tag) ? .whole : .content
    }

    /// Whether the response to a HEAD has the same representation as a stored GET.
    static func describes(_ newer: HeaderFields, _ stored: StoredHead) -> Bool {
        for name in ["ETag", "Last-Modified"] {
            if let value = newer[name], value != stored.fields[name] { return false }
        }
        guard let length = newer["Content-Length"] else { return true }
        let size = stored.isDecoded ? nil : String(stored.bodySize)
        return length == (stored.fields["Content-Length"] ?? size)
    }

    private static func isWeak(_ tag: String) -> Bool { tag.hasPrefix("W/") }

    private static func opaque(_ tag: String) -> Substring {
        isWeak(tag) ? tag.dropFirst(2) : tag[...]
    }
}

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
        return HTTPDate.parse(Self.text(of: first), now: now)
    }
}
