import Foundation

/// Reads a JSON object whose values are strings and whole numbers, field by field.
struct FlatJSON {
    struct Problem: Error { let reason: String }

    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var isFirst = true

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// The next field's name, or nil at the end of the object.
    mutating func nextName() throws(Problem) -> String? {
        if isFirst {
            try expect(UInt8(ascii: "{"))
            isFirst = false
            if peek() == UInt8(ascii: "}") { return try end() }
        } else if peek() == UInt8(ascii: "}") {
            return try end()
        } else {
            try expect(UInt8(ascii: ","))
        }
        let name = try string()
        try expect(UInt8(ascii: ":"))
        return name
    }

    private mutating func end() throws(Problem) -> String? {
        position += 1
        guard peek() == nil else { throw Problem(reason: "something follows the object") }
        return nil
    }

    mutating func integer<Number: FixedWidthInteger>() throws(Problem) -> Number {
        skipSpace()
        let start = position
        while position < bytes.count, isOfNumber(bytes[position]) { position += 1 }
        let digits = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let number = Number(digits) else { throw Problem(reason: "“\(digits)” is no number") }
        return number
    }

    private func isOfNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }

    mutating func string() throws(Problem) -> String {
        try expect(UInt8(ascii: "\""))
        let start = position
        var isPlain = true
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            if bytes[position] == UInt8(ascii: "\\") {
                isPlain = false
                position += 1
            }
            position += 1
        }
        guard position < bytes.count else { throw Problem(reason: "a string has no end") }
        let inside = start..<position
        position += 1
        if isPlain { return String(decoding: bytes[inside], as: UTF8.self) }
        let quoted = Data(bytes[(inside.lowerBound - 1)..<position])
        guard let string = try? JSONDecoder().decode(String.self, from: quoted) else {
            throw Problem(reason: "a string is not quoted well")
        }
        return string
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
    }

    private mutating func peek() -> UInt8? {
        skipSpace()
        return position < bytes.count ? bytes[position] : nil
    }

    private mutating func expect(_ byte: UInt8) throws(Problem) {
        guard peek() == byte else {
            throw Problem(reason: "“\(Character(Unicode.Scalar(byte)))” is missing")
        }
        position += 1
    }
}
