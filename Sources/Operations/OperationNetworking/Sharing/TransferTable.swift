import Foundation
import FoundationNetworking
import Scheduling
import Synchronization

/// A key of the table, compared by identity. Its value is compared without the table's lock, since it may contain
/// a value of a caller's type, whose `==` may call `SharedTransfers`.
final class TransferKey: Hashable, Sendable {
    let value: SharingKey
    let hash: Int

    init(_ value: SharingKey) {
        self.value = value
        hash = value.hashValue
    }

    static func == (one: TransferKey, other: TransferKey) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A transfer with the callers that share it.
final class SharedTransfer<Value: Sendable>: Sendable {
    /// One caller's share.
    struct Part: Sendable {
        let id: UUID
        let request: URLRequest
        let progress: TransferHandle.ProgressBlock?
        let handler: @Sendable (SharedResult<Value>) -> Void
    }

    let key: TransferKey
    let handle: any TransferHandle
    /// Whether its handle has a progress block.
    let isObserved = Atomic<Bool>(false)

    init(_ key: TransferKey, _ handle: any TransferHandle) {
        self.key = key
        self.handle = handle
    }
}

/// The transfers and their callers, and which of them wait.
struct TransferTable<Value: Sendable> {
    typealias Shared = SharedTransfer<Value>
    private typealias Slots = Limiter<String, Shared>

    private let limit: Int
    private var shared: [TransferKey: (transfer: Shared, parts: [Shared.Part])] = [:]
    /// The keys of `shared`, by their hashes.
    private var known: [Int: [TransferKey]] = [:]
    /// The keys of `shared`, by the transfers' handles.
    private var keys: [ObjectIdentifier: TransferKey] = [:]
    private var limiter: Slots
    private let running: Slots.Resource
    /// The slots of waiting and of running transfers, also of cancelled ones until they have ended.
    private var slots: [ObjectIdentifier: Slots.Slot] = [:]
    /// How many transfers were removed so far, by which `SharedTransfers` notices that one was.
    private(set) var ends = 0

    init(limit: Int, order: TransferOrder) {
        self.limit = limit
        limiter = Slots(order == .fifo ? .age : .newest, ageing: 0)
        running = limiter.keptResource("transfers")
    }

    /// All transfers. Empties the queue of the limiter, which retain each other.
    mutating func close() -> [Shared] {
        _ = limiter.dismiss(at: 0) { _ in true }
        return shared.values.map(\.transfer)
    }

    var waitingCount: Int { slots.count - active }
    var active: Int { running.inUse }

    /// The keys that may be equal to one; the caller compares them without the lock.
    func keys(like key: TransferKey) -> [TransferKey] { known[key.hash] ?? [] }

    /// Adds a caller to the transfer of a key, if there is one.
    mutating func join(_ key: TransferKey, _ part: Shared.Part) -> Shared? {
        shared[key]?.parts.append(part)
        return shared[key]?.transfer
    }

    /// Adds a transfer. Returns whether it must be started now; otherwise it waits.
    mutating func add(_ transfer: Shared, _ part: Shared.Part) -> Bool {
        shared[transfer.key] = (transfer, [part])
        keys[ObjectIdentifier(transfer.handle)] = transfer.key
        known[transfer.key.hash, default: []].append(transfer.key)
        let slot = limiter.ask(
            .init(.init(running, atMost: limit)), .normal, transfer, at: 0)
        slots[ObjectIdentifier(transfer)] = slot
        return slot.isHeld
    }

    /// The callers of a transfer; none for one that was removed.
    func parts(of transfer: Shared) -> [Shared.Part] {
        guard let known = shared[transfer.key], known.transfer === transfer else { return [] }
        return known.parts
    }

    /// Removes a transfer that has ended. Returns its callers, and the transfer to be started next.
    mutating func end(_ transfer: Shared) -> (parts: [Shared.Part], next: Shared?) {
        let slot = slots.removeValue(forKey: ObjectIdentifier(transfer))
        let next = slot.flatMap { limiter.leave($0, at: 0).first?.waiter }
        let parts = parts(of: transfer)
        if !parts.isEmpty { remove(transfer) }
        return (parts, next)
    }

    private mutating func remove(_ transfer: Shared) {
        shared[transfer.key] = nil
        let hash = transfer.key.hash
        known[hash]?.removeAll { $0 === transfer.key }
        if known[hash]?.isEmpty == true { known[hash] = nil }
        let handle = ObjectIdentifier(transfer.handle)
        // A starter may give one handle twice.
        if keys[handle] == transfer.key { keys[handle] = nil }
        ends += 1
    }

    /// Removes a caller's part, and its transfer if it was the last one.
    mutating func leave(_ receipt: TransferReceipt) -> (part: Shared.Part, removed: Shared?)? {
        guard let key = keys[ObjectIdentifier(receipt.transfer)],
            let index = shared[key]?.parts.firstIndex(where: { $0.id == receipt.id }),
            let part = shared[key]?.parts.remove(at: index), let left = shared[key]
        else { return nil }
        guard left.parts.isEmpty else { return (part, nil) }
        remove(left.transfer)
        let id = ObjectIdentifier(left.transfer)
        // A running transfer keeps its slot until it has ended.
        if let slot = slots[id], !slot.isHeld {
            slots[id] = nil
            _ = limiter.leave(slot, at: 0)
        }
        return (part, left.transfer)
    }
}
