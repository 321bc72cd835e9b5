public import Foundation
public import FoundationNetworking
import FoundationXML

/// Hands out an `XMLParser` on the body, not yet started. Accepts `application/xml` and `text/xml`
/// by default.
///
/// Nothing is parsed here, so bad XML is no error (RE-12); a document is, that would exceed a
/// `ResponseSerializationError.Limit`. The parser loads no external entity. But
/// Foundation's parser on Linux stops the process when a document declares an entity with an
/// element in it and names it: for servers that are not trusted take
/// `XMLDocumentResponseSerializer`, which refuses such a document.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: nothing.
open class XMLParserResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
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

    /// A fresh `XMLParser` on the body, and what is wrong with the response.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            try data.map(XMLMarkup.check)
            return XMLParser(data: data ?? Data())
        }
    }

    override package var decodesBody: Bool { true }
}
