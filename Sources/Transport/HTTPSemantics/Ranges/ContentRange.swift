import Foundation
package import FoundationNetworking

/// The field `Content-Range` of a 206 or 416.
package struct ContentRange: Hashable {
    /// The positions of the first and the last byte; nil in a 416.
    package var first: Int64?
    package var last: Int64?
    package var total: Int64?

    /// - Returns: nil for none, for one that is malformed, and for two that differ.
    package init?(_ response: HTTPURLResponse) {
        // Lines of one name come joined.
        let fields = response.value(forHTTPHeaderField: "Content-Range")?
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        guard let field = fields?.first, fields?.allSatisfy({ $0 == field }) == true,
            field.hasPrefix("bytes ")
        else { return nil }
        let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = Self.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        if parts[0] == "*" { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1])
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// Digits only, and no more than fit.
    private static func number(_ text: Substring) -> Int64? {
        text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
    }

    /// The position behind the last byte.
    package var end: Int64? { isValid ? last.map { $0 + 1 } : nil }

    /// Whether it names all bytes there are.
    package var isWhole: Bool { first == 0 && end != nil && (total == nil || total == end) }

    /// Whether it names bytes that can be (RFC 9110 section 14.4).
    package var isValid: Bool {
        guard let first, let last, first <= last, last < .max else { return false }
        return total.map { last < $0 } ?? true
    }

    /// Whether the answer announces as many bytes as it names, or no number.
    package func fits(_ response: HTTPURLResponse) -> Bool {
        guard let first, let end else { return false }
        let announced = response.expectedContentLength
        return announced < 0 || announced == end - first
    }
}
