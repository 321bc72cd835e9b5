/// Values by key, of which the latest used are kept: at least `limit` of them and at most twice as
/// many. All takes constant time.
///
/// Two tables: what is used goes to the new one, and once that is full it becomes the old one, whose
/// predecessor is dropped with all in it that nobody used meanwhile.
struct RecentValues<Key: Hashable, Value> {
    private let limit: Int
    private var new: [Key: Value] = [:]
    private var old: [Key: Value] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { new.count + old.count }

    /// The value of a key, which counts as used.
    mutating func value(of key: Key) -> Value? {
        if let value = new[key] { return value }
        guard let value = old.removeValue(forKey: key) else { return nil }
        put(value, for: key)
        return value
    }

    mutating func set(_ value: Value, for key: Key) {
        old[key] = nil
        put(value, for: key)
    }

    mutating func remove(_ key: Key) {
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
