import Foundation

/// Splits the bytes of a head into lines; a line ends with LF or CRLF.
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

    /// The fields up to the blank line.
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

    static func lineEnd(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + start, 0x0a, bytes.count - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }

    /// The index after the first blank line, the end of a head.
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
