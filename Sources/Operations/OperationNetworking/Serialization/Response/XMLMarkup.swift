import Foundation

/// Checks the limits of a document's markup before a parser reads it.
///
/// libxml2 compares each attribute of an element with all others, and each prefix with all namespaces around it.
/// Declarations, above all of entities, make a document larger than its bytes. Malformed markup is left to the
/// parser; here it must not hide what follows it.
struct XMLMarkup {
    typealias Limit = ResponseSerializationError.Limit

    /// How many attributes one element may have.
    static let mostAttributes = 512
    /// How many different names elements and attributes may have, and how many bytes each.
    static let mostNames = 10_000
    static let longestName = 1_024
    /// How many namespaces may be declared around an element.
    static let mostNamespaces = 256
    /// After ten million bytes of text libxml2 looks for markup.
    private static let longestText = 9_000_000
    /// How many elements may have an `xml:id`.
    static let mostIdentifiers = 50_000

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// The hashes of the names; two names with the same hash are counted once.
    private var names: Set<Int> = []
    private var identifiers = 0
    /// How many namespaces each open element declares, and all of them.
    private var open: [Int] = []
    private var namespaces = 0
    private var bareTargets: Set<Int> = []
    private var isWithoutDeclarations = false

    /// What a document may not declare, with the keyword.
    private static let declarations: [(mark: StaticString, declared: MarkupDeclaration)] = [
        ("ENTITY", .entity), ("ATTLIST", .attributes), ("NOTATION", .notation),
    ]

    /// The offsets of `?>` of processing instructions without data, for which Foundation's parser crashes.
    ///
    /// - Throws: `MarkupDeclaration`; `ResponseSerializationError.Limit`; an error of
    ///   `XMLParser.errorDomain`.
    static func check(_ markup: Data) throws -> [Int] {
        try markup.withUnsafeBytes {
            var markup = XMLMarkup(bytes: $0.bindMemory(to: UInt8.self))
            try markup.read()
            return markup.bareTargets.sorted()
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    private mutating func read() throws {
        while skip(to: "<") {
            if skip("!--") {
                skip(to: "-->", isText: true)
            } else if skip("![CDATA[") {
                skip(to: "]]>", isText: true)
            } else if skip("!DOCTYPE") {
                try readDocumentType()
            } else if skip("?") {
                try readInstruction()
            } else if skip("/") {
                namespaces -= open.popLast() ?? 0
            } else if !skip("!") {
                try readElement()
            }
        }
    }

    /// Reads from behind `<?` to behind `?>`. Without a target the parser looks for markup at once.
    ///
    /// - Throws: for a target that does not begin with ASCII, which depends on the encoding.
    private mutating func readInstruction() throws {
        guard position < bytes.count else { return }
        let first = bytes[position]
        guard first < 0x80 else { throw XMLBody.error("An instruction has an unusual name.") }
        let isTarget =
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first | 0x20)
            || first == UInt8(ascii: "_") || first == UInt8(ascii: ":")
        guard isTarget else { return }
        let start = position
        readTarget()
        position = start
        skip(to: "?>", isText: true)
    }

    private mutating func readTarget() {
        let target = name()
        guard position < bytes.count, bytes[position] == UInt8(ascii: ">"),
            target.count > 1, bytes[position - 1] == UInt8(ascii: "?")
        else { return }
        // The `?` belongs to the `?>`.
        position -= 1
        bareTargets.insert(position)
    }

    /// Reads from behind `<` to behind `>`. A `<` ends the element too, even in a value, where the parser would find
    /// an element.
    private mutating func readElement() throws {
        var (attributes, declared) = (0, 0)
        try take(name())
        var latest = 0..<0
        while position < bytes.count {
            let byte = bytes[position]
            switch byte {
            case UInt8(ascii: ">"):
                let isEmpty = bytes[position - 1] == UInt8(ascii: "/")
                position += 1
                if !isEmpty { try begin(declared) }
                return
            case UInt8(ascii: "<"): return try begin(declared)
            case UInt8(ascii: "="):
                position += 1
                attributes += 1
                if attributes > Self.mostAttributes { throw Limit.attributes }
                try take(latest)
                if isName(latest, "xmlns") || begins(latest, with: "xmlns:") { declared += 1 }
                if isName(latest, "xml:id") {
                    identifiers += 1
                    if identifiers > Self.mostIdentifiers { throw Limit.names }
                }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                position += 1
                while let inner = next(), inner != byte {
                    guard inner == UInt8(ascii: "<") else { continue }
                    position -= 1
                    return try begin(declared)
                }
            default:
                let name = name()
                if name.isEmpty { position += 1 } else { latest = name }
            }
        }
    }

    /// Opens an element that may contain others.
    private mutating func begin(_ declared: Int) throws {
        open.append(declared)
        namespaces += declared
        if namespaces > Self.mostNamespaces { throw Limit.names }
    }

    /// Reads from behind `<!DOCTYPE` to its subset or its end. The subset's markup is read like the document's.
    private mutating func readDocumentType() throws {
        try checkDeclarations()
        while let byte = next(), byte != UInt8(ascii: "["), byte != UInt8(ascii: ">") {
            switch byte {
            case UInt8(ascii: "<"):
                position -= 1
                return
            case UInt8(ascii: "\""), UInt8(ascii: "'"): try readLiteral(byte)
            default: break
            }
        }
    }

    /// Refuses declarations anywhere behind a document type, so that nothing can hide them.
    private mutating func checkDeclarations() throws {
        guard !isWithoutDeclarations else { return }
        let start = position
        while skip(to: "<!") {
            for (mark, declared) in Self.declarations where skip(mark) { throw declared }
        }
        position = start
        isWithoutDeclarations = true
    }

    /// Reads from behind a quote to behind the closing one. If that is missing, the parser may leave the declaration
    /// here, so elements are counted.
    private mutating func readLiteral(_ quote: UInt8) throws {
        let start = position
        while let byte = next(), byte != quote {}
        let end = position
        position = start
        while position < end, let byte = next() {
            guard byte == UInt8(ascii: "<") else { continue }
            // What may or may not be a comment could hide the end of another.
            if skip("!") || skip("?") {
                throw XMLBody.error("A document type has markup in a literal.")
            }
            try readElement()
        }
        position = end
    }

    // MARK: Names

    /// The bytes up to one that cannot be in a name.
    private mutating func name() -> Range<Int> {
        let start = position
        scan: while position < bytes.count {
            switch bytes[position] {
            case 0x09, 0x0A, 0x0D, 0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="),
                UInt8(ascii: "/"), UInt8(ascii: "\""), UInt8(ascii: "'"):
                break scan
            default: position += 1
            }
        }
        return start..<position
    }

    private mutating func take(_ name: Range<Int>) throws {
        guard name.count <= Self.longestName else { throw Limit.names }
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[name]))
        names.insert(hasher.finalize())
        if names.count > Self.mostNames { throw Limit.names }
    }

    private func isName(_ range: Range<Int>, _ name: StaticString) -> Bool {
        range.count == name.utf8CodeUnitCount && begins(range, with: name)
    }

    private func begins(_ range: Range<Int>, with mark: StaticString) -> Bool {
        guard mark.utf8CodeUnitCount <= range.count, let start = bytes.baseAddress else {
            return false
        }
        return memcmp(start + range.lowerBound, mark.utf8Start, mark.utf8CodeUnitCount) == 0
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

    /// Moves behind the next such mark, or to the end. In text it also stops where the parser stops reading it and
    /// looks for markup.
    @discardableResult
    private mutating func skip(to mark: StaticString, isText: Bool = false) -> Bool {
        let first = mark.utf8Start.pointee
        let start = position
        while let byte = next() {
            if isText, isForbidden(byte) || position - start > Self.longestText { return false }
            guard byte == first else { continue }
            position -= 1
            if skip(mark) { return true }
            position += 1
        }
        return false
    }

    /// Whether the byte before the position ends a character that XML forbids: a control character, U+FFFE or
    /// U+FFFF.
    private func isForbidden(_ byte: UInt8) -> Bool {
        if byte < 0x20 { return ![0x09, 0x0A, 0x0D].contains(byte) }
        return byte & 0xFE == 0xBE && position > 2 && bytes[position - 2] == 0xBF
            && bytes[position - 3] == 0xEF
    }
}
