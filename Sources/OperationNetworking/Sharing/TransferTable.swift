import Foundation
import FoundationNetworking

/// A transfer and those who wait for it.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of the table's owner guards all that changes. Calls out on:
/// nothing.
final class SharedTransfer<Value: Sendable>: @unchecked Sendable {
    // @unchecked because `parts` is guarded by the lock of the table's owner.
    struct Part: Sendable {
        let id: UUID
        let request: URLRequest
        let handler: @Sendable (SharedResult<Value>) -> Void
    }

    let key: SharingKey
    let handle: any TransferHandle
    var parts: [Part]

    init(_ key: SharingKey, _ handle: any TransferHandle, _ part: Part) {
        self.key = key
        self.handle = handle
        parts = [part]
    }
}

/// Which transfers there are, which wait, and how many run.
struct TransferTable<Value: Sendable> {
    typealias Shared = SharedTransfer<Value>

    let limit: Int
    let order: TransferOrder
    private var shared: [SharingKey: Shared] = [:]
    private var waiting: [Shared] = []
    /// Those that were started and have not ended, also forgotten ones.
    private var running: [ObjectIdentifier: Shared] = [:]
    /// How many transfers were forgotten so far: who looked for something before looks again.
    private(set) var ends = 0

    init(limit: Int, order: TransferOrder) {
        self.limit = limit
        self.order = order
    }

    var all: [Shared] { Array(shared.values) }
    var waitingCount: Int { waiting.count }
    var active: Int { running.count }

    /// Adds a caller to a transfer that is under way.
    func join(_ key: SharingKey, _ part: Shared.Part) -> Shared? {
        guard let transfer = shared[key] else { return nil }
        transfer.parts.append(part)
        return transfer
    }

    /// Adds a transfer; whether it is to be started now. Otherwise it waits (IM-07).
    mutating func add(_ transfer: Shared) -> Bool {
        shared[transfer.key] = transfer
        if active < limit {
            start(transfer)
            return true
        }
        switch order {
        case .fifo: waiting.append(transfer)
        case .lifo: waiting.insert(transfer, at: 0)
        }
        return false
    }

    private mutating func start(_ transfer: Shared) {
        running[ObjectIdentifier(transfer)] = transfer
    }

    func isKnown(_ transfer: Shared) -> Bool { shared[transfer.key] === transfer }

    /// A started transfer has ended: those who wait for it, and the next one to be started.
    mutating func end(_ transfer: Shared) -> (parts: [Shared.Part], next: Shared?) {
        guard running.removeValue(forKey: ObjectIdentifier(transfer)) != nil else {
            return ([], nil)
        }
        let parts = isKnown(transfer) ? transfer.parts : []
        if isKnown(transfer) { forget(transfer) }
        guard active < limit, !waiting.isEmpty else { return (parts, nil) }
        let next = waiting.removeFirst()
        start(next)
        return (parts, next)
    }

    private mutating func forget(_ transfer: Shared) {
        shared[transfer.key] = nil
        ends += 1
    }

    /// Takes a caller's part out; whether nobody is left, and the transfer is forgotten.
    mutating func leave(_ receipt: TransferReceipt) -> (part: Shared.Part, isLast: Bool)? {
        guard let transfer = shared.values.first(where: { $0.handle === receipt.transfer }),
            let index = transfer.parts.firstIndex(where: { $0.id == receipt.id })
        else { return nil }
        let part = transfer.parts.remove(at: index)
        guard transfer.parts.isEmpty else { return (part, false) }
        forget(transfer)
        // One that waits was never counted as active (IM-16).
        waiting.removeAll { $0 === transfer }
        return (part, true)
    }
}
