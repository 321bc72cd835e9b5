/// The keys of objects that were read latest, by their number, so that an object with the same keys in the
/// same order needs no hashing.
///
/// Such an object is a copy of one dictionary whose values are replaced. Lists of objects are mostly so.
///
/// ## Concurrency
/// Call from: the thread that reads the document. Lock: none.
struct JSONShapes {
    /// The bytes of a key, within simdjson's texts.
    typealias Key = UnsafeBufferPointer<UInt8>

    /// Where each member is in a copy of the pattern.
    struct Shape {
        let pattern: [String: Any]
        let indices: [Dictionary<String, Any>.Index]
    }

    private struct Entry {
        var keys: [Key] = []
        var shape: Shape?
    }

    /// The most members of an object that is compared.
    static let mostMembers = 32
    private var entries = [Entry](repeating: Entry(), count: mostMembers + 1)

    /// The shape of objects with these keys, if there is one.
    ///
    /// - Parameter isKnown: whether the object before with as many keys had the same.
    mutating func find(_ keys: [Key]) -> (shape: Shape?, isKnown: Bool) {
        guard keys.count <= Self.mostMembers, !keys.isEmpty else { return (nil, false) }
        if isLatest(keys) { return (entries[keys.count].shape, true) }
        entries[keys.count] = Entry(keys: keys)
        return (nil, false)
    }

    private func isLatest(_ keys: [Key]) -> Bool {
        keys.elementsEqual(entries[keys.count].keys, by: { $0.elementsEqual($1) })
    }

    /// Keeps the shape of an object, the second with the same keys; not where two keys are equal, or where an
    /// object within it with as many other keys came since.
    mutating func keep(_ members: [String: Any], _ keys: [Key]) {
        guard members.count == keys.count, isLatest(keys) else { return }
        // Copying a number is the cheapest.
        let pattern = members.mapValues { _ in 0 as Any }
        let indices = keys.compactMap { pattern.index(forKey: String(decoding: $0, as: UTF8.self)) }
        guard indices.count == keys.count else { return }
        entries[keys.count].shape = Shape(pattern: pattern, indices: indices)
    }
}
