import Foundation
package import FoundationNetworking

/// What two requests must have in common to share a transfer.
///
/// Only GET and HEAD are shared, and none with a body stream. Equal are the URL's text, the method,
/// the body, whether stored answers may be used, whether others may be loaded, whether cookies are
/// sent, and the fields. Fields that say who asks or what is liked best do not count; each other one
/// may hold a credential. So may what the manager adds. Time limits and priorities do not count either.
package struct SharingKey: Hashable, Sendable {
    private let url: String
    private var method = ""
    private var body: Data?
    private var reloads = false
    private var loads = true
    private var sendsCookies = true
    private var fields: [String: String] = [:]
    private var identity: Identity?
    /// For a request that shares with none.
    private var own: UUID?

    /// Names, in lower case, of fields that may differ.
    private static let open: Set = [
        "accept", "accept-encoding", "accept-language", "dnt", "priority", "user-agent",
    ]

    /// For whom a manager sends a request.
    private struct Identity: Hashable, Sendable {
        let value: any Hashable & Sendable

        static func == (one: Identity, other: Identity) -> Bool {
            AnyHashable(one.value) == AnyHashable(other.value)
        }

        func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
    }

    /// The key of a request that a starter makes a transfer of; with nil, of what the request itself shows.
    package init(
        _ request: URLRequest, _ rule: TransferJoining, for starter: (any TransferStarting)?
    ) {
        url = request.url?.absoluteString ?? ""
        guard rule == .equalRequests else { return }
        identity = starter?.sharingIdentity(for: request).map(Identity.init)
        method = request.httpMethod ?? "GET"
        body = request.httpBody
        reloads = !request.usesStoredAnswers
        // Who wants a load must not get the error of one that may not.
        loads = request.cachePolicy != .returnCacheDataDontLoad
        sendsCookies = request.httpShouldHandleCookies
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            if !Self.open.contains(name) { fields[name] = value }
        }
        if !["GET", "HEAD"].contains(method) || request.httpBodyStream != nil { own = UUID() }
    }
}

extension URLRequest {
    /// Whether an answer that somebody kept may be used: the policies "protocol", "return, else
    /// load" and "return, do not load".
    package var usesStoredAnswers: Bool {
        switch cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad: true
        default: false
        }
    }
}
