import Foundation

/// The images of a cache, what they cost together, and in which order they were used.
struct ImageTable {
    private struct Entry {
        let image: DecodedImage
        let url: URL?
        let cost: UInt64
        var lastUse: UInt64
    }

    private var entries: [String: Entry] = [:]
    /// Uses are counted: equal times and clocks that jump do not matter.
    private var uses: UInt64 = 0
    /// The uses in their order, from `first` on. An entry's last one counts; the others are passed over.
    private var order: [(key: String, use: UInt64)] = []
    private var first = 0
    private(set) var usage: UInt64 = 0

    /// Adds an image, and forgets the longest unused others where all cost more than the capacity.
    ///
    /// - Returns: what was forgotten, to be freed by the caller.
    mutating func add(
        _ image: DecodedImage, _ key: String, url: URL?, capacity: UInt64, preferred: UInt64
    ) -> [DecodedImage] {
        var gone = remove(key).map { [$0] } ?? []
        let cost = image.cost
        // It would go with all the others; they stay.
        guard cost <= capacity else { return gone }
        entries[key] = Entry(image: image, url: url, cost: cost, lastUse: 0)
        usage += cost
        use(key)
        if usage > capacity { gone += purge(to: preferred, keeping: key) }
        return gone
    }

    private mutating func purge(to preferred: UInt64, keeping kept: String) -> [DecodedImage] {
        var gone: [DecodedImage] = []
        while usage > preferred, first < order.count {
            let (key, use) = order[first]
            if entries[key]?.lastUse == use {
                // It was used last: nothing is behind it.
                if key == kept { break }
                if let image = remove(key) { gone.append(image) }
            }
            first += 1
        }
        return gone
    }

    mutating func image(_ key: String) -> DecodedImage? {
        guard let image = entries[key]?.image else { return nil }
        use(key)
        return image
    }

    private mutating func use(_ key: String) {
        uses += 1
        entries[key]?.lastUse = uses
        order.append((key, uses))
        guard order.count > 2 * entries.count + 64 else { return }
        order = order[first...].filter { entries[$0.key]?.lastUse == $0.use }
        first = 0
    }

    mutating func remove(_ key: String) -> DecodedImage? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        usage -= entry.cost
        return entry.image
    }

    mutating func removeAll(of url: URL) -> [DecodedImage] {
        entries.filter { $0.value.url == url }.keys.compactMap { remove($0) }
    }

    mutating func removeAll() -> [DecodedImage] {
        defer { self = ImageTable() }
        return entries.values.map(\.image)
    }
}
