/// Unique keys by an order value, the least first: a binary heap that knows each key's index.
public struct KeyedHeap<Key: Hashable, Order: Comparable> {
    @usableFromInline var heap: [(key: Key, order: Order)] = []
    @usableFromInline var indices: [Key: Int] = [:]

    /// An empty one.
    @inlinable public init() {}

    /// The key with the least order; nil in an empty one.
    @inlinable public var first: (key: Key, order: Order)? { heap.first }

    /// Adds a key, or moves it to another order.
    @inlinable public mutating func set(_ key: Key, _ order: Order) {
        let index = indices[key] ?? heap.count
        if index == heap.count {
            heap.append((key, order))
            indices[key] = index
        } else {
            heap[index].order = order
        }
        sift(index)
    }

    /// Removes a key, if it is there.
    @inlinable public mutating func remove(_ key: Key) {
        guard let index = indices.removeValue(forKey: key) else { return }
        let last = heap.removeLast()
        guard index < heap.count else { return }
        heap[index] = last
        indices[last.key] = index
        sift(index)
    }

    /// Removes the key with the least order.
    @inlinable public mutating func removeFirst() -> (key: Key, order: Order)? {
        guard let first else { return nil }
        remove(first.key)
        return first
    }

    /// Moves the element at an index to where it belongs.
    @inlinable mutating func sift(_ start: Int) {
        var index = start
        while index > 0, heap[index].order < heap[(index - 1) / 2].order {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
        while 2 * index + 1 < heap.count {
            let (left, right) = (2 * index + 1, 2 * index + 2)
            let least =
                right < heap.count && heap[right].order < heap[left].order ? right : left
            guard heap[least].order < heap[index].order else { return }
            swap(index, least)
            index = least
        }
    }

    @inlinable mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        indices[heap[one].key] = one
        indices[heap[other].key] = other
    }
}
