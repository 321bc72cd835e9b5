import Foundation

/// The stored responses, in memory and on disk.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`, never while a file is touched. Calls out: none. Files are
/// written and deleted on the directory's queue; a body that is on disk only is read by the caller.
final class CacheStore: @unchecked Sendable {
    // @unchecked because table and invalidations are only touched under the lock.

    private let directory: CacheDirectory?
    private let lock = NSLock()
    private var table: CacheTable
    /// When a request last invalidated a URL.
    private var invalidations: [CacheKey: Date] = [:]

    private static let invalidationLimit = 256

    /// - Throws: `ResponseCacheError`.
    init(
        memoryCapacity: Int, diskCapacity: Int, directory url: URL?
    ) throws(ResponseCacheError) {
        directory = try url.map { (url) throws(ResponseCacheError) in try CacheDirectory(url) }
        table = CacheTable(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity)
        for (head, file) in directory?.contents() ?? [] {
            table.insert(head, file: file)
        }
        delete(table.takeDiscarded())
    }

    /// A store in memory only.
    init(memoryCapacity: Int) {
        directory = nil
        table = CacheTable(memoryCapacity: memoryCapacity, diskCapacity: 0)
    }

    var memoryUsage: Int { lock.withLock { table.memoryUsage } }
    var diskUsage: Int { lock.withLock { table.diskUsage } }
    var entryLimit: Int { lock.withLock { max(table.memoryEntryLimit, table.diskEntryLimit) } }

    func select(_ request: CacheRequest) -> (CacheEntry?, CacheReason) {
        lock.withLock { table.select(request) }
    }

    /// The body of a response; nil when it is gone or damaged, and then the response is removed.
    func body(of id: UInt64) -> Data? {
        guard let entry = lock.withLock({ table.entry(id) }) else { return nil }
        let body = entry.body ?? entry.file.flatMap { directory?.body(in: $0.name) }
        change {
            if let body {
                $0.use(id, body: body)
            } else if $0.entry(id)?.file == entry.file {
                $0.remove(id)
            }
        }
        return body
    }

    /// Stores a response.
    ///
    /// - Returns: why it was not stored; nil when it was.
    func insert(
        _ head: StoredHead, body: Data, userInfo: [AnyHashable: Any]?, for request: CacheRequest,
        mayUseDisk: Bool
    ) -> CacheReason? {
        var isWriting = false
        let outcome: (id: UInt64?, objection: CacheReason?) = change {
            if let moment = invalidations[head.key], head.requestTime < moment {
                return (nil, .invalidatedMeanwhile)
            }
            let id = $0.insert(
                head, body: body, userInfo: userInfo, for: request,
                mayUseDisk: mayUseDisk && directory != nil, isWriting: &isWriting)
            let limit = max($0.memoryEntryLimit, mayUseDisk ? $0.diskEntryLimit : 0)
            return (id, id == nil ? .tooLarge(limit: limit) : nil)
        }
        if let id = outcome.id, isWriting {
            write(id, head, body)
        }
        return outcome.objection
    }

    func update(_ id: UInt64, head: StoredHead, body: Data) {
        if change({ $0.update(id, head: head) }) {
            write(id, head, body)
        }
    }

    func remove(_ id: UInt64) {
        change { $0.remove(id) }
    }

    func remove(_ key: CacheKey) {
        change { $0.remove(key) }
    }

    /// Removes the responses that a request would get.
    func removeVariants(for request: CacheRequest) {
        change { $0.removeVariants(for: request) }
    }

    /// Removes all responses of a URL, also those that were requested before now and are still
    /// being received.
    func invalidate(_ key: CacheKey, at now: Date) {
        change {
            $0.remove(key)
            if invalidations.count >= Self.invalidationLimit {
                invalidations.removeAll()
            }
            invalidations[key] = now
        }
    }

    func removeAll() {
        change { $0.removeAll() }
    }

    /// Waits until the files match what is in memory.
    func waitForDisk() {
        directory?.queue.sync {}
    }

    // MARK: Disk

    private func change<Result>(_ body: (inout CacheTable) -> Result) -> Result {
        let (result, discarded, released) = lock.withLock {
            (body(&table), table.takeDiscarded(), table.takeReleased())
        }
        withExtendedLifetime(released) {}
        delete(discarded)
        return result
    }

    private func write(_ id: UInt64, _ head: StoredHead, _ body: Data) {
        guard let directory else { return }
        directory.queue.async {
            let file = directory.write(head, body)
            let (discarded, released) = self.lock.withLock {
                self.table.written(id, head, file)
                return (self.table.takeDiscarded(), self.table.takeReleased())
            }
            withExtendedLifetime(released) {}
            discarded.forEach(directory.delete)
        }
    }

    private func delete(_ names: [String]) {
        guard let directory, !names.isEmpty else { return }
        directory.queue.async {
            names.forEach(directory.delete)
        }
    }
}
