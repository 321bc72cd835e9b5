import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import OperationNetworking

// How a request becomes an entry, which is written with all others that wait.
extension DurableRun {
    /// The entry of a request. A body of at most `BodyStore.inlineLength` bytes is in it; `store` adds a longer one, or
    /// a file.
    ///
    /// - Throws: `DurableQueueError.unusable` where the request cannot be sent or stored, its body is a stream or
    ///   stands beside a file, or `expires` is not finite.
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

    /// Writes an entry, and before it a body that is long or a file.
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

    // MARK: Writing

    func add(_ entry: StoredEntry, _ result: Awaited<UUID>) {
        schedule { $0.added.append((entry, result)) }
    }

    func note(_ change: StoredChange) {
        schedule { $0.noted.append(change) }
    }

    private func schedule(_ change: (inout Pending) -> Void) {
        let isFirst = pending.withLock { pending in
            change(&pending)
            defer { pending.isScheduled = true }
            return !pending.isScheduled
        }
        if isFirst { disk.async { self.write() } }
    }

    /// On `disk`: writes in one transaction what was noted, and what was added within the limits. What the disk refused
    /// before waits for its pause.
    private func write() {
        let batch = pending.withLock { pending in
            defer { pending = Pending(refused: pending.refused) }
            return pending
        }
        let accepted = withinLimits(batch.added)
        do {
            try write(batch.noted + accepted.map { .added($0.entry) })
        } catch {
            for (entry, result) in accepted {
                bodies.remove(entry.body)
                result.give(.failure(error))
            }
            return retryNotes(batch.noted)
        }
        state.withLock { state in for (entry, _) in accepted { state.add(entry) } }
        for (entry, result) in accepted {
            options.retryPolicy.budget?.add()
            result.give(.success(entry.id))
        }
        for case .ended(let id) in batch.noted { forget(id) }
        advance()
    }

    func write(_ changes: [StoredChange]) throws {
        try store.withLock { try $0.write(changes) }
    }

    /// Returns what is within the limits, and refuses the rest.
    private func withinLimits(
        _ added: [(entry: StoredEntry, result: Awaited<UUID>)]
    ) -> [(entry: StoredEntry, result: Awaited<UUID>)] {
        var (count, length) = store.withLock { ($0.count, $0.length) }
        let most = min(options.maximumStoredLength, 1 << 27)
        return added.filter { entry, result in
            do {
                if state.withLock({ $0.isClosed }) { throw DurableQueueError.closed }
                let own = try DurableStore.length(entry)
                guard own <= DurableStore.longestEntry else {
                    throw DurableQueueError.unusable(
                        "Address and fields of the request are longer than an entry can be.")
                }
                guard count < options.maximumEntries, length + own <= most else {
                    throw DurableQueueError.full(
                        "\(count) entries wait, with \(length) bytes; maximumEntries and "
                            + "maximumStoredLength can be set.")
                }
                (count, length) = (count + 1, length + own)
                return true
            } catch {
                bodies.remove(entry.body)
                result.give(.failure(error))
                return false
            }
        }
    }

    /// Writes the ends alone, for which a full disk has space, and the rest after a pause. The next entry of a key is
    /// sent once the end of the one before is written.
    private func retryNotes(_ noted: [StoredChange]) {
        guard !noted.isEmpty else { return }
        var rest = noted
        let ends = noted.filter(\.isEnd)
        do {
            try write(ends)
            for case .ended(let id) in ends { forget(id) }
            rest.removeAll(where: \.isEnd)
        } catch {}
        advance()
        pending.withLock { $0.refused += rest }
        guard !rest.isEmpty, !state.withLock({ $0.isClosed }) else { return }
        clock.wakeUp(after: Self.pause, on: disk) { [weak self] in
            self?.schedule { pending in
                pending.noted = pending.refused + pending.noted
                pending.refused = []
            }
        }
    }

    private func forget(_ id: UUID) {
        let body = state.withLock { state in
            defer { state.remove(id) }
            return state.items[id]?.entry.body
        }
        bodies.remove(body)
    }

    // MARK: Looking

    var entries: [DurableEntry] {
        let (items, isFull) = state.withLock { state in
            let items = state.items.values.sorted { $0.number < $1.number }
            let isFull = state.sending >= max(1, options.maximumConcurrentEntries)
            return (items.map { ($0, state.reason(of: $0)) }, isFull)
        }
        return items.map { item, reason in
            var reason = reason
            if reason == nil, item.phase == .waiting, isFull { reason = .concurrency }
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
