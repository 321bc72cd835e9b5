import Foundation
import FoundationXML

/// The body of a response as XML.
///
/// Foundation's `XMLDocument` on Linux repairs malformed documents, and crashes for a body without a document and
/// for bytes that are no text. So an `XMLParser` reads the body first, up to the first error.
enum XMLBody {
    /// What a parser may read: the body, converted if its encoding could hide markup. `<?p?>`, for which
    /// Foundation's parser crashes, becomes `<?p ?>`.
    ///
    /// - Throws: `MarkupDeclaration`; `ResponseSerializationError.Limit`; an error of
    ///   `XMLParser.errorDomain` for an encoding that cannot be read here.
    static func checked(_ data: Data) throws -> Data {
        let text = try XMLText(data)
        return text.document(withSpacesAt: try XMLMarkup.check(text.markup))
    }

    /// - Throws: as `checked`; an NSError of `XMLParser.errorDomain`.
    static func document(_ data: Data, _ options: XMLNode.Options) throws -> XMLDocument {
        let data = try checked(data)
        try XMLForm.check(data)
        let options = options.subtracting([
            .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly,
        ]).union(.nodeLoadExternalEntitiesNever)
        let document = try XMLMessages.silenced { try XMLDocument(data: data, options: options) }
        guard document.rootElement() != nil else { throw error("The body holds no element.") }
        guard try document.nodes(forXPath: "//*[count(ancestor::*) > 255]").isEmpty else {
            throw error("Elements are nested too deeply.")
        }
        return document
    }

    static func error(_ text: String) -> NSError {
        NSError(
            domain: XMLParser.errorDomain, code: XMLParser.ErrorCode.internalError.rawValue,
            userInfo: [NSDebugDescriptionErrorKey: text])
    }
}

/// Checks whether a document is well formed.
///
/// ## Concurrency
/// Call from: the parser's thread. Lock: none. Calls out on: nothing.
private final class XMLForm: NSObject, XMLParserDelegate {
    private var hasStarted = false
    private var hasElement = false
    private var found: (any Error)?

    /// - Throws: the parser's first error.
    static func check(_ data: Data) throws {
        guard !data.isEmpty else { throw XMLBody.error("The body holds no document.") }
        let form = XMLForm()
        let parser = XMLParser(data: data)
        parser.delegate = form
        let isRead = parser.parse()
        guard form.hasStarted else { throw XMLBody.error("The body holds no document.") }
        if let found = form.found { throw found }
        guard isRead, form.hasElement else {
            throw parser.parserError ?? XMLBody.error("The body is not well formed.")
        }
    }

    func parserDidStartDocument(_ parser: XMLParser) { hasStarted = true }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        hasElement = true
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        guard found == nil, !Self.isHarmless(parseError) else { return }
        found = parseError
        // There could be an error for each further byte.
        parser.abortParsing()
    }

    /// Errors of well-formed documents: entities of an external subset, which is not read; libxml2's warnings;
    /// prefixes without a namespace; a repeated `xml:id`.
    private static func isHarmless(_ error: (any Error)?) -> Bool {
        guard let code = (error as NSError?)?.code else { return true }
        return [27, 97, 98, 99, 100, 102, 513, 539].contains(code) || (201...205).contains(code)
    }
}

/// Keeps libxml2 from printing errors, with bytes of the body, to standard error.
enum XMLMessages {
    private typealias Handler =
        @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    private typealias Setter =
        @convention(c) @Sendable (UnsafeMutableRawPointer?, Handler?) -> Void

    /// libxml2's function that sets a thread's error handler. Whether it has Foundation's name or its own depends on
    /// how Foundation was linked.
    private static let set: Setter? = {
        let names = ["_CFXMLInterfaceSetStructuredErrorFunc", "xmlSetStructuredErrorFunc"]
        let found = names.lazy.compactMap { dlsym(nil, $0) }.first
        // unsafeBitCast because dlsym knows no types; both functions have this one.
        return found.map { unsafeBitCast($0, to: Setter.self) }
    }()

    /// Runs one of Foundation's parsers. The thread has no handler afterwards, as after each of them.
    static func silenced<Result>(_ parse: () throws -> Result) rethrows -> Result {
        set?(nil) { _, _ in }
        defer { set?(nil, nil) }
        return try parse()
    }
}

/// The bytes of an XML document in a known encoding.
///
/// If the parser used another encoding than `XMLMarkup`, it would find other markup. So the declared encoding is
/// compared with the bytes.
struct XMLText {
    /// The document in an encoding that writes markup in ASCII.
    let markup: Data
    /// What a parser reads: the document, converted to UTF-8 if its encoding could hide markup.
    private let document: Data
    /// The document's encoding, if it is UTF-16 or UTF-32.
    private let wide: (encoding: String.Encoding, hasMark: Bool)?

    /// - Throws: an error of `XMLParser.errorDomain` if the encoding is unknown or not that of the bytes, or if the
    ///   XML declaration is damaged or too long.
    init(_ data: Data) throws {
        let start = Array(data.prefix(4))
        for (marks, encoding) in Self.marks where marks.contains(where: start.starts) {
            guard let encoding, let text = String(data: data, encoding: encoding),
                let declared = Self.declaration(Data(text.prefix(Self.longestDeclaration).utf8)),
                declared.name.map(Self.isWide) != false
            else { throw Self.unknown }
            (markup, document) = (Data(text.utf8), data)
            wide = Self.ordered(encoding, isLittle: start[0] == 0xFF)
            return
        }
        wide = nil
        let mark = Data([0xEF, 0xBB, 0xBF])
        let hasMark = data.starts(with: mark)
        let body = hasMark ? data.dropFirst(mark.count) : data
        guard let declared = Self.declaration(body) else { throw Self.unknown }
        guard let name = declared.name, !Self.isUTF8(name) else {
            // Foundation's parser crashes for a name that is not UTF-8.
            guard String(validating: data, as: UTF8.self) != nil else { throw Self.unknown }
            (markup, document) = (data, data)
            return
        }
        guard !hasMark else { throw Self.unknown }
        if Self.isASCIIBased(name) {
            (markup, document) = (data, data)
            return
        }
        // In a wrong encoding the declaration would be another text.
        guard let encoding = TextEncoding.encoding(named: name),
            let text = TextEncoding.string(data, encoding),
            Data(text.utf8).starts(with: data.prefix(declared.length))
        else { throw Self.unknown }
        let converted = "<?xml version=\"1.0\"\(declared.standalone)?>".utf8
        document = Data(converted) + Data(text.utf8).dropFirst(declared.length)
        markup = document
    }

    /// The first bytes by which parsers recognize encodings (XML 1.0, appendix F); nil for EBCDIC.
    private static let marks: [(starts: [[UInt8]], encoding: String.Encoding?)] = [
        ([[0xFF, 0xFE, 0, 0], [0, 0, 0xFE, 0xFF]], .utf32),
        ([[0x3C, 0, 0, 0]], .utf32LittleEndian), ([[0, 0, 0, 0x3C]], .utf32BigEndian),
        ([[0xFF, 0xFE], [0xFE, 0xFF]], .utf16),
        ([[0x3C, 0]], .utf16LittleEndian), ([[0, 0x3C]], .utf16BigEndian),
        ([[0x4C, 0x6F, 0xA7, 0x94]], nil),
    ]

    private static let unknown = NSError(
        domain: XMLParser.errorDomain, code: XMLParser.ErrorCode.unknownEncodingError.rawValue,
        userInfo: [
            NSDebugDescriptionErrorKey:
                "The document's encoding is unknown, or not the one that it declares."
        ])

    // MARK: Spaces

    /// What a parser reads, with a space before each of these offsets of the markup.
    func document(withSpacesAt offsets: [Int]) -> Data {
        guard !offsets.isEmpty else { return document }
        var spaced = Data(capacity: markup.count + offsets.count)
        var start = 0
        for offset in offsets + [markup.count] {
            spaced += markup.dropFirst(start).prefix(offset - start)
            if offset < markup.count { spaced.append(0x20) }
            start = offset
        }
        guard let wide else { return spaced }
        let text = String(decoding: spaced, as: UTF8.self)
        return ((wide.hasMark ? "\u{FEFF}" : "") + text).data(using: wide.encoding) ?? Data()
    }

    /// The encoding in a byte order, and whether the document has a byte order mark.
    private static func ordered(_ encoding: String.Encoding, isLittle: Bool)
        -> (encoding: String.Encoding, hasMark: Bool)
    {
        switch encoding {
        case .utf16: (isLittle ? .utf16LittleEndian : .utf16BigEndian, true)
        case .utf32: (isLittle ? .utf32LittleEndian : .utf32BigEndian, true)
        default: (encoding, false)
        }
    }

    // MARK: Declaration

    private struct Declaration {
        var length = 0
        var name: String?
        var standalone: Substring = ""
    }

    private static let longestDeclaration = 1_024

    /// The XML declaration; nil if it is damaged, since a parser would continue behind the next `>` and could find
    /// other markup.
    private static func declaration(_ data: Data) -> Declaration? {
        let head = String(decoding: data.prefix(longestDeclaration), as: UTF8.self)
        // A byte order mark of UTF-16 is a character here.
        let text = head.unicodeScalars.first == "\u{FEFF}" ? head.dropFirst() : head[...]
        guard text.utf8.starts(with: "<?xml".utf8),
            let next = text.utf8.dropFirst(5).first, [0x20, 0x09, 0x0D, 0x0A].contains(next)
        else { return Declaration() }
        let whole =
            #/
            <\?xml \s+ version \s*=\s* (?: '[0-9.]*' | "[0-9.]*" )
            (?: \s+ encoding \s*=\s* (?: '([\-.\w]+)' | "([\-.\w]+)" ) )?
            ( \s+ standalone \s*=\s* (?: '(?:yes|no)' | "(?:yes|no)" ) )?
            \s* \?>
            /#
            .asciiOnlyWhitespace().asciiOnlyWordCharacters().matchingSemantics(.unicodeScalar)
        guard let match = text.prefixMatch(of: whole) else { return nil }
        return Declaration(
            length: match.0.utf8.count, name: (match.1 ?? match.2).map(String.init),
            standalone: match.3 ?? "")
    }

    private static func isUTF8(_ name: String) -> Bool {
        ["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased())
    }

    /// Whether characters of the encoding have two or four bytes.
    private static func isWide(_ name: String) -> Bool {
        let starts = ["utf-16", "utf16", "utf-32", "utf32", "ucs-", "iso-10646-ucs-", "unicode"]
        return starts.contains(where: name.lowercased().hasPrefix)
    }

    /// Whether the bytes of markup are never a part of another character in an encoding.
    private static func isASCIIBased(_ name: String) -> Bool {
        let starts = [
            "iso-8859", "iso8859", "iso_8859", "latin", "windows-125", "cp125", "koi8",
            "macintosh", "tis-620", "euc-",
        ]
        return starts.contains(where: name.lowercased().hasPrefix)
    }
}
