package import Foundation

/// The field `Retry-After` (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// Seconds from now, 0 for a date that has passed; nil where the value is neither a number of
    /// seconds nor a date.
    package static func seconds(_ value: String, now: Date) -> TimeInterval? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // A number that overflows is longer than any limit.
            return Int(text).map(TimeInterval.init) ?? .infinity
        }
        return CacheDate.parse(text, now: now).map { max(0, $0.timeIntervalSince(now)) }
    }
}
