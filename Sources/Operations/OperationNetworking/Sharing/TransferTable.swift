import Foundation
import FoundationNetworking
import Locking
import Scheduling

/// What the table finds a transfer by: the object. Its value is hashed and compared without the table's lock, since
/// what `TransferStarting.sharingIdentity(for:)` gives may be of a caller's type, whose `==` may ask the table.
final class TransferKey: Hashable, Sendable {
    let value: SharingKey
    /// Of the value; equal keys have the same.
    let number: Int

    init(_ value: SharingKey) {
        self.value = value
        number = value.hashValue
    }

    static func == (one: TransferKey, other: TransferKey) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A transfer that several may wait for.
final class SharedTransfer<Value: Sendable>: Sendable {
    /// One who waits.
    struct Part: Sendable {
        let id: UUID
        let request: URLRequest
        let progress: TransferHandle.ProgressBlock?
        let handler: @Sendable (SharedResult<Value>) -> Void
    }

    let key: TransferKey
    let handle: any TransferHandle
    /// Whether its progress is told to those who wait.
    let isTelling = Locked(false)

    init(_ key: TransferKey, _ handle: any TransferHandle) {
        self.key = key
        self.handle = handle
    }
}

/// Which transfers there are, which wait, and how many run.
struct TransferTable<Value: Sendable> {
    typealias Shared = SharedTransfer<Value>
    private typealias Slots = Limiter<String, Shared>

    private let limit: Int
    private var shared: [TransferKey: (transfer: Shared, parts: [Shared.Part])] = [:]
    /// The keys of those, by their numbers.
    private var known: [Int: [TransferKey]] = [:]
    /// The same by their handles.
    private var keys: [ObjectIdentifier: TransferKey] = [:]
    private var limiter: Slots
    private let running: Slots.Resource
    /// Of those that wait, and of those that were started and have not ended, also forgotten ones.
    private var slots: [ObjectIdentifier: Slots.Slot] = [:]
    /// How many transfers were forgotten so far: who looked for something before looks again.
    private(set) var ends = 0

    init(limit: Int, order: TransferOrder) {
        self.limit = limit
        limiter = Slots(order == .fifo ? .age : .newest, ageing: 0)
        running = limiter.keptResource("transfers")
    }

    /// All transfers, of which none waits any more: the limiter and its queue would retain each other.
    mutating func close() -> [Shared] {
        _ = limiter.dismiss(at: 0) { _ in true }
        return shared.values.map(\.transfer)
    }

    var waitingCount: Int { slots.count - active }
    var active: Int { running.inUse }

    /// The keys that may be equal to one; whoever wants to know compares them without the lock.
    func keys(like key: TransferKey) -> [TransferKey] { known[key.number] ?? [] }

    /// Adds a caller to a transfer that is under way.
    mutating func join(_ key: TransferKey, _ part: Shared.Part) -> Shared? {
        shared[key]?.parts.append(part)
        return shared[key]?.transfer
    }

    /// Adds a transfer; whether it is to be started now. Otherwise it waits (IM-07).
    mutating func add(_ transfer: Shared, _ part: Shared.Part) -> Bool {
        shared[transfer.key] = (transfer, [part])
        keys[ObjectIdentifier(transfer.handle)] = transfer.key
        known[transfer.key.number, default: []].append(transfer.key)
        let slot = limiter.ask(
            .init(.init(running, atMost: limit)), .normal, transfer, at: 0)
        slots[ObjectIdentifier(transfer)] = slot
        return slot.isHeld
    }

    /// Those who wait for a transfer; none for one that is forgotten.
    func parts(of transfer: Shared) -> [Shared.Part] {
        guard let known = shared[transfer.key], known.transfer === transfer else { return [] }
        return known.parts
    }

    /// A transfer has ended, perhaps before its turn came: those who wait for it, and the next one to be started.
    mutating func end(_ transfer: Shared) -> (parts: [Shared.Part], next: Shared?) {
        let slot = slots.removeValue(forKey: ObjectIdentifier(transfer))
        let next = slot.flatMap { limiter.leave($0, at: 0).first?.waiter }
        let parts = parts(of: transfer)
        if !parts.isEmpty { forget(transfer) }
        return (parts, next)
    }

    private mutating func forget(_ transfer: Shared) {
        shared[transfer.key] = nil
        let number = transfer.key.number
        known[number]?.removeAll { $0 === transfer.key }
        if known[number]?.isEmpty == true { known[number] = nil }
        let handle = ObjectIdentifier(transfer.handle)
        // A starter may give one handle twice.
        if keys[handle] == transfer.key { keys[handle] = nil }
        ends += 1
    }

    /// Takes a caller's part out; the transfer where nobody is left, and it is forgotten.
    mutating func leave(_ receipt: TransferReceipt) -> (part: Shared.Part, forgotten: Shared?)? {
        guard let key = keys[ObjectIdentifier(receipt.transfer)],
            let index = shared[key]?.parts.firstIndex(where: { $0.id == receipt.id }),
            let part = shared[key]?.parts.remove(at: index), let left = shared[key]
        else { return nil }
        guard left.parts.isEmpty else { return (part, nil) }
        forget(left.transfer)
        let id = ObjectIdentifier(left.transfer)
        // One that waits was never counted as active; one that runs is until its end (IM-16).
        if let slot = slots[id], !slot.isHeld {
            slots[id] = nil
            _ = limiter.leave(slot, at: 0)
        }
        return (part, left.transfer)
    }
}
