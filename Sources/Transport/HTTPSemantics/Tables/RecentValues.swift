/// Values by key. The latest used are kept, at least `limit` and at most twice as many. All operations
/// take constant time.
///
/// A value that is used goes to the new table. A full new table becomes the old one, and the values
/// that were in the old one are dropped.
package struct RecentValues<Key: Hashable, Value> {
    private let limit: Int
    private var new: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    package init(limit: Int) {
        self.limit = limit
    }

    package var count: Int { new.count + old.count }

    /// The value of a key, which counts as used.
    package mutating func value(of key: Key) -> Value? {
        if let value = new[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        put(value, for: key)
        return value
    }

    package mutating func set(_ value: Value, for key: Key) {
        old[key] = nil
        put(value, for: key)
    }

    package mutating func remove(_ key: Key) {
        new[key] = nil
        old[key] = nil
    }

    private mutating func put(_ value: Value, for key: Key) {
        new[key] = value
        if new.count >= limit {
            old = new
            new = [:]
        }
    }
}
