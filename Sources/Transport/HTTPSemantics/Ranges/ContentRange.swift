import Foundation
package import FoundationNetworking

/// The `Content-Range` field of a 206 or 416.
package struct ContentRange: Hashable {
    /// The positions of the first and the last byte; nil in a 416.
    package var first: Int64?
    package var last: Int64?
    package var total: Int64?

    /// - Returns: nil where the field is missing or malformed, or two lines differ.
    package init?(_ response: HTTPURLResponse) {
        // Lines of one name are joined.
        let fields = response.value(forHTTPHeaderField: "Content-Range")?
            .split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        guard let field = fields?.first, fields?.allSatisfy({ $0 == field }) == true,
            field.hasPrefix("bytes ")
        else { return nil }
        let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = FieldValue.number(parts[1])
        guard total != nil || parts[1] == "*" else { return nil }
        if parts[0] == "*" { return }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = FieldValue.number(ends[0]),
            let last = FieldValue.number(ends[1])
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    /// The offset after the last byte.
    package var end: Int64? { isValid ? last.map { $0 + 1 } : nil }

    /// Whether it names the whole representation.
    package var isWhole: Bool { first == 0 && end != nil && (total == nil || total == end) }

    /// Whether the range is possible (RFC 9110 section 14.4).
    package var isValid: Bool {
        guard let first, let last, first <= last, last < .max else { return false }
        return total.map { last < $0 } ?? true
    }

    /// Whether the response's Content-Length, if any, matches the range.
    package func fits(_ response: HTTPURLResponse) -> Bool {
        guard let first, let end else { return false }
        let announced = response.expectedContentLength
        return announced < 0 || announced == end - first
    }
}
