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
