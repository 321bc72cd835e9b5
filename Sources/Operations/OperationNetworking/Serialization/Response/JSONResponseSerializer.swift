public import Foundation
public import FoundationNetworking

/// Decodes JSON. Accepts `application/json`, `text/json` and `text/javascript` by default.
///
/// The body is parsed from its bytes. A body in another charset than UTF-8, named by the response
/// or set as `stringEncoding`, is converted first; bytes that do not fit the charset are an error,
/// not nil (wound 35). An empty body and a single space are nil without an error (RE-9, wound 36).
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

    /// How JSON is read. Without options, the default, containers are immutable and the outermost
    /// value is an array or an object (RE-10).
    ///
    /// `.mutableContainers` makes the outermost one an NSMutableDictionary or NSMutableArray;
    /// Foundation on Linux returns those within as Swift's own.
    public var readingOptions: JSONSerialization.ReadingOptions {
        get { lock.withLock { settings.options } }
        set { lock.withLock { settings.options = newValue } }
    }

    /// Whether null members of objects are left out, at every depth; off by default.
    ///
    /// A null in an array stays, as does an outermost null, and an object that has become empty
    /// (RE-11).
    public var removesKeysWithNullValues: Bool {
        get { lock.withLock { settings.removesNullEntries } }
        set { lock.withLock { settings.removesNullEntries = newValue } }
    }

    /// Whether null elements of arrays are left out, at every depth; off by default.
    ///
    /// The original has no such option, so nulls in arrays reached its users (wound 66).
    public var removesNullElements: Bool {
        get { lock.withLock { settings.removesNullElements } }
        set { lock.withLock { settings.removesNullElements = newValue } }
    }

    /// The JSON value, and the error of the response.
    ///
    /// The error is that of `validate`; or `NSCocoaErrorDomain` 3840 for a body that is no JSON,
    /// with `validate`'s beneath it (RE-7); or a `ResponseSerializationError` for a body that is no
    /// text.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            guard let data, !data.isEmpty else { return nil }
            let settings = lock.withLock { self.settings }
            let declared = response?.textEncodingName.flatMap(TextEncoding.encoding(named:))
            let encoding = declared ?? stringEncoding
            guard let bytes = JSONBody.utf8(data, encoding) else {
                throw ResponseSerializationError(
                    .undecodableText(encoding), response: response, data: data)
            }
            guard bytes.count > 1 || bytes.first != UInt8(ascii: " ") else { return nil }
            do {
                let object = DecodedContainers.removingNulls(
                    try JSONBody.immutable(bytes, settings.options),
                    entries: settings.removesNullEntries, elements: settings.removesNullElements)
                let isMutable = settings.options.contains(.mutableContainers)
                return isMutable ? try DecodedContainers.checkedMutable(object) : object
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
