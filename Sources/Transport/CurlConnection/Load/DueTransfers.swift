/// The transfers whose limits are to be looked at, the one that is due first at the head.
///
/// A heap. Each transfer knows its index (`Transfer.dueIndex`), so to note or remove one costs the logarithm of their
/// number at most.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
struct DueTransfers {
    private var heap: [(moment: UInt64, transfer: Transfer)] = []

    /// When the first is due.
    var next: UInt64? { heap.first?.moment }
    var count: Int { heap.count }

    /// Has a transfer due at a moment, or before where it is already.
    mutating func note(_ transfer: Transfer, at moment: UInt64) {
        if let index = transfer.dueIndex {
            guard moment < heap[index].moment else { return }
            heap[index].moment = moment
            rise(index)
        } else {
            transfer.dueIndex = heap.count
            heap.append((moment, transfer))
            rise(heap.count - 1)
        }
    }

    mutating func remove(_ transfer: Transfer) {
        guard let index = transfer.dueIndex else { return }
        exchange(index, heap.count - 1)
        heap.removeLast()
        transfer.dueIndex = nil
        guard index < heap.count else { return }
        rise(index)
        sink(index)
    }

    mutating func removeAll() {
        for entry in heap { entry.transfer.dueIndex = nil }
        heap = []
    }

    /// Removes those that are due.
    mutating func take(at now: UInt64) -> [Transfer] {
        var due: [Transfer] = []
        while let first = heap.first, first.moment <= now {
            due.append(first.transfer)
            remove(first.transfer)
        }
        return due
    }

    private mutating func rise(_ start: Int) {
        var index = start
        while index > 0, heap[index].moment < heap[(index - 1) / 2].moment {
            exchange(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while 2 * index + 1 < heap.count {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            let least =
                right < heap.count && heap[right].moment < heap[left].moment ? right : left
            guard heap[least].moment < heap[index].moment else { return }
            exchange(index, least)
            index = least
        }
    }

    private mutating func exchange(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        heap[one].transfer.dueIndex = one
        heap[other].transfer.dueIndex = other
    }
}
