import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

// How a request becomes an entry, and what is seen of entries.
extension DurableRun {
    /// The entry of a request, without its body.
    ///
    /// - Throws: what no try could mend.
    func entry(
        of request: URLRequest, _ file: URL?, _ key: String?, _ expires: Date?
    ) throws -> StoredEntry {
        guard request.httpBodyStream == nil else {
            throw DurableQueueError.unusable(
                "The body must be data or a file: a stream can be read only once.")
        }
        guard file == nil || request.httpBody == nil else {
            throw DurableQueueError.unusable("The request has a body besides the file; use one.")
        }
        do {
            try RequestValidation.checkForSending(request)
        } catch {
            throw DurableQueueError.unusable(error.localizedDescription)
        }
        guard expires?.timeIntervalSinceReferenceDate.isFinite ?? true else {
            throw DurableQueueError.unusable("expiresAt is not a finite date.")
        }
        let id = UUID()
        let field = options.retryPolicy.idempotencyKeyField ?? "Idempotency-Key"
        var stored = request
        stored.httpBody = nil
        let idempotencyKey = request.value(forHTTPHeaderField: field) ?? id.uuidString
        stored.setValue(idempotencyKey, forHTTPHeaderField: field)
        if let body = request.httpBody, body.count <= BodyStore.inlineLength {
            stored.httpBody = body
        }
        let archive = RequestArchive(stored)
        guard archive.request != nil else {
            throw DurableQueueError.unusable("The request cannot be stored.")
        }
        return StoredEntry(
            id: id, request: archive, idempotencyKey: idempotencyKey, key: key,
            added: clock.date, expires: expires)
    }

    /// Has an entry written, after its body where that is long.
    func store(_ entry: StoredEntry, _ data: Data?, _ file: URL?, _ result: Awaited<UUID>) {
        let isLong = (data?.count ?? 0) > BodyStore.inlineLength
        guard file != nil || isLong else { return add(entry, result) }
        copier.async { [self] in
            do {
                var entry = entry
                if let file {
                    entry.body = try bodies.store(file)
                } else if let data {
                    entry.body = try bodies.store(data)
                }
                add(entry, result)
            } catch {
                result.give(.failure(error))
            }
        }
    }

    var entries: [DurableEntry] {
        let (items, isFull) = state.withLock { state in
            let items = state.items.values.sorted { $0.number < $1.number }
            let isFull = state.sending >= max(1, options.maximumConcurrentEntries)
            return (items.map { ($0, state.reason(of: $0)) }, isFull)
        }
        return items.map { item, reason in
            var reason = reason
            if reason == nil, item.isWaiting, isFull { reason = .concurrency }
            if reason == nil, let operation = item.operation {
                reason = manager.reason(of: operation).map { .manager($0) }
            }
            return DurableEntry(item, reason: reason)
        }
    }
}

extension DurableState {
    /// Why an entry waits, as far as the queue knows.
    fileprivate mutating func reason(of item: Item) -> DurableEntry.Reason? {
        switch item.phase {
        case .waiting: mustFollow(item) ? .order : isSuspended ? .suspended : nil
        case .delayed(let date): .retry(at: date)
        case .sending: nil
        case .ending: .ending
        }
    }
}
