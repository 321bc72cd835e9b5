import Foundation

/// The header fields of one head, in the order received.
struct CacheFields: Sendable, Hashable, Codable {
    struct Field: Sendable, Hashable, Codable {
        var name: String
        var value: String
    }

    private(set) var all: [Field]

    init(_ fields: some Sequence<(name: String, value: String)>) {
        all = fields.map { Field(name: $0.name, value: $0.value) }
    }

    var pairs: [(name: String, value: String)] { all.map { ($0.name, $0.value) } }

    /// The values of a field, one for each of its lines.
    func values(of name: String) -> [String] {
        Array(all.lazy.filter { $0.name.isSameField(as: name) }.map(\.value))
    }

    /// The value of the first line of a field.
    subscript(name: String) -> String? { all.first { $0.name.isSameField(as: name) }?.value }

    /// The date of a field; nil where its lines differ.
    func date(of name: String, now: Date) -> Date? {
        let lines = all.lazy.filter { $0.name.isSameField(as: name) }
        guard let first = lines.first, lines.allSatisfy({ $0.value == first.value }) else {
            return nil
        }
        return CacheDate.parse(first.value, now: now)
    }

    /// The members of a list field (RFC 9110 section 5.6.1), in lower case.
    func list(of name: String) -> [String] {
        var list: [String] = []
        for field in all where field.name.isSameField(as: name) {
            list += Self.members(of: field.value).lazy.map { $0.lowercased() }
        }
        return list
    }

    mutating func set(_ name: String, to value: String) {
        remove(name)
        all.append(Field(name: name, value: value))
    }

    mutating func remove(_ name: String) {
        all.removeAll { $0.name.isSameField(as: name) }
    }

    // MARK: RFC 9111 sections 3.1 and 3.2

    /// Fields that concern one connection or one proxy only.
    private static let neverStored = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Fields that describe the stored body, which was decoded and counted when it was received.
    private static let neverUpdated = ["content-encoding", "content-length", "content-range"]

    /// The fields that may be stored: all but those that concern one connection.
    var storable: CacheFields {
        let named = Set(list(of: "Connection").filter { !Self.neverStored.contains($0) })
        var result = self
        result.all.removeAll { field in
            Self.neverStored.contains(where: field.name.isSameField)
                || !named.isEmpty && named.contains(field.name.lowercased())
        }
        return result
    }

    /// Replaces each field that a newer head has, except those that the stored body depends on.
    mutating func update(from newer: CacheFields) {
        var fields = newer.storable.all
        fields.removeAll { Self.neverUpdated.contains(where: $0.name.isSameField) }
        let names = Set(fields.map { $0.name.lowercased() })
        all.removeAll { names.contains($0.name.lowercased()) }
        all += fields
    }

    // MARK: Lists

    /// Splits at the commas outside quoted strings; empty members are left out.
    ///
    /// A quotation mark that is never closed starts no quoted string, so that it hides no
    /// directive. The text is split by bytes, because to Swift a comma and a combining mark after
    /// it are one character.
    static func members(of value: String) -> [String] {
        cut(value.utf8, quoting: true) ?? cut(value.utf8, quoting: false) ?? []
    }

    private static func cut(_ bytes: String.UTF8View, quoting: Bool) -> [String]? {
        var parts: [String] = []
        var start = bytes.startIndex
        var isQuoted = false
        var isEscaped = false
        func take(_ part: Substring.UTF8View) {
            let member = trimmed(part)
            if !member.isEmpty { parts.append(member) }
        }
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "\"") where quoting: isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                take(bytes[start..<index])
                start = bytes.index(after: index)
            default: break
            }
        }
        guard !isQuoted else { return nil }
        take(bytes[start...])
        return parts
    }

    static func trimmed(_ bytes: Substring.UTF8View) -> String {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) {
            rest = rest.dropLast()
        }
        return String(Substring(rest))
    }
}
