import Foundation
import HTTPSemantics

/// The part of a list that one of several jobs fetches.
///
/// It depends on the hash of each URL alone: a URL is always the same job's, whatever else is in the
/// list, and in any order.
struct Shard: Sendable, Equatable {
    static let whole = Shard(number: 1, count: 1)

    /// From 1 to `count`.
    var number: Int
    var count: Int

    /// Reads `i/n`; nil where `i` is not from 1 to `n`, or `n` is above a million.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
            (1...1_000_000).contains(count), (1...count).contains(number)
        else { return nil }
        self.init(number: number, count: count)
    }

    private init(number: Int, count: Int) {
        self.number = number
        self.count = count
    }

    func contains(_ address: String) -> Bool {
        guard count > 1 else { return true }
        return Self.value(of: address) % UInt64(count) == UInt64(number - 1)
    }

    /// The first eight bytes of the address's SHA-256.
    private static func value(of address: String) -> UInt64 {
        guard let hash = try? SHA256() else { return 0 }
        Array(address.utf8).withUnsafeBytes { hash.update($0) }
        let digits = (try? hash.digest())?.prefix(16) ?? ""
        return UInt64(digits, radix: 16) ?? 0
    }
}
