public import Foundation
public import FoundationNetworking

/// Decodes JSON. Accepts `application/json`, `text/json` and `text/javascript` by default.
///
/// A body in another charset than UTF-8, named by the response or set as `stringEncoding`, is converted first;
/// invalid bytes are an error. An empty body and a single space are nil without an error.
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: nothing.
open class JSONResponseSerializer: HTTPResponseSerializer, BodyDecoding, @unchecked Sendable {
    // @unchecked because every variable is guarded by the superclass's `lock`.
    private struct Settings {
        var options: JSONSerialization.ReadingOptions = []
        var removesNullEntries = false
        var removesNullElements = false
    }

    // MARK: Guarded by lock
    private var settings = Settings()

    /// Makes a serializer with the default settings.
    public required init() {
        super.init()
        acceptableContentTypes = ["application/json", "text/json", "text/javascript"]
    }

    /// Makes a serializer with reading options.
    public convenience init(readingOptions: JSONSerialization.ReadingOptions) {
        self.init()
        settings.options = readingOptions
    }

    /// How JSON is read. Without options, the default, containers are immutable and the outermost value must be an
    /// array or an object.
    ///
    /// `.mutableContainers` makes the outermost container an `NSMutableDictionary` or `NSMutableArray`;
    /// Foundation on Linux returns inner ones as Swift's types.
    public var readingOptions: JSONSerialization.ReadingOptions {
        get { lock.withLock { settings.options } }
        set { lock.withLock { settings.options = newValue } }
    }

    /// Whether null members of objects are removed, at every depth; false by default.
    ///
    /// Nulls in arrays, an outermost null, and objects that become empty are not removed.
    public var removesKeysWithNullValues: Bool {
        get { lock.withLock { settings.removesNullEntries } }
        set { lock.withLock { settings.removesNullEntries = newValue } }
    }

    /// Whether null elements of arrays are removed, at every depth; false by default. AFNetworking does not have
    /// this option.
    public var removesNullElements: Bool {
        get { lock.withLock { settings.removesNullElements } }
        set { lock.withLock { settings.removesNullElements = newValue } }
    }

    /// The JSON value, and the error of the response.
    ///
    /// The error is that of `validate`; `NSCocoaErrorDomain` 3840 for a body that is no JSON, with the error of
    /// `validate` as underlying error; or a `ResponseSerializationError` for a body that is no text.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            guard let data, !data.isEmpty else { return nil }
            let settings = lock.withLock { self.settings }
            let (bytes, encoding) = try JSONBody.utf8(data, of: response, or: stringEncoding)
            guard bytes.count > 1 || bytes.first != UInt8(ascii: " ") else { return nil }
            do {
                return try JSONBody.object(
                    bytes, settings.options, removingNullEntries: settings.removesNullEntries,
                    elements: settings.removesNullElements)
            } catch let error where JSONBody.isText(bytes) {
                throw error
            } catch {
                throw ResponseSerializationError(
                    .undecodableText(encoding), response: response, data: data)
            }
        }
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? JSONResponseSerializer)?.settings = lock.withLock { settings }
        return copy
    }

    /// Reads a serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        let options = coder.integer("readingOptions") ?? 0
        settings.options = JSONSerialization.ReadingOptions(rawValue: UInt(bitPattern: options))
        settings.removesNullEntries = coder.integer("removesKeysWithNullValues") == 1
        settings.removesNullElements = coder.integer("removesNullElements") == 1
    }

    /// Archives every property.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let settings = lock.withLock { self.settings }
        coder.encode(Int(bitPattern: settings.options.rawValue), forKey: "readingOptions")
        coder.encode(settings.removesNullEntries ? 1 : 0, forKey: "removesKeysWithNullValues")
        coder.encode(settings.removesNullElements ? 1 : 0, forKey: "removesNullElements")
    }
}
