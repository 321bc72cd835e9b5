/// The Cache-Control directives of one response or request (RFC 9111 section 5.2).
struct CacheControl: Sendable, Equatable {
    enum Seconds: Equatable, Sendable {
        case absent
        /// It is not a number, or there are two that differ.
        case invalid
        case value(Int)
    }

    /// The values of each directive that this cache uses, the first two that differ; nil for a
    /// directive without a value. Names are in lower case.
    private(set) var directives: [String: [String?]] = [:]

    /// Others are not stored, since a peer may send any number of them.
    private static let known: Set = [
        "max-age", "max-stale", "min-fresh", "must-revalidate", "must-understand", "no-cache",
        "no-store", "only-if-cached", "private", "public", "stale-if-error",
    ]

    init(_ lines: [String]) {
        // A field that is too long to be read allows nothing.
        guard lines.reduce(0, { $0 + $1.utf8.count }) <= HeaderFields.longestList else {
            directives["no-store"] = [nil]
            return
        }
        for member in lines.flatMap(FieldValue.members) {
            let bytes = member.utf8
            let equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
            let name = FieldValue.trimmed(bytes[..<equals]).lowercased()
            guard Self.known.contains(name) else { continue }
            let rest = bytes[equals...].dropFirst()
            let value = equals == bytes.endIndex ? nil : Self.unquoted(Substring(rest))
            let values = directives[name] ?? []
            if values.count < 2, !values.contains(value) { directives[name] = values + [value] }
        }
    }

    func has(_ name: String) -> Bool { directives[name] != nil }

    func equals(_ other: CacheControl, exceptFor name: String) -> Bool {
        directives.filter { $0.key != name } == other.directives.filter { $0.key != name }
    }

    mutating func add(_ name: String) {
        directives[name] = [nil]
    }

    /// Delta seconds (RFC 9111 section 1.2.2); a larger number counts as 2^31.
    func seconds(_ name: String) -> Seconds {
        guard let values = directives[name] else { return .absent }
        let numbers = values.map { $0.flatMap(Self.deltaSeconds) }
        guard let first = numbers.first, let number = first, numbers.allSatisfy({ $0 == number })
        else { return .invalid }
        return .value(number)
    }

    static func deltaSeconds(_ text: String) -> Int? {
        FieldValue.clampedNumber(text[...]).map { min($0, 1 << 31) }
    }

    /// A recipient accepts a token and a quoted string alike (RFC 9111 section 5.2).
    private static func unquoted(_ value: Substring) -> String {
        guard value.utf8.count >= 2, value.utf8.first == UInt8(ascii: "\""),
            value.utf8.last == UInt8(ascii: "\"")
        else { return String(value) }
        return String(value.dropFirst().dropLast())
    }
}
