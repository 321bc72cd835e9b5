import Foundation
import FoundationXML

/// The markup of a document, read before a parser reads it: how many attributes an element has, and
/// how much defaults and entities will add.
///
/// libxml2 compares each attribute of an element with those before it, so 20,000 take seconds.
/// Markup that is not well formed is left to the parser; here it never hides what follows it.
struct XMLMarkup {
    typealias Limit = ResponseSerializationError.Limit

    /// How many attributes one element may have.
    static let mostAttributes = 512
    /// How many attributes and bytes a document's declarations may add, beyond its own length.
    static let mostDefaults = 1_000_000
    static let mostEntityBytes = 10_000_000

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var elements = 0
    private var defaults = 0
    private var longestEntity = 0

    /// - Throws: `ResponseSerializationError.Limit`; an error of `XMLParser.errorDomain` for an
    ///   encoding that cannot be read here.
    static func check(_ data: Data) throws {
        guard let data = XMLText.readable(data) else {
            throw NSError(
                domain: XMLParser.errorDomain,
                code: XMLParser.ErrorCode.unknownEncodingError.rawValue)
        }
        try data.withUnsafeBytes {
            var markup = XMLMarkup(bytes: $0.bindMemory(to: UInt8.self))
            try markup.read()
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func read() throws {
        while skip(to: "<") {
            if skip("!--") {
                skip(to: "-->")
            } else if skip("![CDATA[") {
                skip(to: "]]>")
            } else if skip("!DOCTYPE") {
                try readDeclarations()
            } else if skip("?") {
                skip(to: "?>")
            } else if !skip("/"), !skip("!") {
                try readElement()
            }
        }
        guard Self.product(elements, defaults) <= bytes.count + Self.mostDefaults else {
            throw Limit.attributes
        }
        guard
            longestEntity == 0
                || Self.product(references(), longestEntity) <= bytes.count + Self.mostEntityBytes
        else { throw Limit.entities }
    }

    /// Reads from behind `<` to behind `>`. Another `<` ends the element as well, also inside a
    /// value, where it is not allowed: the parser would find an element there.
    private mutating func readElement() throws {
        elements += 1
        var attributes = 0
        while let byte = next() {
            switch byte {
            case UInt8(ascii: ">"): return
            case UInt8(ascii: "<"):
                position -= 1
                return
            case UInt8(ascii: "="):
                attributes += 1
                if attributes > Self.mostAttributes { throw Limit.attributes }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while let inner = next(), inner != byte {
                    guard inner == UInt8(ascii: "<") else { continue }
                    position -= 1
                    return
                }
            default: break
            }
        }
    }

    /// Reads from behind `<!DOCTYPE` to behind its `>`. Where an element comes first, also inside a literal, the
    /// parser may leave the declarations there, so its attributes count.
    private mutating func readDeclarations() throws {
        var isInSubset = false
        while let byte = next() {
            switch byte {
            case UInt8(ascii: "["): isInSubset = true
            case UInt8(ascii: "]"): isInSubset = false
            case UInt8(ascii: ">") where !isInSubset: return
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try readLiteral(byte)
            case UInt8(ascii: "<"):
                if skip("!--") {
                    skip(to: "-->")
                } else if skip("?") {
                    skip(to: "?>")
                } else if skip("!") {
                    try readDeclaration()
                } else {
                    try readElement()
                }
            default: break
            }
        }
    }

    /// Reads from behind `<!`. Another `<` ends the declaration as well.
    private mutating func readDeclaration() throws {
        let (isAttribute, isEntity) = (skip("ATTLIST"), skip("ENTITY"))
        while let byte = next(), byte != UInt8(ascii: ">") {
            switch byte {
            case UInt8(ascii: "<"):
                position -= 1
                return
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let length = try readLiteral(byte)
                if isAttribute { defaults += 1 }
                if isEntity { longestEntity = max(longestEntity, length) }
            default: break
            }
        }
    }

    /// Reads from behind a quote to behind the next like it.
    ///
    /// - Returns: the bytes between them, and the quote.
    @discardableResult
    private mutating func readLiteral(_ quote: UInt8) throws -> Int {
        let start = position
        while let byte = next(), byte != quote {}
        let end = position
        position = start
        while position < end, let byte = next() {
            if byte == UInt8(ascii: "<"), !skip("!"), !skip("?") { try readElement() }
        }
        position = end
        return end - start
    }

    /// How often the document uses entities, anywhere.
    private func references() -> Int {
        var count = 0
        for (index, byte) in bytes.enumerated() {
            let isReference = byte == UInt8(ascii: "&") || byte == UInt8(ascii: "%")
            if isReference, index + 1 < bytes.count, bytes[index + 1] != UInt8(ascii: "#") {
                count += 1
            }
        }
        return count
    }

    private static func product(_ first: Int, _ second: Int) -> Int {
        let (product, isTooLarge) = first.multipliedReportingOverflow(by: second)
        return isTooLarge ? .max : product
    }

    // MARK: Bytes

    private mutating func next() -> UInt8? {
        guard position < bytes.count else { return nil }
        defer { position += 1 }
        return bytes[position]
    }

    /// Moves behind a mark if it is next.
    private mutating func skip(_ mark: StaticString) -> Bool {
        let count = mark.utf8CodeUnitCount
        guard count <= bytes.count - position, let start = bytes.baseAddress,
            memcmp(start + position, mark.utf8Start, count) == 0
        else { return false }
        position += count
        return true
    }

    /// Moves behind the next such mark, or to the end.
    @discardableResult
    private mutating func skip(to mark: StaticString) -> Bool {
        let first = mark.utf8Start.pointee
        while let byte = next() {
            guard byte == first else { continue }
            position -= 1
            if skip(mark) { return true }
            position += 1
        }
        return false
    }
}
