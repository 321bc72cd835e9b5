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
