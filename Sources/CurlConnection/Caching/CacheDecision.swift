package import Foundation
import FoundationNetworking

/// What to do about a request, and why.
package struct CacheDecision: Sendable, CustomStringConvertible {
    package enum Outcome: Sendable {
        /// Ask the server, with these fields in addition.
        case load(adding: [(name: String, value: String)])
        /// Nothing is sent; this is the answer.
        case serve(StoredAnswer)
        /// Ask the server, with these fields in addition. A 304 goes to `ResponseCache.freshen`.
        case revalidate(StoredAnswer, adding: [(name: String, value: String)])
        case fail(URLError)
    }

    package let outcome: Outcome
    package let reason: CacheReason

    package var description: String {
        let word =
            switch outcome {
            case .load: "miss"
            case .serve: "hit"
            case .revalidate: "revalidate"
            case .fail: "fail"
            }
        return "\(word): \(reason)"
    }
}

/// An answer out of the cache.
package struct StoredAnswer: Sendable {
    package let status: Int
    /// In the order of the wire, with the Age it has now when it is served without asking.
    package let fields: [(name: String, value: String)]
    /// Without its Content-Encoding; empty for a HEAD.
    package let body: Data
    /// Whether a Content-Encoding was undone, so that Content-Length does not count the body.
    package let isDecoded: Bool
    package let reason: CacheReason

    let id: UInt64
    let head: StoredHead

    init(id: UInt64, head: StoredHead, body: Data, reason: CacheReason, servedAt now: Date?) {
        var fields = head.fields
        if let now {
            fields.set("Age", to: String(Int(min(head.age(at: now), 2_147_483_648))))
        }
        (self.id, self.head, self.body, self.reason) = (id, head, body, reason)
        status = head.status
        isDecoded = head.isDecoded
        self.fields = fields.pairs
    }
}
