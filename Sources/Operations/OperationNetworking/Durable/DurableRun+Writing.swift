import CurlConnection
import Foundation
import HTTPSemantics
import Locking

// What is accepted and noted goes into the journal, as much as waits in one go.
extension DurableRun {
    /// Bytes that the count of tries and the time of the next may add to an entry.
    private static let triesLength = 128

    func add(_ entry: StoredEntry, _ result: Awaited<UUID>) {
        schedule { $0.added.append((entry, result)) }
    }

    func note(_ record: JournalRecord) {
        schedule { $0.noted.append(record) }
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

    func write(_ records: [JournalRecord]) throws {
        try journal.withLock { try $0.write(records) }
    }

    /// Refuses what is beyond a limit.
    private func room(
        for added: [(entry: StoredEntry, result: Awaited<UUID>)]
    ) -> [(entry: StoredEntry, result: Awaited<UUID>)] {
        var (count, length) = journal.withLock { ($0.table.rows.count, $0.table.length) }
        let most = min(options.maximumJournalLength, 1 << 27)
        return added.filter { entry, result in
            do {
                if state.withLock({ $0.isClosed }) { throw DurableQueueError.closed }
                let payload = try JournalRecord.added(entry).payload().count
                guard payload <= JournalFormat.longestPayload - Self.triesLength else {
                    throw DurableQueueError.unusable(
                        "Address and fields of the request are longer than a record can be.")
                }
                let own = JournalFormat.recordLength(payload)
                guard count < options.maximumEntries, length + own <= most else {
                    throw DurableQueueError.full(
                        "\(count) entries wait, with \(length) bytes; maximumEntries and "
                            + "maximumJournalLength can be set.")
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
    private func retryNotes(_ noted: [JournalRecord]) {
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
