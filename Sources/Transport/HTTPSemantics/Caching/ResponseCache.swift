public import Foundation
public import FoundationNetworking

/// A private HTTP cache by RFC 9111, with stale-if-error by RFC 5861 section 4.
///
/// It replaces URLCache. Responses to GET are stored under their whole URL and the fields that Vary
/// names. A response to one credential is never served to another. Each decision has a reason that
/// can be printed. One response takes at most a twentieth of the capacity, and at most 4 MiB on
/// disk; the least recently used are removed first. A response is on disk completely or not at all,
/// in files that only the owner may read; a damaged file is deleted.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table, in the store. Files are written on a queue of
/// the cache. `cachedResponse(for:)` reads a body that is only on disk on the calling thread;
/// connections read it on a thread for disk access, a long one piece by piece.
public final class ResponseCache: Sendable {
    /// The cache of connections that configure no other: 4 MiB in memory, nothing on disk.
    public static let shared = ResponseCache(
        CacheStore(memoryCapacity: 4 << 20), 4 << 20, 0, usesHeuristicFreshness: false)

    /// Bytes of headers and bodies that are stored in memory.
    public let memoryCapacity: Int
    /// Bytes of files on disk.
    public let diskCapacity: Int
    /// Whether a response with Last-Modified but without a lifetime counts as fresh for a tenth of
    /// its age, at most a day (RFC 9111 section 4.2.2). Otherwise it is revalidated each time.
    public let usesHeuristicFreshness: Bool
    private let store: CacheStore

    /// Makes a cache; responses that an earlier cache left in the directory are used.
    ///
    /// - Parameters:
    ///   - memoryCapacity: bytes; 0 stores nothing in memory but the headers of responses on disk.
    ///   - diskCapacity: bytes; 0 stores nothing on disk, and the directory is not touched.
    ///   - directory: a directory for this cache only, created if missing. The cache locks it while
    ///     it exists, so a second cache cannot use it.
    ///   - usesHeuristicFreshness: see the property.
    /// - Throws: `ResponseCacheError`.
    public convenience init(
        memoryCapacity: Int, diskCapacity: Int = 0, directory: URL? = nil,
        usesHeuristicFreshness: Bool = false
    ) throws(ResponseCacheError) {
        if diskCapacity > 0, directory == nil {
            throw ResponseCacheError(.directoryMissing, "")
        }
        let store = try CacheStore(
            memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            directory: diskCapacity > 0 ? directory : nil)
        self.init(
            store, memoryCapacity, diskCapacity, usesHeuristicFreshness: usesHeuristicFreshness)
    }

    private init(
        _ store: CacheStore, _ memoryCapacity: Int, _ diskCapacity: Int,
        usesHeuristicFreshness: Bool
    ) {
        self.usesHeuristicFreshness = usesHeuristicFreshness
        self.store = store
        self.memoryCapacity = max(0, memoryCapacity)
        self.diskCapacity = max(0, diskCapacity)
    }

    // MARK: As in URLCache

    /// Bytes in use in memory.
    public var currentMemoryUsage: Int { store.read(\.memoryUsage) }

    /// Bytes in use on disk.
    public var currentDiskUsage: Int { store.read(\.diskUsage) }

    /// The stored response to a request, fresh or not; nil when there is none.
    ///
    /// Values of fields with the same name are joined by ", ".
    public func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        let cacheRequest = CacheRequest(request)
        guard cacheRequest.bypass == nil, let url = request.url,
            let entry = store.select(cacheRequest).0, let body = store.body(of: entry.id)
        else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: entry.head.status, httpVersion: "HTTP/1.1",
            headerFields: entry.head.fields.joined
        ).map {
            CachedURLResponse(
                response: $0, data: body, userInfo: entry.userInfo, storagePolicy: .allowed)
        }
    }

    /// Removes all stored responses to a request's URL, all variants.
    public func removeCachedResponse(for request: URLRequest) {
        if let key = CacheRequest(request).key {
            store.change { $0.remove(key) }
        }
    }

    /// Removes everything.
    public func removeAllCachedResponses() {
        store.change { $0.removeAll() }
    }

    /// What the cache would do about a request at a given time, and why; "hit: fresh for 12 s
    /// more".
    public func explain(_ request: URLRequest, at now: Date = Date()) -> String {
        decide(for: CacheRequest(request), at: now).description
    }

    // MARK: For a connection

    /// What to do about a request before it is sent.
    ///
    /// - Parameter request: the request with the fields it will be sent with, including Cookie and
    ///   Authorization, since Vary may name them. The other methods take the same request.
    /// - Parameter bodies: where the body of a stored response may be read from.
    package func decide(
        for request: CacheRequest, at now: Date, _ bodies: StoredBodies = .anywhere
    ) -> CacheDecision {
        let (entry, verdict, reason) = judge(request, now)
        switch verdict {
        case .serve, .revalidate:
            guard let entry, let body = body(of: entry, bodies) else {
                let (verdict, reason) = ReuseRule.verdict(
                    for: request, stored: nil, missing: .damaged, at: now)
                return decision(verdict, reason, request)
            }
            let response = StoredResponse(
                id: entry.id, head: entry.head, request.isHead ? .data(Data()) : body,
                reason: reason, servedAt: verdict == .serve ? now : nil)
            return CacheDecision(
                outcome: verdict == .serve
                    ? .serve(response) : .revalidate(response, adding: entry.head.validators),
                reason: reason)
        default: return decision(verdict, reason, request)
        }
    }

    /// Reads the body that the other methods need, where it is only on disk; nil where none is
    /// needed. It may block on the disk, so call it on another thread than the network thread.
    package func reading(
        for request: CacheRequest, at now: Date
    ) -> (@Sendable () -> ReadBody)? {
        let (entry, verdict, _) = judge(request, now)
        guard let entry, entry.body == nil, entry.file != nil else { return nil }
        switch verdict {
        case .serve, .revalidate: break
        default:
            guard ReuseRule.staleIfError(entry.head, for: request, at: now) != nil else {
                return nil
            }
        }
        return { [store, id = entry.id] in ReadBody(id: id, body: store.content(of: id)) }
    }

    private func body(of entry: CacheEntry, _ bodies: StoredBodies) -> StoredBody? {
        switch bodies {
        case .anywhere: store.body(of: entry.id).map { .data($0) }
        case .memory(or: let read):
            if let read, read.id == entry.id {
                read.body
            } else {
                store.bodyInMemory(of: entry.id).map { .data($0) }
            }
        }
    }

    private func judge(
        _ request: CacheRequest, _ now: Date
    ) -> (CacheEntry?, ReuseRule.Verdict, CacheReason) {
        let (entry, missing) = request.bypass.map { (nil, $0) } ?? store.select(request)
        let (verdict, reason) = ReuseRule.verdict(
            for: request, stored: entry?.head, missing: missing, at: now)
        return (entry, verdict, reason)
    }

    private func decision(
        _ verdict: ReuseRule.Verdict, _ reason: CacheReason, _ request: CacheRequest
    ) -> CacheDecision {
        if verdict == .fail {
            var info: [String: Any] = [NSLocalizedDescriptionKey: "Nothing was loaded: \(reason)."]
            info[NSURLErrorFailingURLErrorKey] = request.url
            return CacheDecision(
                outcome: .fail(URLError(.resourceUnavailable, described: info)), reason: reason)
        }
        let isPastCaches =
            verdict == .loadFromOrigin
            && request.field("Cache-Control") == nil
        return CacheDecision(
            outcome: .load(adding: isPastCaches ? ["Cache-Control": "no-cache"] : [:]),
            reason: reason)
    }

    /// Records a response from the network. Call it once for each, except for a 304 to a
    /// revalidation by this cache.
    ///
    /// It removes what the response invalidates (RFC 9111 section 4.4). A HEAD's response updates
    /// or removes the stored one (section 4.3.5).
    ///
    /// - Parameter request: the request that was given to `decide`, without the fields that
    ///   `decide` added.
    /// - Returns: the object that takes the body, or nil where the response is not stored; and the
    ///   reason.
    package func record(
        _ response: ReceivedResponse, to request: CacheRequest
    ) -> (recording: CacheRecording?, objection: CacheReason?) {
        let fields = response.fields
        if !request.isSafe, (200..<400).contains(response.status) {
            invalidate(request, fields, at: response.responseTime)
        }
        if request.isHead, response.status == 200, request.bypass == nil {
            compare(request, fields, response)
        }
        if let objection = StorageRule.objection(
            to: request, status: response.status, fields: fields)
        {
            // The origin does not want this response stored, so an older copy is removed too.
            if objection == .answerSaysNoStore {
                store.change { $0.removeVariants(for: request) }
            }
            return (nil, objection)
        }
        let limit = store.read(\.entryLimit)
        if !response.isDecoded, let length = fields["Content-Length"].flatMap({ Int($0) }),
            length > limit
        {
            store.change { $0.removeVariants(for: request) }
            return (nil, .tooLarge(limit: limit))
        }
        return (
            CacheRecording(
                into: store, response, to: request, limit: limit, isGuessed: usesHeuristicFreshness),
            nil
        )
    }

    /// Updates the stored header from the 304 to a revalidation (RFC 9111 section 4.3.4). The
    /// request's no-store prevents that; the response's no-store also removes the stored response
    /// (sections 5.2.1.5 and 5.2.2.5).
    ///
    /// - Returns: the response to serve; nil when the 304 belongs to another response. The request
    ///   must then be sent again without the added fields.
    package func freshen(
        _ response: StoredResponse, with notModified: ReceivedResponse, to request: CacheRequest
    ) -> StoredResponse? {
        let fields = notModified.fields
        var head = response.head
        switch Revalidation.match(fields, with: head) {
        case .none:
            store.change { $0.remove(response.id) }
            return nil
        case .content:
            if Self.saysNoStore(fields, of: head) { store.change { $0.remove(response.id) } }
        case .whole:
            head = head.updated(
                from: fields, to: request, requestTime: notModified.requestTime,
                responseTime: notModified.responseTime)
            keep(
                head, in: response.id, of: response.head, response.content.inMemory, fields,
                request)
        }
        return StoredResponse(
            id: response.id, head: head, response.content, reason: .validated, servedAt: nil)
    }

    /// A stored response to serve in place of a failure, if one may be (RFC 5861 section 4).
    ///
    /// - Parameter failure: what happened. No response may have been delivered to the delegate yet.
    package func staleAnswer(
        for request: CacheRequest, on failure: CacheFailure, at now: Date,
        _ bodies: StoredBodies = .anywhere
    ) -> StoredResponse? {
        guard failure.isServerFailure, request.bypass == nil,
            let entry = store.select(request).0,
            let reason = ReuseRule.staleIfError(entry.head, for: request, at: now),
            let body = body(of: entry, bodies)
        else { return nil }
        return StoredResponse(
            id: entry.id, head: entry.head, request.isHead ? .data(Data()) : body, reason: reason,
            servedAt: now)
    }

    /// Waits until the files match what is in memory.
    package func waitForDisk() {
        store.waitForDisk()
    }

    // MARK: Invalidation

    /// Invalidates the target, and what Location and Content-Location name on the same origin.
    private func invalidate(_ request: CacheRequest, _ fields: HeaderFields, at now: Date) {
        guard let url = request.url?.absoluteURL, let origin = Origin(url.absoluteURL) else {
            return
        }
        let named = ["Location", "Content-Location"].compactMap {
            fields.address(of: $0).flatMap { WrittenURL.url($0, relativeTo: url) }
        }
        for target in [url] + named where Origin(target.absoluteURL) == origin {
            if let key = CacheKey(target) {
                store.change { $0.invalidate(key, at: now) }
            }
        }
    }

    private func compare(
        _ request: CacheRequest, _ fields: HeaderFields, _ response: ReceivedResponse
    ) {
        guard let entry = store.select(request).0 else { return }
        guard Revalidation.describes(fields, entry.head) else {
            return store.change { $0.remove(entry.id) }
        }
        let head = entry.head.updated(
            from: fields, to: request, requestTime: response.requestTime,
            responseTime: response.responseTime)
        keep(head, in: entry.id, of: entry.head, nil, fields, request)
    }

    /// Stores the header that a response without a body has updated.
    ///
    /// - Parameter body: nil where the stored one must be read first.
    private func keep(
        _ head: StoredHead, in id: UInt64, of older: StoredHead, _ body: Data?,
        _ fields: HeaderFields, _ request: CacheRequest
    ) {
        if Self.saysNoStore(fields, of: head) || head.fields.isLongerThanAnyHead {
            store.change { $0.remove(id) }
        } else if !request.control.has("no-store") {
            store.update(id, head: head, of: older.responseTime, body: body)
        }
    }

    private static func saysNoStore(_ fields: HeaderFields, of head: StoredHead) -> Bool {
        StorageRule.objection(to: head.status, fields) == .answerSaysNoStore
    }
}

/// Why a `ResponseCache` could not be made.
///
/// As an `NSError` it has the domain `CurlConnection.responseCache`; later versions keep its codes.
public struct ResponseCacheError: NumberedError, Hashable, Sendable {
    /// What is wrong.
    public enum Reason: Int, Hashable, Sendable {
        /// A disk capacity was given, but no directory.
        case directoryMissing = 1
        /// The directory cannot be made, read or written.
        case cannotUseDirectory = 2
        /// Another cache, of this process or another, uses the directory.
        case directoryInUse = 3
    }

    /// What is wrong.
    public let reason: Reason
    /// The directory's path; empty when there is none.
    public let path: String

    init(_ reason: Reason, _ path: String) {
        self.reason = reason
        self.path = path
    }

    /// `CurlConnection.responseCache`.
    public static var errorDomain: String { "CurlConnection.responseCache" }

    package var numbered: (number: Int, sentence: String) { (reason.rawValue, sentence) }

    private var sentence: String {
        switch reason {
        case .directoryMissing: "A cache with a diskCapacity needs a directory."
        case .cannotUseDirectory:
            "The cache cannot make, read or write the directory \(path); check its permissions."
        case .directoryInUse:
            "Another cache uses the directory \(path); give each cache a directory of its own."
        }
    }
}
