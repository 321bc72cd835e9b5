public import Foundation
public import FoundationNetworking
public import FoundationXML

/// Decodes XML to an `XMLDocument`. Accepts `application/xml` and `text/xml` by default.
///
/// External entities are never loaded, whatever the options say. These bodies are errors:
/// - a document that is not well formed;
/// - one that Foundation would cut short or not read: elements nested more than 256 deep, or more
///   than 10,000,000 bytes of text in one piece, entities included;
/// - a document that declares notations, or entities other than plain UTF-8 text of its own;
/// - an element with more than 512 attributes, and default attributes or entities that would make
///   the document far larger; these are refused before the document is parsed.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: nothing.
open class XMLDocumentResponseSerializer: HTTPResponseSerializer, BodyDecoding,
    @unchecked Sendable
{
    // @unchecked because the one variable is guarded by the superclass's `lock`.

    // MARK: Guarded by lock
    private var settings: XMLNode.Options = []

    /// Makes a serializer with the default settings.
    public required init() {
        super.init()
        acceptableContentTypes = ["application/xml", "text/xml"]
    }

    /// Makes a serializer with reading options.
    public convenience init(options: XMLNode.Options) {
        self.init()
        settings = options
    }

    /// How a document is read; no option by default.
    public var options: XMLNode.Options {
        get { lock.withLock { settings } }
        set { lock.withLock { settings = newValue } }
    }

    /// The document, and the error of the response.
    ///
    /// The error is that of `validate`; or one of `XMLParser.errorDomain` for a body that is no
    /// document, with `validate`'s beneath it (RE-7); or a `ResponseSerializationError` for an
    /// exceeded limit. A missing body is nil without an error.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            try data.map {
                try XMLMarkup.check($0)
                return try XMLBody.document($0, options)
            }
        }
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? XMLDocumentResponseSerializer)?.settings = options
        return copy
    }

    /// Reads a serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        settings = XMLNode.Options(rawValue: UInt(bitPattern: coder.integer("options") ?? 0))
    }

    /// Archives every property.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(Int(bitPattern: options.rawValue), forKey: "options")
    }
}

/// The body of a response as XML.
///
/// Foundation on Linux needs detours. Its tree repairs what is not well formed and stops at
/// libxml2's limits without an error, so its parser reads the body too. The tree stops the process
/// on a body that has no document, so the parser first finds the document's start. The parser stops
/// the process on an entity that has an element in it, so the tree shows before what the document
/// declares. A parser with a delegate stops the process on a notation, so it has a delegate only
/// until the document starts.
private enum XMLBody {
    /// - Throws: an NSError of `XMLParser.errorDomain`.
    static func document(_ data: Data, _ options: XMLNode.Options) throws -> XMLDocument {
        guard DocumentStart.isIn(data) else { throw error("The body holds no document.") }
        let options = options.subtracting([
            .nodeLoadExternalEntitiesAlways, .nodeLoadExternalEntitiesSameOriginOnly,
        ])
        var document = try XMLDocument(
            data: data, options: options.union(.nodeLoadExternalEntitiesNever))
        // Foundation stops the process when `dtd` is read where there is none.
        let declarations = document.children?.first { $0.kind == .DTDKind }
        let entities = declarations?.children?.filter { $0.kind == .entityDeclaration } ?? []
        if !entities.isEmpty, !areHarmless(entities, data) {
            throw error("The document's own entities hold more than text.")
        }
        try checkForm(data)
        // Foundation stops the process when XPath meets a notation.
        if declarations?.xmlString.contains("<!NOTATION") == true {
            throw error("The document declares a notation.")
        }
        if !entities.isEmpty {
            // Parses again, with the entities replaced by their text.
            document = try XMLDocument(
                data: data, options: options.subtracting(.nodeLoadExternalEntitiesNever))
        }
        guard document.rootElement() != nil else { throw error("The body holds no element.") }
        guard try document.nodes(forXPath: "//*[count(ancestor::*) > 255]").isEmpty else {
            throw error("Elements are nested too deeply.")
        }
        return document
    }

    /// Whether all entities are text of the document's own, without markup and without other
    /// entities.
    private static func areHarmless(_ entities: [XMLNode], _ data: Data) -> Bool {
        // The document was not checked yet, and Foundation stops the process on bytes that are no
        // text.
        guard String(validating: data, as: UTF8.self) != nil else { return false }
        return entities.allSatisfy { entity in
            // An external entity has no value.
            guard let value = entity.stringValue?.utf8 else { return false }
            let namesOthers = zip(value, value.dropFirst()).contains {
                $0 == UInt8(ascii: "&") && $1 != UInt8(ascii: "#")
            }
            return !namesOthers && !value.contains(UInt8(ascii: "<"))
        }
    }

    /// Throws unless the body is well formed.
    private static func checkForm(_ data: Data) throws {
        let parser = XMLParser(data: data)
        let isRead = parser.parse()
        let found = parser.parserError
        // An entity of an external subset that is not read, and prefixes without a namespace: a
        // document with these is still well formed.
        let isHarmless = [27, 201, 202, 203, 204, 205].contains((found as NSError?)?.code)
        if let found, !isRead || !isHarmless { throw found }
        if !isRead { throw error("The body is not well formed.") }
    }

    private static func error(_ text: String) -> NSError {
        NSError(
            domain: XMLParser.errorDomain, code: XMLParser.ErrorCode.internalError.rawValue,
            userInfo: [NSDebugDescriptionErrorKey: text])
    }
}

/// Notices the start of the document, which lies behind the encoding and before any declaration.
///
/// ## Concurrency
/// Call from: one thread, that of the parser. Lock: none. Calls out on: nothing.
private final class DocumentStart: NSObject, XMLParserDelegate {
    private var hasStarted = false

    static func isIn(_ data: Data) -> Bool {
        guard !data.isEmpty else { return false }
        let start = DocumentStart()
        let parser = XMLParser(data: data)
        parser.delegate = start
        _ = parser.parse()
        return start.hasStarted
    }

    func parserDidStartDocument(_ parser: XMLParser) {
        hasStarted = true
        parser.delegate = nil
        parser.abortParsing()
    }
}
