import CurlConnection
import Foundation
import HTTPSemantics
import Locking
import OperationNetworking

// What is accepted and noted is stored, as much as waits in one go.
extension DurableRun {
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

    /// On `disk`: writes what waits in one go.
    private func write() {
        let batch = pending.withLock { pending in
            defer { pending = Pending() }
            return pending
        }
        let accepted = room(for: batch.added)
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

    /// Refuses what is beyond a limit.
    private func room(
        for added: [(entry: StoredEntry, result: Awaited<UUID>)]
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

    /// The disk had no room for all. For ends there is some, and they must be written before the next of their
    /// keys are sent.
    private func retryNotes(_ noted: [StoredChange]) {
        guard !noted.isEmpty, !state.withLock({ $0.isClosed }) else { return }
        var rest = noted
        let ends = noted.filter(\.isEnd)
        do {
            try write(ends)
            for case .ended(let id) in ends { forget(id) }
            rest.removeAll(where: \.isEnd)
        } catch {}
        advance()
        guard !rest.isEmpty else { return }
        clock.wakeUp(after: Self.pause, on: disk) { [weak self, rest] in
            self?.schedule { $0.noted = rest + $0.noted }
        }
    }

    private func forget(_ id: UUID) {
        let body = state.withLock { state in
            defer { state.remove(id) }
            return state.items[id]?.entry.body
        }
        bodies.remove(body)
    }
}
