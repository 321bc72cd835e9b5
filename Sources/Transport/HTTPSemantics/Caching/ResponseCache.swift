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
    public var currentMemoryUsage: Int { store.memoryUsage }

    /// Bytes in use on disk.
    public var currentDiskUsage: Int { store.diskUsage }

    /// The stored response to a request, fresh or not; nil when there is none.
    ///
    /// Values of fields with the same name are joined by ", ".
    public func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        let question = CacheRequest(request)
        guard question.bypass == nil, let url = request.url,
            let entry = store.select(question).0, let body = store.body(of: entry.id)
        else { return nil }
        var joined: [String: String] = [:]
        var spellings: [String: String] = [:]
        for field in entry.head.fields {
            let key = field.name.lowercased()
            if let spelling = spellings[key] {
                joined[spelling]? += ", " + field.value
            } else {
                spellings[key] = field.name
                joined[field.name] = field.value
            }
        }
        return HTTPURLResponse(
            url: url, statusCode: entry.head.status, httpVersion: "HTTP/1.1", headerFields: joined
        ).map {
            CachedURLResponse(
                response: $0, data: body, userInfo: entry.userInfo, storagePolicy: .allowed)
        }
    }

    /// Removes all stored responses to a request's URL, all variants.
    public func removeCachedResponse(for request: URLRequest) {
        if let key = CacheRequest(request).key {
            store.remove(key)
        }
    }

    /// Removes everything.
    public func removeAllCachedResponses() {
        store.removeAll()
    }

    /// What the cache would do about a request at a given time, and why; "hit: fresh for 12 s
    /// more".
    public func explain(_ request: URLRequest, at now: Date = Date()) -> String {
        decide(for: CacheRequest(request), at: now).description
    }

    // MARK: For a connection

    /// What to do about a request before it is sent.
    ///
    /// - Parameter question: the request with the fields it will be sent with, including Cookie and
    ///   Authorization, since Vary may name them. The other methods take the same request.
    /// - Parameter bodies: where the body of a stored response may be read from.
    package func decide(
        for question: CacheRequest, at now: Date, _ bodies: StoredBodies = .anywhere
    ) -> CacheDecision {
        let (entry, verdict, reason) = judge(question, now)
        switch verdict {
        case .serve, .revalidate:
            guard let entry, let body = body(of: entry, bodies) else {
                let (verdict, reason) = ReuseRule.verdict(
                    for: question, stored: nil, missing: .damaged, at: now)
                return decision(verdict, reason, question)
            }
            let answer = StoredResponse(
                id: entry.id, head: entry.head, question.isHead ? .data(Data()) : body,
                reason: reason, servedAt: verdict == .serve ? now : nil)
            return CacheDecision(
                outcome: verdict == .serve
                    ? .serve(answer) : .revalidate(answer, adding: entry.head.validators),
                reason: reason)
        default: return decision(verdict, reason, question)
        }
    }

    /// Reads the body that the other methods need, where it is only on disk; nil where none is
    /// needed. It may block on the disk, so call it on another thread than the network thread.
    package func reading(
        for question: CacheRequest, at now: Date
    ) -> (@Sendable () -> ReadBody)? {
        let (entry, verdict, _) = judge(question, now)
        guard let entry, entry.body == nil, entry.file != nil else { return nil }
        switch verdict {
        case .serve, .revalidate: break
        default:
            guard ReuseRule.staleIfError(entry.head, for: question, at: now) != nil else {
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
        _ question: CacheRequest, _ now: Date
    ) -> (CacheEntry?, ReuseRule.Verdict, CacheReason) {
        let (entry, missing) = question.bypass.map { (nil, $0) } ?? store.select(question)
        let (verdict, reason) = ReuseRule.verdict(
            for: question, stored: entry?.head, missing: missing, at: now)
        return (entry, verdict, reason)
    }

    private func decision(
        _ verdict: ReuseRule.Verdict, _ reason: CacheReason, _ question: CacheRequest
    ) -> CacheDecision {
        if verdict == .fail {
            var info: [String: Any] = [NSLocalizedDescriptionKey: "Nothing was loaded: \(reason)."]
            info[NSURLErrorFailingURLErrorKey] = question.url
            return CacheDecision(
                outcome: .fail(URLError(.resourceUnavailable, described: info)), reason: reason)
        }
        let isPastCaches =
            verdict == .loadFromOrigin
            && question.field("Cache-Control") == nil
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
    /// - Parameter question: the request that was given to `decide`, without the fields that
    ///   `decide` added.
    /// - Returns: the object that takes the body, or nil where the response is not stored; and the
    ///   reason.
    package func record(
        _ answer: ReceivedResponse, to question: CacheRequest
    ) -> (recording: CacheRecording?, objection: CacheReason?) {
        let fields = answer.fields
        if !question.isSafe, (200..<400).contains(answer.status) {
            invalidate(question, fields, at: answer.responseTime)
        }
        if question.isHead, answer.status == 200, question.bypass == nil {
            compare(question, fields, answer)
        }
        if let objection = StorageRule.objection(
            to: question, status: answer.status, fields: fields)
        {
            // The origin does not want this response stored, so an older copy is removed too.
            if objection == .answerSaysNoStore {
                store.removeVariants(for: question)
            }
            return (nil, objection)
        }
        let limit = store.entryLimit
        if !answer.isDecoded, let length = fields["Content-Length"].flatMap({ Int($0) }),
            length > limit
        {
            store.removeVariants(for: question)
            return (nil, .tooLarge(limit: limit))
        }
        return (
            CacheRecording(
                into: store, answer, to: question, limit: limit, isGuessed: usesHeuristicFreshness),
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
        _ answer: StoredResponse, with notModified: ReceivedResponse, to question: CacheRequest
    ) -> StoredResponse? {
        let fields = notModified.fields
        var head = answer.head
        switch Revalidation.match(fields, with: head) {
        case .none:
            store.remove(answer.id)
            return nil
        case .content:
            if Self.saysNoStore(fields, of: head) { store.remove(answer.id) }
        case .whole:
            head = head.updated(
                from: fields, to: question, requestTime: notModified.requestTime,
                responseTime: notModified.responseTime)
            keep(head, in: answer.id, of: answer.head, answer.content.inMemory, fields, question)
        }
        return StoredResponse(
            id: answer.id, head: head, answer.content, reason: .validated, servedAt: nil)
    }

    /// A stored response to serve in place of a failure, if one may be (RFC 5861 section 4).
    ///
    /// - Parameter failure: what happened. No response may have been delivered to the delegate yet.
    package func staleAnswer(
        for question: CacheRequest, on failure: CacheFailure, at now: Date,
        _ bodies: StoredBodies = .anywhere
    ) -> StoredResponse? {
        guard failure.isServerFailure, question.bypass == nil,
            let entry = store.select(question).0,
            let reason = ReuseRule.staleIfError(entry.head, for: question, at: now),
            let body = body(of: entry, bodies)
        else { return nil }
        return StoredResponse(
            id: entry.id, head: entry.head, question.isHead ? .data(Data()) : body, reason: reason,
            servedAt: now)
    }

    /// Waits until the files match what is in memory.
    package func waitForDisk() {
        store.waitForDisk()
    }

    // MARK: Invalidation

    /// Invalidates the target, and what Location and Content-Location name on the same origin.
    private func invalidate(_ question: CacheRequest, _ fields: HeaderFields, at now: Date) {
        guard let url = question.url?.absoluteURL, let origin = Origin(url.absoluteURL) else {
            return
        }
        let named = ["Location", "Content-Location"].compactMap {
            fields.address(of: $0).flatMap { WrittenURL.url($0, relativeTo: url) }
        }
        for target in [url] + named where Origin(target.absoluteURL) == origin {
            if let key = CacheKey(target) {
                store.invalidate(key, at: now)
            }
        }
    }

    private func compare(
        _ question: CacheRequest, _ fields: HeaderFields, _ answer: ReceivedResponse
    ) {
        guard let entry = store.select(question).0 else { return }
        guard Revalidation.describes(fields, entry.head) else { return store.remove(entry.id) }
        let head = entry.head.updated(
            from: fields, to: question, requestTime: answer.requestTime,
            responseTime: answer.responseTime)
        keep(head, in: entry.id, of: entry.head, nil, fields, question)
    }

    /// Stores the header that a response without a body has updated.
    ///
    /// - Parameter body: nil where the stored one must be read first.
    private func keep(
        _ head: StoredHead, in id: UInt64, of older: StoredHead, _ body: Data?,
        _ fields: HeaderFields, _ question: CacheRequest
    ) {
        if Self.saysNoStore(fields, of: head) || head.fields.isLongerThanAnyHead {
            store.remove(id)
        } else if !question.control.has("no-store") {
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
