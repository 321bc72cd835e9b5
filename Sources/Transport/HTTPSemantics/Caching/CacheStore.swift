import Foundation
import Locking

/// The stored responses, in memory and on disk.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table, never during file access. Calls out: none.
/// Files are written and deleted on the directory's queue; one is read by the caller of
/// `body(of:)` and `content(of:upTo:)`, and all headers by the initializer.
final class CacheStore: Sendable {
    private let directory: CacheDirectory?
    private let table: Locked<CacheTable>

    /// - Throws: `ResponseCacheError`.
    init(
        memoryCapacity: Int, diskCapacity: Int, directory url: URL?
    ) throws(ResponseCacheError) {
        directory = try url.map { (url) throws(ResponseCacheError) in try CacheDirectory(url) }
        table = Locked(CacheTable(memoryCapacity: memoryCapacity, diskCapacity: diskCapacity))
        let files = directory?.contents() ?? []
        change { table in
            for (head, file) in files { table.insert(head, file: file) }
        }
    }

    init(memoryCapacity: Int) {
        directory = nil
        table = Locked(CacheTable(memoryCapacity: memoryCapacity, diskCapacity: 0))
    }

    func read<Result>(_ body: (CacheTable) -> Result) -> Result { table.withLock { body($0) } }

    func select(_ request: CacheRequest) -> (CacheEntry?, CacheReason) {
        table.withLock { $0.select(request) }
    }

    /// The body of a response; nil where it is only on disk.
    func bodyInMemory(of id: UInt64) -> Data? {
        change { table in
            table.entry(id)?.body.map { body in
                table.use(id, body: body)
                return body
            }
        }
    }

    /// The whole body of a response; nil where it is gone or damaged.
    func body(of id: UInt64) -> Data? { content(of: id, upTo: .max)?.inMemory }

    /// The body of a response, in its open file where it is longer than a limit and does not fit the
    /// memory; nil where it is gone or damaged, and then the response is removed.
    func content(of id: UInt64, upTo limit: Int = 1 << 16) -> StoredBody? {
        if let body = bodyInMemory(of: id) { return .data(body) }
        let (entry, memoryLimit) = table.withLock { ($0.entry(id), $0.memoryEntryLimit) }
        guard let entry, let file = entry.file, let directory else { return nil }
        let fits = entry.head.wholeCost <= memoryLimit
        do {
            let body = try directory.body(in: file.name, upTo: fits ? .max : limit)
            change { $0.use(id, body: body.inMemory) }
            return body
        } catch {
            change {
                if case .damaged = error, $0.entry(id)?.file == file { $0.remove(id) }
            }
            return nil
        }
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
            if $0.isInvalidated(head.key, since: head.requestTime) {
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

    /// - Parameters:
    ///   - seen: the response time of the header that the new one was made from.
    ///   - body: nil where it is still to be read, on the directory's queue.
    func update(_ id: UInt64, head: StoredHead, of seen: Date, body: Data?) {
        if change({ $0.update(id, head: head, of: seen) }) {
            write(id, head, body)
        }
    }

    /// Waits until the files match what is in memory.
    func waitForDisk() {
        directory?.queue.sync {}
    }

    // MARK: Disk

    /// Changes the table, and deletes the files that it discards on the directory's queue.
    func change<Result>(_ body: (inout CacheTable) -> Result) -> Result {
        let (result, discarded) = changeTable(body)
        if let directory, !discarded.isEmpty {
            directory.queue.async { discarded.forEach(directory.delete) }
        }
        return result
    }

    /// - Returns: also the files to delete on the directory's queue.
    private func changeTable<Result>(
        _ body: (inout CacheTable) -> Result
    ) -> (result: Result, discarded: [String]) {
        let (result, discarded, released) = table.withLock {
            (body(&$0), $0.takeDiscarded(), $0.takeReleased())
        }
        withExtendedLifetime(released) {}
        return (result, discarded)
    }

    private func write(_ id: UInt64, _ head: StoredHead, _ body: Data?) {
        guard let directory else { return }
        directory.queue.async {
            let file = (body ?? self.body(of: id)).flatMap { directory.write(head, $0) }
            // Deleted at once, so that after `waitForDisk` the file is gone.
            let (_, discarded) = self.changeTable { $0.written(id, head, file) }
            discarded.forEach(directory.delete)
        }
    }
}
