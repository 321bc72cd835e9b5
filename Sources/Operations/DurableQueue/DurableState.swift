import Foundation
import HTTPSemantics
import OperationNetworking

/// Which entries of a durable queue may be sent next.
struct DurableState {
    enum Phase: Equatable {
        /// For one with the same key, or to be sent.
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
    }

    enum Ending {
        case expired, removed
    }

    /// A queue of ids; those whose entries are gone are skipped.
    private struct Queue {
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
    private var queues: [String: Queue] = [:]
    private var ready = Queue()
    private(set) var sending = 0
    private var last: UInt64 = 0
    var due = DueTimes<Date, UUID>()
    var isSuspended = false
    var isClosed = false
    /// Calls of the caller's block that have begun, and whose entries' ends are not noted yet.
    private var reports = 0
    /// Whether the folder may be given free.
    var isOver: Bool { isClosed && reports == 0 }

    /// Returns whether an outcome may be reported. A closed queue leaves it to the next one.
    mutating func beginReport() -> Bool {
        if !isClosed { reports += 1 }
        return !isClosed
    }

    /// Returns whether the folder may be given free.
    mutating func endReport() -> Bool {
        reports -= 1
        return isOver
    }

    /// Adds an entry, behind all others.
    mutating func add(_ entry: StoredEntry) {
        last += 1
        items[entry.id] = Item(number: last, entry: entry)
        if let expires = entry.expires { due.add(entry.id, at: expires) }
        guard let key = entry.key else { return makeReady(entry.id) }
        let isFirst = first(of: key) == nil
        queues[key, default: Queue()].append(entry.id)
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
        guard let id = ready.first(of: items, where: { $0.phase == .waiting }) else { return nil }
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

    /// The calendar was set by so many seconds: a delay is a span of time, and stays as long as it was.
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

    /// Makes `due` anew from the entries.
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

    /// An entry's delay is over.
    mutating func wake(_ id: UUID) {
        items[id]?.phase = .waiting
        ready.append(id)
    }

    /// An entry is the first of its key. It may still have to wait, also for a delay of an earlier process.
    private mutating func makeReady(_ id: UUID) {
        if let date = items[id]?.entry.notBefore {
            delay(id, until: date)
        } else {
            ready.append(id)
        }
    }

    /// Removes an entry; the next of its key may be sent.
    mutating func remove(_ id: UUID) {
        // Entries that are gone stay in it, but never as most of it.
        defer { if due.count > 2 * items.count + 64 { collectDue() } }
        guard let item = items[id], let key = item.entry.key else {
            items[id] = nil
            return
        }
        let wasFirst = first(of: key) == id
        items[id] = nil
        let next = first(of: key)
        if wasFirst, let next { makeReady(next) }
        if next == nil { queues[key] = nil }
    }

    /// The first entry of a key.
    private mutating func first(of key: String) -> UUID? {
        queues[key]?.first(of: items) { _ in true }
    }

    /// Whether an entry with the same key is before it.
    mutating func mustFollow(_ item: Item) -> Bool {
        item.entry.key.map { first(of: $0) != item.entry.id } ?? false
    }
}
