import Foundation
import HTTPSemantics

/// A cache's images, their total cost, and the order of their last use.
struct ImageTable {
    private struct Entry {
        let image: DecodedImage
        let url: URL?
        let cost: UInt64
    }

    private var entries = RecentTable<String, Entry>()
    private(set) var usage: UInt64 = 0

    /// Adds an image, and removes the least recently used others where all exceed the capacity.
    ///
    /// - Returns: the removed images, which the caller frees after unlocking.
    mutating func add(
        _ image: DecodedImage, _ key: String, url: URL?, capacity: UInt64, preferred: UInt64
    ) -> [DecodedImage] {
        var gone = remove(key).map { [$0] } ?? []
        let cost = image.cost
        // Purging the others could not make this one fit, so they stay.
        guard cost <= capacity else { return gone }
        entries.set(Entry(image: image, url: url, cost: cost), for: key)
        usage += cost
        guard usage > capacity else { return gone }
        while usage > preferred, let first = entries.first, first != key {
            if let image = remove(first) { gone.append(image) }
        }
        return gone
    }

    mutating func image(_ key: String) -> DecodedImage? {
        entries.use(key)?.image
    }

    mutating func remove(_ key: String) -> DecodedImage? {
        guard let entry = entries.remove(key) else { return nil }
        usage -= entry.cost
        return entry.image
    }

    mutating func removeAll(of url: URL) -> [DecodedImage] {
        entries.keys.filter { entries[$0]?.url == url }.compactMap { remove($0) }
    }

    mutating func removeAll() -> [DecodedImage] {
        Array(entries.keys).compactMap { remove($0) }
    }
}
