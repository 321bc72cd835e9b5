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
    /// Without its Content-Encoding; empty for a HEAD.
    package let body: Data
    package let reason: CacheReason

    package let id: UInt64
    let head: StoredHead
    /// When it was served without asking.
    private let servedAt: Date?

    init(id: UInt64, head: StoredHead, body: Data, reason: CacheReason, servedAt: Date?) {
        (self.id, self.head, self.body, self.reason) = (id, head, body, reason)
        self.servedAt = servedAt
    }

    package var status: Int { head.status }

    /// Whether a Content-Encoding was undone, so that Content-Length does not count the body.
    package var isDecoded: Bool { head.isDecoded }

    /// In the order of the wire, with the Age it had when it was served without asking.
    package var fields: [(name: String, value: String)] {
        var fields = head.fields
        if let servedAt {
            fields.set("Age", to: String(Int(min(head.age(at: servedAt), 2_147_483_648))))
        }
        return fields.map { ($0.name, $0.value) }
    }
}
