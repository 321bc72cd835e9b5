import Foundation
import HTTPSemantics
import OperationNetworking

/// Pure: which entries of a durable queue may be sent next.
struct DurableState {
    enum Phase {
        /// Behind one with the same key, or ready.
        case waiting
        case delayed(until: Date)
        case sending
        case ending
    }

    struct Item {
        var number: UInt64
        var entry: StoredEntry
        var phase = Phase.waiting
        /// While it is being sent.
        var operation: HTTPRequestOperation?
        var lastFailure: DurableOutcome.Failure?
        /// Why its operation is cancelled, if it is.
        var ending: Ending?

        var isWaiting: Bool {
            if case .waiting = phase { return true }
            return false
        }
    }

    enum Ending {
        case expired, removed
    }

    /// Ids, of which those that are gone are skipped.
    private struct Line {
        private var ids: [UUID] = []
        private var start = 0

        mutating func append(_ id: UUID) { ids.append(id) }

        mutating func first(of items: [UUID: Item], where fits: (Item) -> Bool) -> UUID? {
            while start < ids.count, items[ids[start]].map(fits) != true { start += 1 }
            if start > 64, 2 * start > ids.count {
                ids.removeFirst(start)
                start = 0
            }
            return start < ids.count ? ids[start] : nil
        }

        mutating func removeFirst() { start += 1 }
    }

    private(set) var items: [UUID: Item] = [:]
    private var lines: [String: Line] = [:]
    private var ready = Line()
    private(set) var sending = 0
    private var last: UInt64 = 0
    var due = DueTimes<Date, UUID>()
    var isSuspended = false
    var isClosed = false

    /// Takes an entry in, behind all others.
    mutating func add(_ entry: StoredEntry) {
        last += 1
        items[entry.id] = Item(number: last, entry: entry)
        if let expires = entry.expires { due.add(entry.id, at: expires) }
        guard let key = entry.key else { return makeReady(entry.id) }
        let isFirst = first(of: key) == nil
        lines[key, default: Line()].append(entry.id)
        if isFirst { makeReady(entry.id) }
    }

    mutating func change(_ id: UUID, _ change: (inout Item) -> Void) {
        guard var item = items[id] else { return }
        change(&item)
        items[id] = item
    }

    /// The next that may be sent now, as being sent.
    mutating func begin(limit: Int) -> Item? {
        guard !isSuspended, !isClosed, sending < max(1, limit) else { return nil }
        guard let id = ready.first(of: items, where: \.isWaiting) else { return nil }
        ready.removeFirst()
        items[id]?.phase = .sending
        sending += 1
        return items[id]
    }

    /// A try is over.
    mutating func endTry(_ id: UUID, phase: Phase) {
        sending -= 1
        change(id) {
            $0.operation = nil
            $0.phase = phase
        }
    }

    /// The calendar was set by so many seconds: what waits for a time to pass does so for the same time.
    mutating func moveDelays(by seconds: TimeInterval) {
        for id in items.keys {
            change(id) { item in
                item.entry.notBefore = item.entry.notBefore.map { $0 + seconds }
                if case .delayed(let date) = item.phase {
                    item.phase = .delayed(until: date + seconds)
                }
            }
        }
        collectDue()
    }

    /// Makes `due` anew of what there is.
    private mutating func collectDue() {
        due = DueTimes()
        for (id, item) in items {
            if let expires = item.entry.expires { due.add(id, at: expires) }
            if case .delayed(let date) = item.phase { due.add(id, at: date) }
        }
    }

    /// An entry that failed waits until then.
    mutating func delay(_ id: UUID, until date: Date) {
        change(id) {
            $0.phase = .delayed(until: date)
            $0.entry.notBefore = date
        }
        due.add(id, at: date)
    }

    /// What an entry waited for has come.
    mutating func wake(_ id: UUID) {
        items[id]?.phase = .waiting
        ready.append(id)
    }

    /// Nothing goes before an entry any more. An earlier process may have had it wait for a moment.
    private mutating func makeReady(_ id: UUID) {
        if let date = items[id]?.entry.notBefore {
            delay(id, until: date)
        } else {
            ready.append(id)
        }
    }

    /// An entry is gone, and the next with its key may go.
    mutating func remove(_ id: UUID) {
        // Those that are gone stay in it, but never most.
        defer { if due.count > 2 * items.count + 64 { collectDue() } }
        guard let item = items[id], let key = item.entry.key else {
            items[id] = nil
            return
        }
        let wasFirst = first(of: key) == id
        items[id] = nil
        let next = first(of: key)
        if wasFirst, let next { makeReady(next) }
        if next == nil { lines[key] = nil }
    }

    /// The one of a key that goes before all others.
    private mutating func first(of key: String) -> UUID? {
        lines[key]?.first(of: items) { _ in true }
    }

    /// Whether one with the same key goes before it.
    mutating func mustFollow(_ item: Item) -> Bool {
        item.entry.key.map { first(of: $0) != item.entry.id } ?? false
    }
}
