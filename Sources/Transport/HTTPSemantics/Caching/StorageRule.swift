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
