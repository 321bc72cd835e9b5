public import Foundation
public import FoundationNetworking

/// Encodes parameters as a JSON body (RFC 8259), and those of GET, HEAD and DELETE as a query.
///
/// The outermost value is an array or a dictionary with text keys. Values are the same, text, finite numbers, `Bool`,
/// `NSNull` and `nil` (`null`). Any other value is an error with its path; AFNetworking crashes. Members are sorted by
/// name, so that equal parameters are equal bytes. Without parameters there is no body and no content type.
open class JSONRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass has the state, under its lock.

    /// How JSON is encoded; no option at first. `fragmentsAllowed` allows text and numbers outermost.
    public var writingOptions: JSONSerialization.WritingOptions {
        get { current.writingOptions }
        set { update { $0.writingOptions = newValue } }
    }

    /// A serializer without options.
    public required init() {
        super.init()
    }

    /// A serializer with options.
    public convenience init(writingOptions: JSONSerialization.WritingOptions) {
        self.init()
        self.writingOptions = writingOptions
    }

    /// A serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request with a JSON body, and with `application/json` unless it has a type.
    ///
    /// - Throws: ``RequestSerializationError``.
    override open func request(
        bySerializing request: consuming URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        let settings = current
        return try settings.withQueryOrBody(request, parameters, "application/json") {
            try Self.body($0, settings.writingOptions)
        }
    }

    private static func body(
        _ parameters: Any, _ options: JSONSerialization.WritingOptions
    ) throws(RequestSerializationError) -> Data {
        let object = try BodyObject.json.checked(parameters)
        guard object is [String: Any] || object is [Any] || options.contains(.fragmentsAllowed)
        else {
            throw RequestSerializationError(
                .unsupportedValue, "the top of JSON must be a dictionary or an array")
        }
        do {
            return try JSONSerialization.data(
                withJSONObject: object, options: options.union(.sortedKeys))
        } catch {
            throw RequestSerializationError(
                .encodingFailed, "the parameters could not be written as JSON", underlying: error)
        }
    }
}

/// Encodes parameters as a property list, and those of GET, HEAD and DELETE as a query.
///
/// Values are dictionaries with text keys, arrays, text, numbers, `Bool`, `Date` and `Data`. Any other value, even
/// `NSNull`, is an error with its path. Without parameters there is no body and no content type.
open class PropertyListRequestSerializer: HTTPRequestSerializer, @unchecked Sendable {
    // @unchecked because the superclass has the state, under its lock.

    /// XML at first, or binary. The OpenStep format can only be read, and is an error.
    public var format: PropertyListSerialization.PropertyListFormat {
        get { current.format }
        set { update { $0.format = newValue } }
    }

    /// Ignored by Foundation.
    public var writeOptions: PropertyListSerialization.WriteOptions {
        get { current.writeOptions }
        set { update { $0.writeOptions = newValue } }
    }

    /// A serializer that writes XML.
    public required init() {
        super.init()
    }

    /// A serializer with a format.
    public convenience init(
        format: PropertyListSerialization.PropertyListFormat,
        writeOptions: PropertyListSerialization.WriteOptions = 0
    ) {
        self.init()
        self.format = format
        self.writeOptions = writeOptions
    }

    /// A serializer from an archive.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request with a property list as its body, and with `application/x-plist` unless it has a
    /// type.
    ///
    /// - Throws: ``RequestSerializationError``.
    override open func request(
        bySerializing request: consuming URLRequest, with parameters: Any?
    ) throws -> URLRequest {
        let settings = current
        return try settings.withQueryOrBody(request, parameters, "application/x-plist") {
            try Self.body($0, settings)
        }
    }

    private static func body(
        _ parameters: Any, _ settings: RequestSettings
    ) throws(RequestSerializationError) -> Data {
        let object = try BodyObject.propertyList.checked(parameters)
        // Foundation on Linux crashes for this format.
        guard settings.format != .openStep else {
            throw RequestSerializationError(
                .encodingFailed, "property lists can be written as XML or binary only")
        }
        do {
            return try PropertyListSerialization.data(
                fromPropertyList: object, format: settings.format, options: settings.writeOptions)
        } catch {
            throw RequestSerializationError(
                .encodingFailed, "the parameters could not be written as a property list",
                underlying: error)
        }
    }
}
