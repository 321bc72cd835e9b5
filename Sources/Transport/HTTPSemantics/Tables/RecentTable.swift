/// Values by key, in the order of their last use. All operations take constant time.
///
/// A dictionary maps keys to indices of an array, whose elements are linked from the least to the
/// most recently used.
package struct RecentTable<Key: Hashable, Value> {
    private struct Slot {
        let key: Key
        var value: Value
        var older: Int?
        var newer: Int?
    }

    private let limit: Int
    private var slots: [Slot] = []
    private var indices: [Key: Int] = [:]
    private var oldest: Int?
    private var latest: Int?

    /// - Parameter limit: beyond it the least recently used value is removed.
    package init(limit: Int = .max) {
        self.limit = limit
    }

    package var count: Int { slots.count }

    /// In no order.
    package var keys: Dictionary<Key, Int>.Keys { indices.keys }

    /// The least recently used key.
    package var first: Key? { oldest.map { slots[$0].key } }

    /// The key that was used next after another.
    package func key(after key: Key) -> Key? {
        indices[key].flatMap { slots[$0].newer }.map { slots[$0].key }
    }

    /// The value of a key. To read or change it does not count as a use; a new key is the most recently used.
    package subscript(key: Key) -> Value? {
        get { indices[key].map { slots[$0].value } }
        set {
            switch (newValue, indices[key]) {
            case (nil, _): remove(key)
            case (let value?, let index?): slots[index].value = value
            case (let value?, nil): add(value, key)
            }
        }
    }

    /// The value of a key, which becomes the most recently used.
    @discardableResult
    package mutating func use(_ key: Key) -> Value? {
        guard let index = indices[key] else { return nil }
        if index != latest {
            unlink(index)
            link(index)
        }
        return slots[index].value
    }

    /// Adds or replaces a value; either counts as a use.
    package mutating func set(_ value: Value, for key: Key) {
        self[key] = value
        use(key)
    }

    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        guard let index = indices.removeValue(forKey: key) else { return nil }
        unlink(index)
        let value = slots[index].value
        // The last element moves to the free index.
        let last = slots.removeLast()
        guard index < slots.count else { return value }
        slots[index] = last
        indices[last.key] = index
        join(last.older, index)
        join(index, last.newer)
        return value
    }

    private mutating func add(_ value: Value, _ key: Key) {
        indices[key] = slots.count
        slots.append(Slot(key: key, value: value))
        link(slots.count - 1)
        if slots.count > limit, let first { remove(first) }
    }

    private mutating func link(_ index: Int) {
        join(latest, index)
        join(index, nil)
    }

    private mutating func unlink(_ index: Int) {
        join(slots[index].older, slots[index].newer)
    }

    /// Links two elements; nil stands for an end.
    private mutating func join(_ older: Int?, _ newer: Int?) {
        if let older { slots[older].newer = newer } else { oldest = newer }
        if let newer { slots[newer].older = older } else { latest = older }
    }
}
