import Foundation
import FoundationXML

/// The body of a response as XML.
///
/// Foundation's tree on Linux repairs what is not well formed, and stops the process on a body that
/// has no document and on bytes that are no text. So its parser reads the body first, up to the
/// first error.
enum XMLBody {
    /// What a parser may read: the body itself, unless its encoding could hide something or
    /// Foundation's parser would stop the process: `<?p?>` becomes `<?p ?>`.
    ///
    /// - Throws: `MarkupDeclaration`; `ResponseSerializationError.Limit`; an error of
    ///   `XMLParser.errorDomain` for an encoding that cannot be read here.
    static func checked(_ data: Data) throws -> Data {
        let text = try XMLText(data)
        return text.document(withBlanksAt: try XMLMarkup.check(text.markup))
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

/// Finds out whether a document is well formed.
///
/// ## Concurrency
/// Call from: one thread, that of the parser. Lock: none. Calls out on: nothing.
private final class XMLForm: NSObject, XMLParserDelegate {
    private var hasStarted = false
    private var hasElement = false
    private var found: (any Error)?

    /// - Throws: the first error of the parser's.
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
        // What follows may be an error for each byte.
        parser.abortParsing()
    }

    /// A document with these is well formed all the same: an entity of an external subset that is not
    /// read, libxml2's warnings, prefixes without a namespace, the same `xml:id` twice.
    private static func isHarmless(_ error: (any Error)?) -> Bool {
        guard let code = (error as NSError?)?.code else { return true }
        return [27, 97, 98, 99, 100, 102, 513, 539].contains(code) || (201...205).contains(code)
    }
}
