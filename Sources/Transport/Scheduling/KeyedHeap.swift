/// Unique keys by an order value, the least first: a binary heap that knows each key's index.
public struct KeyedHeap<Key: Hashable, Order: Comparable> {
    @usableFromInline var heap: [(key: Key, order: Order)] = []
    @usableFromInline var places: [Key: Int] = [:]

    /// An empty one.
    @inlinable public init() {}

    /// The key with the least order; nil in an empty one.
    @inlinable public var first: (key: Key, order: Order)? { heap.first }

    /// Adds a key, or moves it to another order.
    @inlinable public mutating func set(_ key: Key, _ order: Order) {
        let place = places[key] ?? heap.count
        if place == heap.count {
            heap.append((key, order))
            places[key] = place
        } else {
            heap[place].order = order
        }
        settle(place)
    }

    /// Removes a key, if it is there.
    @inlinable public mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        places[last.key] = place
        settle(place)
    }

    /// Removes the key with the least order.
    @inlinable public mutating func removeFirst() -> (key: Key, order: Order)? {
        guard let first else { return nil }
        remove(first.key)
        return first
    }

    /// Moves the element at an index to where it belongs.
    @inlinable mutating func settle(_ start: Int) {
        var place = start
        while place > 0, heap[place].order < heap[(place - 1) / 2].order {
            swap(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
        while 2 * place + 1 < heap.count {
            let (left, right) = (2 * place + 1, 2 * place + 2)
            let least =
                right < heap.count && heap[right].order < heap[left].order ? right : left
            guard heap[least].order < heap[place].order else { return }
            swap(place, least)
            place = least
        }
    }

    @inlinable mutating func swap(_ one: Int, _ other: Int) {
        heap.swapAt(one, other)
        places[heap[one].key] = one
        places[heap[other].key] = other
    }
}
