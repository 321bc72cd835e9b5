public import Foundation
public import FoundationNetworking
import HTTPSemantics

/// Decodes property lists of every format. Accepts `application/x-plist` by default.
///
/// A missing body is nil without an error; an empty one is a parser's error (RE-13).
///
/// ## Concurrency
/// Call from: any thread. Lock: the superclass's. Calls out on: nothing.
open class PropertyListResponseSerializer: HTTPResponseSerializer, BodyDecoding,
    @unchecked Sendable
{
    // @unchecked because every variable is guarded by the superclass's `lock`.

    // MARK: Guarded by lock
    private var settings = (
        format: PropertyListSerialization.PropertyListFormat.xml,
        options: PropertyListSerialization.ReadOptions()
    )

    /// Makes a serializer with the default settings.
    public required init() {
        super.init()
        acceptableContentTypes = ["application/x-plist"]
    }

    /// Makes a serializer with reading options.
    public convenience init(
        format: PropertyListSerialization.PropertyListFormat,
        readOptions: PropertyListSerialization.ReadOptions
    ) {
        self.init()
        settings = (format, readOptions)
    }

    /// XML by default. It has no effect, as in the original: every format is read.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { lock.withLock { settings.format } }
        set { lock.withLock { settings.format = newValue } }
    }

    /// How a list is read; no option by default.
    ///
    /// `.mutableContainers` makes the outermost one an NSMutableDictionary or NSMutableArray;
    /// Foundation on Linux returns those within, and the leaves, as Swift's own.
    public var readOptions: PropertyListSerialization.ReadOptions {
        get { lock.withLock { settings.options } }
        set { lock.withLock { settings.options = newValue } }
    }

    /// The property list, and the error of the response.
    ///
    /// The error is that of `validate`; or `NSCocoaErrorDomain` 3840 for a body that is no property
    /// list, with `validate`'s beneath it (RE-7); or a `ResponseSerializationError` for a list that
    /// would become far larger than its bytes.
    open override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
    {
        decoded(response, data) {
            guard let data else { return nil }
            let options = readOptions
            let list = try PropertyListBody.object(data, options)
            let isMutable = !options.isDisjoint(
                with: [.mutableContainers, .mutableContainersAndLeaves])
            return isMutable ? try DecodedContainers.checkedMutable(list) : list
        }
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? PropertyListResponseSerializer)?.settings = lock.withLock { settings }
        return copy
    }

    /// Reads a serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
        if let raw = coder.integer("format"),
            let format = PropertyListSerialization.PropertyListFormat(
                rawValue: UInt(bitPattern: raw))
        {
            settings.format = format
        }
        let options = coder.integer("readOptions") ?? 0
        settings.options = PropertyListSerialization.ReadOptions(
            rawValue: UInt(bitPattern: options))
    }

    /// Archives every property.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let settings = lock.withLock { self.settings }
        coder.encode(Int(bitPattern: settings.format.rawValue), forKey: "format")
        coder.encode(Int(bitPattern: settings.options.rawValue), forKey: "readOptions")
    }
}
