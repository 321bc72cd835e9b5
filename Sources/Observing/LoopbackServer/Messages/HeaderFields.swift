import Foundation

/// The header fields of a request, in the order in which they were received.
public struct HeaderFields: Sendable, Equatable {
    /// One header field.
    public struct Field: Sendable, Equatable, Codable {
        /// The name as the client spelled it.
        public let name: String
        /// The value without the spaces and tabs around it; bytes that are not UTF-8 are replaced.
        public let value: String
    }

    /// Every field, in the order received; a name may be repeated.
    public internal(set) var all: [Field] = []

    /// The value of the first field of that name, compared without case.
    public subscript(name: String) -> String? {
        all.first { $0.name.count == name.count && $0.name.lowercased() == name.lowercased() }?
            .value
    }

    /// The values of every field of that name in order, compared without case.
    public func values(_ name: String) -> [String] {
        all.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether a comma-separated field such as `Connection` contains the token. Spaces and tabs in the field's
    /// value do not count.
    func contains(_ token: String, in name: String) -> Bool {
        values(name).contains { value in
            value.split(separator: ",").contains {
                $0.lowercased().filter { $0 != " " && $0 != "\t" } == token.lowercased()
            }
        }
    }
}

/// Splits the bytes of a head into lines that end with LF or CRLF. A head is a message's start line and header fields.
struct HeaderLines {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next line without its end; nil at the end of the bytes or for an unfinished line.
    mutating func next() -> Slice<UnsafeRawBufferPointer>? {
        guard let end = HeaderLines.lineEnd(in: bytes, from: position) else { return nil }
        var last = end
        if last > position, bytes[last - 1] == 0x0d { last -= 1 }
        defer { position = end + 1 }
        return bytes[position..<last]
    }

    /// The header fields up to the blank line or the last whole line.
    ///
    /// - Throws: an error for status 400 if a line has no colon or no valid name before it.
    mutating func fields() throws(Malformed) -> HeaderFields {
        var fields = HeaderFields()
        while let line = next(), !line.isEmpty {
            guard let colon = line.firstIndex(of: 0x3a), colon > line.startIndex else {
                throw Malformed(status: 400)
            }
            let name = line[line.startIndex..<colon]
            guard name.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
                throw Malformed(status: 400)
            }
            var value = line[(colon + 1)...]
            while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
            while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
            fields.all.append(
                .init(
                    name: String(decoding: name, as: UTF8.self),
                    value: String(decoding: value, as: UTF8.self)))
        }
        return fields
    }

    /// The index of the next LF; nil if there is none.
    static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0a, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// The index after the blank line that ends a head; nil if the head is not complete.
    ///
    /// - Parameter start: where to search from. A blank line that begins there is not found.
    static func headEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while let end = lineEnd(in: bytes, from: position) {
            if end + 1 < bytes.count, bytes[end + 1] == 0x0a { return end + 2 }
            if end + 2 < bytes.count, bytes[end + 1] == 0x0d, bytes[end + 2] == 0x0a {
                return end + 3
            }
            position = end + 1
        }
        return nil
    }
}
