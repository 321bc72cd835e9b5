public import Foundation
public import FoundationNetworking
public import FoundationXML

/// Decodes XML to an `XMLDocument`. Accepts `application/xml` and `text/xml` by default.
///
/// External entities are never loaded, whatever the options say. These bodies are errors:
/// - a document that is not well formed;
/// - one that Foundation would truncate or not read: elements nested more than 256 deep, or more than 10,000,000
///   bytes of text without markup;
/// - one that exceeds a `ResponseSerializationError.Limit`, such as one that declares entities;
/// - one that is not in the encoding that it declares.
///
/// The last two are refused before the document is parsed.
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
    /// The error is that of `validate`; one of `XMLParser.errorDomain` for a body that is no document, with the error
    /// of `validate` as underlying error; or a `ResponseSerializationError` for an exceeded limit. A missing body is
    /// nil without an error.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            try data.map { try XMLBody.document($0, options) }
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

/// Returns an `XMLParser` for the body, not yet started. Accepts `application/xml` and `text/xml` by default.
///
/// The body is not parsed, so malformed XML is no error. A document that exceeds a
/// `ResponseSerializationError.Limit`, such as one that declares entities, is an error. So is one that is not in
/// the encoding that it declares. The parser loads no external entities.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: nothing.
open class XMLParserResponseSerializer: HTTPResponseSerializer, BodyDecoding, @unchecked Sendable {
    // @unchecked because it has no variables of its own.

    /// Makes a serializer with the default settings.
    public required init() {
        super.init()
        acceptableContentTypes = ["application/xml", "text/xml"]
    }

    /// Reads a serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// A new `XMLParser` for the body, and the error of the response.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            XMLParser(data: try data.map(XMLBody.checked) ?? Data())
        }
    }
}
