package import Foundation
package import FoundationNetworking

/// Collects the body of a response while it is received, and stores the response in the cache at the end.
///
/// ## Concurrency
/// Call from: one thread at a time. Lock: none. Calls out: none.
package final class CacheRecording {
    private let store: CacheStore
    private let request: CacheRequest
    private let received: ReceivedResponse
    private let limit: Int
    /// Whether a response that names no lifetime gets a heuristic one (RFC 9111 section 4.2.2).
    private let isGuessed: Bool
    private var body = Data()
    private var length = 0
    /// Whether the recording is over: it was cancelled, or `finish` was called.
    package private(set) var isCancelled = false

    init(
        into store: CacheStore, _ received: ReceivedResponse, to request: CacheRequest, limit: Int,
        isGuessed: Bool
    ) {
        (self.store, self.received, self.request) = (store, received, request)
        (self.limit, self.isGuessed) = (limit, isGuessed)
    }

    /// Adds bytes of the decoded body. If the body becomes larger than the limit for one response, it is released, and the
    /// response will not be stored.
    package func append(_ bytes: Data) {
        length += bytes.count
        guard !isCancelled, length <= limit else { return cancel() }
        // The first piece is kept as it is; most bodies have only that one, so they are never copied.
        if body.isEmpty { body = bytes } else { body.append(bytes) }
    }

    /// Ends the recording and releases the body. If `finish` has not stored the response, it will not be stored.
    ///
    /// To be called for an incomplete response: this cache does not combine ranges, so it must not store one (RFC 9111
    /// section 3.3).
    package func cancel() {
        isCancelled = true
        body = Data()
    }

    /// Returns the response that the delegate may change or refuse to store; nil where it cannot be stored.
    package func proposal(for response: URLResponse) -> CachedURLResponse? {
        objection == nil
            ? CachedURLResponse(
                response: response, data: body, userInfo: nil, storagePolicy: .allowed) : nil
    }

    /// Stores the response. Call this after the last byte of the body.
    ///
    /// - Parameters:
    ///   - proposed: what `proposal` returned.
    ///   - answer: what the delegate returned, nil if it refused. Its status, fields, data and `userInfo` are stored; the
    ///     `userInfo` in memory only.
    /// - Returns: that it was stored, or the reason why not.
    @discardableResult
    package func finish(
        _ proposed: CachedURLResponse?, as answer: CachedURLResponse?
    ) -> CacheReason {
        defer { cancel() }
        if let objection { return objection }
        guard let key = request.key else { return .notHTTP }
        guard let answer else { return .delegateRefused }
        guard answer.storagePolicy != .notAllowed else { return .policyForbidsStoring }
        let (status, fields) = head(of: answer, proposed)
        if let objection = StorageRule.objection(to: status, fields) { return objection }
        let head = StoredHead(
            key: key, status: status, fields: fields.storable,
            varyKey: VaryKey(of: request, vary: fields), requestTime: received.requestTime,
            responseTime: received.responseTime, isDecoded: received.isDecoded,
            bodySize: answer.data.count, isGuessed: isGuessed)
        let objection = store.insert(
            head, body: answer.data, userInfo: answer.userInfo, for: request,
            mayUseDisk: answer.storagePolicy == .allowed)
        let left = head.lifetime - head.age(at: received.responseTime)
        return objection ?? .stored(freshSeconds: Int(max(0, left)))
    }

    /// The reason why the body cannot be stored.
    private var objection: CacheReason? {
        if length > limit { return .tooLarge(limit: limit) }
        if isCancelled { return .cancelled }
        let lengths = Set(received.fields.values(of: "Content-Length"))
        guard !received.isDecoded, !lengths.isEmpty else { return nil }
        return lengths == [String(length)] ? nil : .incomplete
    }

    /// Status and header fields of the delegate's response, or as received if the delegate did not replace the response.
    private func head(
        of answer: CachedURLResponse, _ proposed: CachedURLResponse?
    ) -> (Int, HeaderFields) {
        guard answer.response !== proposed?.response,
            let response = answer.response as? HTTPURLResponse
        else { return (received.status, received.fields) }
        var changed: [(name: String, value: String)] = []
        for (name, value) in response.allHeaderFields {
            if let name = name as? String, let value = value as? String {
                changed.append((name, value))
            }
        }
        changed.sort { $0.name < $1.name }
        return (response.statusCode, HeaderFields(changed))
    }
}
