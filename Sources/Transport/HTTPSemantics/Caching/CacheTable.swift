import Foundation

/// A stored response. Its header is always in memory.
struct CacheEntry {
    struct File: Equatable {
        var name: String
        var size: Int
    }

    /// Where the body is.
    enum Location {
        case memory(Data)
        /// In memory until its file is complete.
        case writing(Data)
        /// In a file; also in memory where it was used and fits.
        case file(File, copy: Data?)
    }

    let id: UInt64
    var head: StoredHead
    var location: Location
    /// The header in its file, or in the first one that is being written; it may be older.
    var fileHead: StoredHead
    /// The header in the file that is being written in place of another.
    var newFileHead: StoredHead?
    /// The response time of the header that was last written, and whether the write before was in the same pause.
    var lastWrite: (date: Date, isEarly: Bool)
    var userInfo: [AnyHashable: Any]?

    /// Whether the body counts as stored in memory.
    var isInMemory: Bool {
        switch location {
        case .memory, .file(_, copy: .some): true
        case .writing, .file: false
        }
    }

    var body: Data? {
        switch location {
        case .memory(let body), .writing(let body): body
        case .file(_, let copy): copy
        }
    }

    /// Whether it is in a file, or about to be.
    var isOnDisk: Bool {
        if case .memory = location { false } else { true }
    }

    var file: File? {
        if case .file(let file, _) = location { file } else { nil }
    }
}

/// Which responses are stored and where. It removes the least recently used beyond the limits.
struct CacheTable {
    let memoryCapacity: Int
    let diskCapacity: Int
    private(set) var memoryUsage = 0
    private(set) var diskUsage = 0
    /// Bytes of the headers whose bodies are only on disk, or about to be.
    private(set) var headUsage = 0
    /// Files that no entry refers to any more.
    private var discarded: [String] = []
    private var released: [[AnyHashable: Any]] = []
    private var entries = RecentTable<UInt64, CacheEntry>()
    private var index: [CacheKey: [UInt64]] = [:]
    private var fileCount = 0
    private var pendingBytes = 0
    private var added: UInt64 = 0
    private var invalidations: [CacheKey: Date] = [:]
    /// Until then the list of invalidated URLs is incomplete, so all URLs count as invalidated.
    private var forgottenUntil = Date.distantPast

    private static let invalidationLimit = 256
    /// Headers stay in memory, so their number is limited, and also the bytes of those that
    /// `memoryCapacity` does not count.
    private static let fileLimit = 10_000
    static let headLimit = 32 << 20
    /// A request is compared with every variant of its URL, so their number is limited.
    private static let variantLimit = 32
    /// From this many responses on, one clean-up frees space for several responses, because it may
    /// have to skip many.
    private static let many = 256
    /// How many bytes may wait to be written before another response is refused.
    private static let pendingLimit = 8 << 20
    /// Seconds before a file is written again with a changed header. Otherwise a server could have a long body
    /// written for each request.
    private static let pause: TimeInterval = 60

    init(memoryCapacity: Int, diskCapacity: Int) {
        self.memoryCapacity = max(0, memoryCapacity)
        self.diskCapacity = max(0, diskCapacity)
    }

    // One response takes at most a twentieth, as in NSURLCache.
    var memoryEntryLimit: Int { memoryCapacity / 20 }
    /// At most 4 MiB, because a whole body is in memory while it is received and written.
    var diskEntryLimit: Int { min(diskCapacity / 20, 4 << 20) }
    var entryLimit: Int { max(memoryEntryLimit, diskEntryLimit) }

    // MARK: Looking up

    func entry(_ id: UInt64) -> CacheEntry? { entries[id] }

    /// The stored response that matches a request, or why there is none.
    ///
    /// If several match, the newest is chosen; responses with Vary take precedence over one without (RFC 9111 section
    /// 4.1).
    func select(_ request: CacheRequest) -> (CacheEntry?, CacheReason) {
        var reason = CacheReason.nothingStored
        var found: CacheEntry?
        for id in variants(of: request.key) {
            guard let entry = entries[id] else { continue }
            if let mismatch = entry.head.varyKey.mismatch(with: request) {
                reason = mismatch
            } else if let best = found, rank(best) > rank(entry) {
                continue
            } else {
                found = entry
            }
        }
        return (found, reason)
    }

    private func rank(_ entry: CacheEntry) -> (Int, Date) {
        (entry.head.varyKey.hasVary ? 1 : 0, entry.head.responseTime)
    }

    /// - Parameter key: evaluated only where something is stored.
    private func variants(of key: @autoclosure () -> CacheKey?) -> [UInt64] {
        guard !index.isEmpty, let key = key() else { return [] }
        return index[key] ?? []
    }

    // MARK: Changing

    /// Adds a response, replacing those that match the same request.
    ///
    /// - Parameters:
    ///   - mayUseDisk: false keeps it in memory.
    ///   - isWriting: set when the body must be written to a file; call `written` afterwards.
    /// - Returns: nil where the response is too large for memory and disk.
    mutating func insert(
        _ head: StoredHead, body: Data, userInfo: [AnyHashable: Any]?, for request: CacheRequest,
        mayUseDisk: Bool, isWriting: inout Bool
    ) -> UInt64? {
        removeVariants(for: request)
        let cost = head.wholeCost
        // With a slow disk, responses are dropped instead of filling the memory.
        let hasRoom = pendingBytes <= Self.pendingLimit
        isWriting = mayUseDisk && cost <= diskEntryLimit && hasRoom
        guard fitsMemory(head) || isWriting else { return nil }
        if let oldest = index[head.key]?.first, index[head.key]?.count == Self.variantLimit {
            remove(oldest)
        }
        if isWriting { pendingBytes += cost }
        let id = add(head, isWriting ? .writing(body) : .memory(body), userInfo)
        trim()
        return id
    }

    mutating func insert(_ head: StoredHead, file: CacheEntry.File) {
        _ = add(head, .file(file, copy: nil))
        trim()
    }

    private mutating func add(
        _ head: StoredHead, _ location: CacheEntry.Location, _ userInfo: [AnyHashable: Any]? = nil
    ) -> UInt64 {
        added += 1
        let entry = CacheEntry(
            id: added, head: head, location: location, fileHead: head,
            lastWrite: (head.responseTime, false), userInfo: userInfo)
        entries[added] = entry
        index[head.key, default: []].append(added)
        count(entry)
        return added
    }

    private mutating func count(_ entry: CacheEntry, _ sign: Int = 1) {
        if entry.isInMemory {
            memoryUsage += sign * entry.head.wholeCost
        } else {
            headUsage += sign * entry.head.headCost
        }
        if let file = entry.file {
            diskUsage += sign * file.size
            fileCount += sign
        }
    }

    /// Changes where a body is, and its header; without a location the entry goes.
    private mutating func put(
        _ id: UInt64, in location: CacheEntry.Location?, head: StoredHead? = nil
    ) {
        guard let location, var entry = entries[id] else { return remove(id) }
        count(entry, -1)
        let old = entry.file
        (entry.location, entry.head) = (location, head ?? entry.head)
        count(entry)
        if let old, old != entry.file { discarded.append(old.name) }
        if entry.body == nil { release(&entry) }
        entries[id] = entry
    }

    private func fitsMemory(_ head: StoredHead) -> Bool { head.wholeCost <= memoryEntryLimit }

    /// Records a use of a body, and keeps it in memory if it fits.
    mutating func use(_ id: UInt64, body: Data?) {
        guard let entry = entries.use(id) else { return }
        if let body, case .file(let file, copy: nil) = entry.location, fitsMemory(entry.head) {
            put(id, in: .file(file, copy: body))
        }
        trim()
    }

    /// Replaces a header unless a newer one was stored meanwhile. A response that the new header
    /// makes too large for memory stays on disk only; one that is too large for the disk is
    /// removed.
    ///
    /// The file is written again after a pause, and once within it if the file's header allows what the new one
    /// does not. The second time within the pause the file is removed.
    ///
    /// - Parameter seen: the response time of the header that this one was made from. It may be
    ///   later, where the clock was set back.
    /// - Returns: whether the response must be written to a file again.
    mutating func update(_ id: UInt64, head: StoredHead, of seen: Date? = nil) -> Bool {
        guard let entry = entries[id],
            entry.head.responseTime <= head.responseTime || entry.head.responseTime == seen
        else { return false }
        let inMemory = fitsMemory(head) ? entry.body.map { CacheEntry.Location.memory($0) } : nil
        var location: CacheEntry.Location? = entry.location
        var (mustWrite, isEarly) = (false, false)
        if !entry.isOnDisk {
            location = inMemory
        } else if head.wholeCost > diskEntryLimit {
            location = nil
        } else {
            let older = entry.newFileHead ?? entry.fileHead
            let allowsNoMore = older.allowsNoMore(than: head)
            isEarly = (0..<Self.pause).contains(
                head.responseTime.timeIntervalSince(entry.lastWrite.date))
            mustWrite = !isEarly || !allowsNoMore && !entry.lastWrite.isEarly
            if !mustWrite, !allowsNoMore {
                location = inMemory
            } else if let file = entry.file, !fitsMemory(head) {
                // Until the new file is complete the older one has the same body.
                location = .file(file, copy: nil)
            }
        }
        put(id, in: location, head: head)
        if mustWrite, var entry = entries[id] {
            entry.lastWrite = (head.responseTime, isEarly)
            entry.newFileHead = head
            entries[id] = entry
            pendingBytes += head.wholeCost
        }
        trim()
        return mustWrite
    }

    /// Records the result of a write. After one that failed the older file stays, unless its header allows what
    /// the present one does not.
    ///
    /// - Parameters:
    ///   - file: nil when it failed.
    ///   - head: the header that was written.
    mutating func written(_ id: UInt64, _ head: StoredHead, _ file: CacheEntry.File?) {
        pendingBytes -= head.wholeCost
        // An entry with a newer header may be written again, or must not be on the disk any more.
        guard var entry = entries[id], entry.isOnDisk,
            (entry.newFileHead ?? entry.fileHead) === head
        else {
            discarded += file.map { [$0.name] } ?? []
            return
        }
        entry.newFileHead = nil
        if file != nil { entry.fileHead = head }
        entries[id] = entry
        let kept = fitsMemory(entry.head) ? entry.body : nil
        let older = entry.fileHead.allowsNoMore(than: entry.head) ? entry.file : nil
        let location = (file ?? older).map { CacheEntry.Location.file($0, copy: kept) }
        put(id, in: location ?? kept.map { .memory($0) })
        trim()
    }

    // MARK: Removing

    mutating func remove(_ id: UInt64) {
        guard var entry = entries[id] else { return }
        count(entry, -1)
        if let file = entry.file { discarded.append(file.name) }
        release(&entry)
        entries[id] = nil
        index[entry.head.key]?.removeAll { $0 == id }
        if index[entry.head.key]?.isEmpty == true {
            index[entry.head.key] = nil
        }
    }

    mutating func remove(_ key: CacheKey) {
        variants(of: key).forEach { remove($0) }
    }

    /// Removes all responses to a URL, also those that were requested before now and are still
    /// being received.
    mutating func invalidate(_ key: CacheKey, at now: Date) {
        remove(key)
        if invalidations.count >= Self.invalidationLimit {
            forgottenUntil = max(forgottenUntil, invalidations.values.max() ?? now)
            invalidations.removeAll()
        }
        invalidations[key] = now
    }

    func isInvalidated(_ key: CacheKey, since requestTime: Date) -> Bool {
        requestTime < max(forgottenUntil, invalidations[key] ?? .distantPast)
    }

    mutating func removeVariants(for request: CacheRequest) {
        for id in variants(of: request.key)
        where entries[id]?.head.varyKey.mismatch(with: request) == nil {
            remove(id)
        }
    }

    mutating func removeAll() {
        Array(entries.keys).forEach { remove($0) }
    }

    /// The files to delete since the last call.
    mutating func takeDiscarded() -> [String] {
        defer { discarded = [] }
        return discarded
    }

    private mutating func trim() {
        let share = entries.count > Self.many ? 8 : Int.max
        if memoryUsage > memoryCapacity {
            let goal = memoryCapacity - memoryCapacity / share
            drop(\.isInMemory, while: { $0.memoryUsage > goal }) {
                $0.file.map { .file($0, copy: nil) }
            }
        }
        if diskUsage > diskCapacity || fileCount > Self.fileLimit {
            let goal = diskCapacity - diskCapacity / share
            let files = Self.fileLimit - Self.fileLimit / share
            drop({ $0.file != nil }, while: { $0.diskUsage > goal || $0.fileCount > files }) {
                $0.body.map { .memory($0) }
            }
        }
        if headUsage > Self.headLimit {
            let goal = Self.headLimit - Self.headLimit / share
            drop({ $0.file != nil && !$0.isInMemory }, while: { $0.headUsage > goal }) { _ in nil }
        }
    }

    /// Frees space that entries use, the least recently used first.
    ///
    /// - Parameter rest: where the body still is; nil removes the entry.
    private mutating func drop(
        _ usesSpace: (CacheEntry) -> Bool, while isTooMuch: (CacheTable) -> Bool,
        _ rest: (CacheEntry) -> CacheEntry.Location?
    ) {
        var next = entries.first
        while let id = next, isTooMuch(self) {
            next = entries.key(after: id)
            if let entry = entries[id], usesSpace(entry) { put(id, in: rest(entry)) }
        }
    }

    /// The caller's objects are released after unlocking, because their `deinit` may call the
    /// cache.
    private mutating func release(_ entry: inout CacheEntry) {
        if let userInfo = entry.userInfo.take() { released.append(userInfo) }
    }

    /// The caller's objects that entries dropped since the last call.
    mutating func takeReleased() -> [[AnyHashable: Any]] {
        defer { released = [] }
        return released
    }
}
