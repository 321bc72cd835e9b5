public import Foundation
public import FoundationNetworking
import FoundationXML

/// Returns an `XMLParser` for the body, not yet started. Accepts `application/xml` and `text/xml`
/// by default.
///
/// Nothing is parsed here, so malformed XML is no error (RE-12); a document that exceeds a
/// `ResponseSerializationError.Limit` is, among them one that declares entities, and so is one whose
/// bytes are not in the encoding that it declares. The parser loads no external entity.
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
