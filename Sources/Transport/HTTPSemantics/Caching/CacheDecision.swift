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
    package let content: StoredBody
    package let reason: CacheReason

    package let id: UInt64
    let head: StoredHead
    /// When it was served without asking the server; nil after a revalidation.
    private let servedAt: Date?

    init(
        id: UInt64, head: StoredHead, _ content: StoredBody, reason: CacheReason, servedAt: Date?
    ) {
        (self.id, self.head, self.content, self.reason) = (id, head, content, reason)
        self.servedAt = servedAt
    }

    /// Empty where the body is in a file.
    package var body: Data { content.inMemory ?? Data() }

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

/// Why the cache made its decision; it prints as a part of a sentence.
package enum CacheReason: Sendable, Equatable, CustomStringConvertible {
    // A stored response is served.
    case fresh(seconds: Int)
    case staleAllowed(seconds: Int)
    case policyTakesAny(staleSeconds: Int)
    case validated
    case staleIfError(seconds: Int)

    // No response is stored, or none that matches.
    case nothingStored
    case varies(String)
    case otherCredential
    case otherTrust
    case damaged

    // The request bypasses the cache.
    case notHTTP
    case method(String)
    case body
    case ownCondition(String)
    case policyIgnoresCache

    // The stored response must be revalidated.
    case stale(seconds: Int)
    case answerSaysNoCache
    case requestSaysNoCache
    case olderThanAsked(seconds: Int)
    case notFreshLongEnough(seconds: Int)
    case policyRevalidates
    case clockWentBack
    indirect case noValidator(CacheReason)

    // The request fails.
    case onlyIfCached
    indirect case policyDoesNotLoad(CacheReason)

    // Whether the response is stored.
    case stored(freshSeconds: Int)
    case requestSaysNoStore
    case answerSaysNoStore
    case status(Int)
    case nothingAllowsStoring(Int)
    case variesAlways
    case variesOnTooMany
    case tooLarge(limit: Int)
    case incomplete
    case delegateRefused
    case policyForbidsStoring
    case invalidatedMeanwhile
    case cancelled

    package var description: String {
        switch self {
        case .fresh(let seconds): "fresh for \(seconds) s more"
        case .staleAllowed(let seconds): "stale for \(seconds) s, which max-stale allows"
        case .policyTakesAny(let stale) where stale > 0:
            "the policy takes what is stored, stale for \(stale) s"
        case .policyTakesAny: "the policy takes what is stored"
        case .validated: "the server said that it has not changed"
        case .staleIfError(let seconds):
            "stale for \(seconds) s, which stale-if-error allows since the server failed"
        case .nothingStored: "nothing is stored"
        case .varies(let name): "Vary on \(name.printable) differs"
        case .otherCredential: "it was stored for another credential"
        case .otherTrust: "it was stored for a server trusted in another way"
        case .damaged: "what was stored is damaged"
        case .notHTTP: "neither http nor https"
        case .method(let method): "the method is \(method.printable)"
        case .body: "the request has a body"
        case .ownCondition(let name): "the request has \(name) of its own"
        case .policyIgnoresCache: "the policy ignores the cache"
        case .stale(let seconds): "stale for \(seconds) s"
        case .answerSaysNoCache: "no-cache in the answer"
        case .requestSaysNoCache: "no-cache in the request"
        case .olderThanAsked(let seconds): "its age of \(seconds) s is over the request's max-age"
        case .notFreshLongEnough(let seconds):
            "fresh for \(seconds) s more, less than the request's min-fresh"
        case .policyRevalidates: "the policy asks for it"
        case .clockWentBack: "it was stored later than now"
        case .noValidator(let reason): "\(reason), and it has no validator"
        case .onlyIfCached: "only-if-cached, and nothing stored will do"
        case .policyDoesNotLoad(let reason): "the policy does not load, and \(reason)"
        case .stored(let seconds): "fresh for \(seconds) s"
        case .requestSaysNoStore: "no-store in the request"
        case .answerSaysNoStore: "no-store in the answer"
        case .status(let status): "the status is \(status)"
        case .nothingAllowsStoring(let status): "nothing allows to store a \(status)"
        case .variesAlways: "Vary is *"
        case .variesOnTooMany: "Vary names more fields than a selection may have"
        case .tooLarge(let limit): "larger than \(limit) bytes"
        case .incomplete: "the body is shorter or longer than its Content-Length"
        case .delegateRefused: "the delegate refused"
        case .policyForbidsStoring: "its storage policy forbids it"
        case .invalidatedMeanwhile: "its URL was changed after it was asked for"
        case .cancelled: "cancelled"
        }
    }
}
