public import Foundation
public import FoundationNetworking
import HTTPSemantics

/// Decodes property lists of every format. Accepts `application/x-plist` by default.
///
/// A missing body is nil without an error; an empty one is a parser's error.
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

    /// XML by default. It has no effect, as in AFNetworking: every format is read.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { lock.withLock { settings.format } }
        set { lock.withLock { settings.format = newValue } }
    }

    /// How a list is read; no option by default.
    ///
    /// `.mutableContainers` makes the outermost container an `NSMutableDictionary` or `NSMutableArray`;
    /// Foundation on Linux returns inner values as Swift's types.
    public var readOptions: PropertyListSerialization.ReadOptions {
        get { lock.withLock { settings.options } }
        set { lock.withLock { settings.options = newValue } }
    }

    /// The property list, and the error of the response.
    ///
    /// The error is that of `validate`; `NSCocoaErrorDomain` 3840 for a body that is no property list, with the
    /// error of `validate` as underlying error; or a `ResponseSerializationError` for an exceeded limit.
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

/// The body of a response as a property list.
package enum PropertyListBody {
    /// The property list, in any format.
    ///
    /// - Throws: `ResponseSerializationError.Limit` for a list that would take far more memory or time than its
    ///   size suggests; `CocoaError` if it is no property list.
    package static func object(
        _ data: Data, _ options: PropertyListSerialization.ReadOptions
    ) throws -> Any {
        guard BinaryPropertyList.isBinary(data) else {
            return try read(data, options)
        }
        let list = try BinaryPropertyList(data)
        try list.checkSize()
        if let values = try list.values() { return values }
        return try read(data, options)
    }

    /// Foundation's errors may quote the body.
    private static func read(
        _ data: Data, _ options: PropertyListSerialization.ReadOptions
    ) throws -> Any {
        do {
            return try PropertyListSerialization.propertyList(
                from: data, options: options, format: nil)
        } catch {
            throw DescribedError.printable(error)
        }
    }
}
