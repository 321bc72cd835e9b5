package import Foundation
import FoundationNetworking

package struct CacheDecision: Sendable, CustomStringConvertible {
    package enum Outcome: Sendable {
        /// The request is sent with these header fields in addition.
        case load(adding: HeaderFields)
        /// Nothing is sent; this is the response.
        case serve(StoredResponse)
        /// The request is sent with these header fields in addition. Pass a 304 to
        /// `ResponseCache.freshen`.
        case revalidate(StoredResponse, adding: HeaderFields)
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

package struct StoredResponse: Sendable {
    /// The body without its Content-Encoding; empty for a HEAD.
    package let body: Data
    package let reason: CacheReason

    package let id: UInt64
    let head: StoredHead
    /// When it was served without asking the server; nil after a revalidation.
    private let servedAt: Date?

    init(id: UInt64, head: StoredHead, body: Data, reason: CacheReason, servedAt: Date?) {
        (self.id, self.head, self.body, self.reason) = (id, head, body, reason)
        self.servedAt = servedAt
    }

    package var status: Int { head.status }

    /// Whether a Content-Encoding was decoded, so that Content-Length is not the length of the
    /// body.
    package var isDecoded: Bool { head.isDecoded }

    /// In the order received; with Age when the response was served without asking the server.
    package var fields: HeaderFields {
        var fields = head.fields
        if let servedAt {
            fields.set("Age", to: String(Int(min(head.age(at: servedAt), 2_147_483_648))))
        }
        return fields
    }
}
