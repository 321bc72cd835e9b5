/// The header fields of one message, in the order received; one name may have several lines.
///
/// They are stored as bytes, because most fields are never read. Names compare without regard to
/// the case of ASCII letters (RFC 9110 section 5.1).
package struct HeaderFields: Sendable, Hashable {
    package struct Field: Sendable, Hashable, Codable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// Offsets of a line: the name's start, the name's end and value's start, the value's end.
    private struct Line: Sendable, Hashable {
        var start: UInt32
        var value: UInt32
        var end: UInt32

        var nameRange: Range<Int> { Int(start)..<Int(value) }
        var valueRange: Range<Int> { Int(value)..<Int(end) }
    }

    private var bytes: [UInt8] = []
    private var lines: [Line] = []

    package init() {}

    package init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields { append(name, value) }
    }

    package mutating func reserve(bytes byteCount: Int, lines lineCount: Int) {
        bytes.reserveCapacity(byteCount)
        lines.reserveCapacity(lineCount)
    }

    // MARK: Changing

    package mutating func append(_ name: String, _ value: String) {
        append(name: { $0 += name.utf8 }, value: { $0 += value.utf8 })
    }

    /// Adds a line at the end, from received bytes.
    package mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        append(name: { $0 += name }, value: { $0 += value })
    }

    private mutating func append(_ line: Line, of other: HeaderFields) {
        append(
            name: { $0 += other.bytes[line.nameRange] },
            value: { $0 += other.bytes[line.valueRange] })
    }

    @inline(__always)
    private mutating func append(name: (inout [UInt8]) -> Void, value: (inout [UInt8]) -> Void) {
        let start = UInt32(bytes.count)
        name(&bytes)
        let end = UInt32(bytes.count)
        value(&bytes)
        lines.append(Line(start: start, value: end, end: UInt32(bytes.count)))
    }

    package static func += (fields: inout HeaderFields, more: HeaderFields) {
        for line in more.lines { fields.append(line, of: more) }
    }

    /// Continues the last line's value, after a blank (RFC 9112 section 5.2).
    package mutating func appendToLast(_ rest: UnsafeRawBufferPointer) {
        guard let last = lines.indices.last else { return }
        bytes.append(UInt8(ascii: " "))
        bytes += rest
        lines[last].end = UInt32(bytes.count)
    }

    /// Replaces all lines of a name by one line at the end.
    package mutating func set(_ name: String, to value: String) {
        remove(name)
        append(name, value)
    }

    package mutating func remove(_ name: String) {
        removeLines { $0.isSameName(as: name.utf8) }
    }

    mutating func remove(_ sets: Set<FoldedName>..., and more: Set<FoldedName>) {
        removeLines { bytes in
            let name = FoldedName(bytes)
            return more.contains(name) || sets.contains { $0.contains(name) }
        }
    }

    /// Copies the remaining lines once, and only if a line is removed.
    private mutating func removeLines(where isUnwanted: (ArraySlice<UInt8>) -> Bool) {
        guard let first = lines.firstIndex(where: { isUnwanted(bytes[$0.nameRange]) }) else {
            return
        }
        var kept = HeaderFields()
        kept.reserve(bytes: bytes.count, lines: lines.count)
        for line in lines[..<first] { kept.append(line, of: self) }
        for line in lines[(first + 1)...] where !isUnwanted(bytes[line.nameRange]) {
            kept.append(line, of: self)
        }
        self = kept
    }

    // MARK: Asking

    package var count: Int { lines.count }

    package var byteCount: Int { bytes.count }

    package var isEmpty: Bool { lines.isEmpty }

    package func contains(_ name: String) -> Bool { firstBytes(of: name) != nil }

    /// The value of the first line of a name.
    package subscript(name: String) -> String? {
        firstBytes(of: name).map { Self.text(of: $0) }
    }

    package func values(of name: String) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(Self.text(of: $0)) }
        return values
    }

    /// The fields in Foundation's form: values of one name joined by ", ", under the name's first spelling.
    package var joined: [String: String] {
        var joined: [String: String] = [:]
        var spellings: [String: String] = [:]
        for field in self {
            let key = field.name.lowercased()
            if let spelling = spellings[key] {
                joined[spelling]? += ", " + field.value
            } else {
                spellings[key] = field.name
                joined[field.name] = field.value
            }
        }
        return joined
    }

    /// Calls a closure with the bytes of each value of a field.
    package func forEachValue(of name: String, _ take: (ArraySlice<UInt8>) -> Void) {
        for line in lines where isName(of: line, name) { take(bytes[line.valueRange]) }
    }

    @inline(__always)
    private func isName(of line: Line, _ name: String) -> Bool {
        line.nameRange.count == name.utf8.count
            && bytes[line.nameRange].isSameName(as: name.utf8)
    }

    /// Whether both have the same lines in the same order, byte by byte.
    package static func == (one: HeaderFields, other: HeaderFields) -> Bool {
        one.lines == other.lines && one.bytes == other.bytes
    }

    var names: [FoldedName] { lines.map { FoldedName(bytes[$0.nameRange]) } }

    private func firstBytes(of name: String) -> ArraySlice<UInt8>? {
        lines.first { isName(of: $0, name) }.map { bytes[$0.valueRange] }
    }

    /// Bytes decoded as UTF-8 where valid, else as ISO 8859-1, so that none is lost.
    package static func text(of bytes: UnsafeRawBufferPointer) -> String {
        // A fast path: most are ASCII.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    package static func text(of bytes: ArraySlice<UInt8>) -> String {
        bytes.withUnsafeBytes { text(of: $0) }
    }
}

extension HeaderFields: Sequence {
    package func makeIterator() -> AnyIterator<Field> {
        var rest = lines.makeIterator()
        return AnyIterator { [bytes] in
            rest.next().map {
                Field(
                    name: Self.text(of: bytes[$0.nameRange]),
                    value: Self.text(of: bytes[$0.valueRange]))
            }
        }
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral fields: (String, String)...) {
        self.init(fields.map { (name: $0.0, value: $0.1) })
    }
}

extension HeaderFields: Codable {
    private struct Lines: Codable {
        let all: [Field]
    }

    package init(from decoder: any Decoder) throws {
        self.init(try Lines(from: decoder).all.map { ($0.name, $0.value) })
    }

    package func encode(to encoder: any Encoder) throws {
        try Lines(all: Array(self)).encode(to: encoder)
    }
}
