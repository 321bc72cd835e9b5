import Foundation

/// Transfers that wait for their turn. What each step costs does not depend on how many there are.
struct WaitingLine<Value: Sendable> {
    private let order: TransferOrder
    /// By their places; those of the ones that were removed stay empty, and are passed over.
    private var transfers: [Int: SharedTransfer<Value>] = [:]
    private var places: [ObjectIdentifier: Int] = [:]
    private var (start, end) = (0, 0)

    init(_ order: TransferOrder) {
        self.order = order
    }

    var count: Int { transfers.count }

    mutating func add(_ transfer: SharedTransfer<Value>) {
        transfers[end] = transfer
        places[ObjectIdentifier(transfer)] = end
        end += 1
    }

    mutating func remove(_ transfer: SharedTransfer<Value>) {
        guard let place = places.removeValue(forKey: ObjectIdentifier(transfer)) else { return }
        transfers[place] = nil
    }

    /// Takes the one whose turn it is out; nil where none waits.
    mutating func next() -> SharedTransfer<Value>? {
        while !transfers.isEmpty {
            let place: Int
            switch order {
            case .fifo: (place, start) = (start, start + 1)
            case .lifo: (place, end) = (end - 1, end - 1)
            }
            guard let next = transfers.removeValue(forKey: place) else { continue }
            places[ObjectIdentifier(next)] = nil
            return next
        }
        return nil
    }
}
